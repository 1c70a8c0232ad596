# RandomTree.pm
#		Random tables that are many: trees of partitions, of child tables, and UNION ALL,
#		with RandomQuery.pm's columns.  srand() decides all of it.
package RandomTree;

use strict;
use warnings;

use Exporter 'import';
use List::Util 'shuffle';
use RandomQuery;

our @EXPORT = qw(random_tree prune);

sub chance { return rand() < $_[0]; }

# Columns of the tree's tables as they are now: [ name, type ]
sub columns
{
	my ($tree) = @_;

	return ([ 'id', 'int4 NOT NULL' ], map { [ $_->{name}, $_->{type} ] } grep { !$_->{dropped} } @{ $tree->{columns} });
}

# A table with the tree's columns in another order, and with some that are dropped again
sub create_shuffled
{
	my ($tree, $name, $rest) = @_;
	my @gone = map { [ "gone$_", pick('int2', 'text', 'float8', 'bool') ] } 1 .. int rand 3;
	my $sql = 'CREATE ' . (chance(0.1) ? 'UNLOGGED ' : '') . "TABLE $name (" . join(', ', map { "$_->[0] $_->[1]" } shuffle(columns($tree), @gone)) . ")$rest;\n";

	return $sql . join '', map { "ALTER TABLE $name DROP COLUMN $_->[0];\n" } @gone;
}

# ---------- partitions ----------

# How a table is partitioned, and the bounds that are all of it.  Conditions of
# the same kind prune (prune() below).
sub partitioning
{
	my ($rows) = @_;
	my $kind = pick(qw(range range list hash));
	my $n = 1 + int rand 4;

	if ($kind eq 'range')
	{
		my %at = map { 1 + int(rand(2 * $rows + 20)) => 1 } 2 .. $n;
		my @at = ('MINVALUE', (sort { $a <=> $b } keys %at), 'MAXVALUE');
		my @bounds = map { "FOR VALUES FROM ($at[$_]) TO ($at[$_ + 1])" } 0 .. $#at - 1;

		# one that is not there, but for what lies beside the others
		$bounds[ int rand @bounds ] = 'DEFAULT' if chance(0.3);
		return (' PARTITION BY RANGE (id)', @bounds);
	}
	if ($kind eq 'list')
	{
		my @bounds = map { my $r = $_; 'FOR VALUES IN (' . join(', ', grep { $_ % $n == $r } 0 .. 4) . ')' } 0 .. $n - 1;

		$bounds[-1] = 'DEFAULT' if chance(0.4);
		return (' PARTITION BY LIST ((id % 5))', @bounds);
	}
	return (' PARTITION BY HASH (id)', map { "FOR VALUES WITH (MODULUS $n, REMAINDER $_)" } 0 .. $n - 1);
}

# The partitions of a table, with theirs
sub partitions
{
	my ($tree, $parent, $depth, @bounds) = @_;
	my $sql = '';

	foreach my $n (0 .. $#bounds)
	{
		my $name = "${parent}_$n";
		my ($by, @below) = chance(0.25) && $depth < 2 ? partitioning($tree->{rows}) : ('');

		if (chance(0.5))
		{
			$sql .= "CREATE TABLE $name PARTITION OF $parent $bounds[$n]$by" . ($by eq '' && chance(0.3) ? ' WITH (fillfactor = ' . pick(10, 50) . ')' : '') . ";\n";
		}
		else
		{
			my $create = create_shuffled($tree, $name, $by);

			$create =~ s/UNLOGGED // if $by ne '';
			$sql .= $create . "ALTER TABLE $parent ATTACH PARTITION $name $bounds[$n];\n";
		}
		push @{ $tree->{leaves} }, { name => $name, parent => $parent, bounds => $bounds[$n] } if $by eq '';
		$sql .= partitions($tree, $name, $depth + 1, @below);
	}
	return $sql;
}

# Leaves that go and come back, or come as new tables with the rows of the old ones
sub exchange
{
	my ($tree) = @_;
	my $sql = '';

	foreach my $leaf (grep { chance(0.25) } @{ $tree->{leaves} })
	{
		my $names = join ', ', map { $_->[0] } columns($tree);

		$sql .= "ALTER TABLE $leaf->{parent} DETACH PARTITION $leaf->{name};\n";
		$sql .= "ALTER TABLE $leaf->{name} RENAME TO old;\n" . create_shuffled($tree, $leaf->{name}, '') .
		  "INSERT INTO $leaf->{name} ($names) SELECT $names FROM old;\nDROP TABLE old;\n"
		  if chance(0.6);
		$sql .= "ALTER TABLE $leaf->{parent} ATTACH PARTITION $leaf->{name} $leaf->{bounds};\n";
	}
	return $sql;
}

# A default of a partition's own, and rows that have it
sub own_defaults
{
	my ($tree) = @_;
	my ($column) = shuffle grep { !$_->{dropped} && $_->{class} =~ /^int[248]$/ } @{ $tree->{columns} };

	return '' unless $column;
	return join '', map {
		"ALTER TABLE $_->{name} ALTER COLUMN $column->{name} SET DEFAULT " . (1 + int rand 4) . ";\n" .
		  "INSERT INTO $_->{name} (id) SELECT id FROM $_->{name} WHERE id % 7 = 3;\n"
	} grep { chance(0.2) } @{ $tree->{leaves} };
}

sub partitioned
{
	my ($tree) = @_;
	my ($by, @bounds) = partitioning($tree->{rows});

	return 'CREATE TABLE t (' . join(', ', map { "$_->[0] $_->[1]" } columns($tree)) . ")$by;\n" . partitions($tree, 't', 0, @bounds);
}

# ---------- child tables ----------

# Children have further columns, and children of their own
sub inherited
{
	my ($tree) = @_;
	my $sql = 'CREATE TABLE t (' . join(', ', map { "$_->[0] $_->[1]" } columns($tree)) . ");\n";
	my @tables = ('t');

	foreach my $n (1 .. 1 + int rand 5)
	{
		my $parent = pick(@tables);

		if (chance(0.5))
		{
			$sql .= "CREATE TABLE t_$n (" . (chance(0.5) ? 'more int8' : '') . ") INHERITS ($parent);\n";
			push @tables, "t_$n";
		}
		else
		{
			# its columns are those of the parent of all, in another order
			$sql .= create_shuffled($tree, "t_$n", '') . "ALTER TABLE t_$n INHERIT t;\n";
		}
		push @{ $tree->{leaves} }, { name => "t_$n" };
	}
	return $sql;
}

# ---------- UNION ALL ----------

# Tables of the same columns; the tree is a query
sub united
{
	my ($tree) = @_;
	my $names = join ', ', map { $_->[0] } columns($tree);
	my $sql = create_shuffled($tree, 't', '');

	foreach my $n (1 .. 1 + int rand 3)
	{
		$sql .= create_shuffled($tree, "t_$n", '');
		push @{ $tree->{leaves} }, { name => "t_$n" };
	}
	$tree->{from} = '(' . join(' UNION ALL ', map { "SELECT $names FROM $_->{name}" } { name => 't' }, @{ $tree->{leaves} }) . ') t';
	return $sql;
}

# ---------- all of it ----------

# Rows of the tree: through its parent where that spreads them, else each table has its part
sub rows
{
	my ($tree, $from, $to) = @_;

	return RandomQuery::insert_rows($tree, $from, $to) if $tree->{kind} eq 'partitioned';
	my @tables = ('t', map { $_->{name} } @{ $tree->{leaves} });
	my $part = int(($to - $from + 1) / @tables);
	return join '', map { RandomQuery::insert_rows({ %$tree, name => $tables[$_] }, $from + $part * $_, $from + $part * ($_ + 1) - 1) } 0 .. $#tables;
}

# A tree of tables, the parent's name is t, as RandomQuery's random_table(): for
# random_query(), with the script that makes it and the one that removes it
sub random_tree
{
	my $tree = { name => 't', columns => [], nulls => pick(0, 0.5, 1), leaves => [], kind => pick(qw(partitioned partitioned partitioned inherited united)), rows => pick(0, 50, 200, 900, 900, 3000) };
	my $rows = $tree->{rows};
	my $sql = '';

	RandomQuery::new_column($tree) foreach 1 .. 1 + int rand 8;
	$sql .= "DO \$\$ BEGIN CREATE TYPE random_mood AS ENUM ('sad', 'ok', 'fine', 'happy', 'meh', 'low');\n" .
	  "EXCEPTION WHEN duplicate_object THEN END \$\$;\n";
	$sql .= { partitioned => \&partitioned, inherited => \&inherited, united => \&united }->{ $tree->{kind} }->($tree);
	$sql .= rows($tree, 1, $rows);
	if ($tree->{kind} ne 'united')
	{
		$sql .= RandomQuery::alter($tree) . rows($tree, $rows + 1, $rows += int $rows / 5) if chance(0.5);
		$sql .= exchange($tree) . own_defaults($tree) if $tree->{kind} eq 'partitioned';
	}
	$sql .= RandomQuery::churn($tree, $rows) if chance(0.5);
	$sql .= "VACUUM t, " . join(', ', map { $_->{name} } @{ $tree->{leaves} }) . ";\n" if chance(0.6);
	$sql .= "ANALYZE t;\n" if chance(0.8);
	$tree->{rows} = $rows;

	$tree->{of_class}{int4} = ['id'];
	push @{ $tree->{of_class}{ $_->{class} } }, $_->{name} . ($_->{class} eq 'text' && $_->{type} =~ /COLLATE/ ? ' COLLATE "default"' : '')
	  foreach grep { !$_->{dropped} } @{ $tree->{columns} };
	my $drop = $tree->{kind} eq 'united' ? 'DROP TABLE t, ' . join(', ', map { $_->{name} } @{ $tree->{leaves} }) : 'DROP TABLE t CASCADE';
	$tree->{name} = $tree->{from} if $tree->{from};
	return ($tree, $sql, "$drop;\n");
}

# The query with a condition that leaves some of the tables, known to the planner, at the
# start, or while it runs
sub prune
{
	my ($tree, $query) = @_;
	my $n = int rand(2 * $tree->{rows} + 3);
	my $some = pick("id = $n", "id < $n", "id BETWEEN $n AND $n + 50", 'id % 5 = 2', "id % 5 IN (0, 4) AND id > $n",
		"id = (SELECT $n)", "id >= (SELECT $n)", "id IN ($n, 3, 77)", "(id = $n OR id % 5 = 1)", 'id < 0');

	$query =~ s/( FROM \Q$tree->{name}\E(?: TABLESAMPLE [\w.]+ \([\d.]+\) REPEATABLE \(\d+\))?)( WHERE )?/"$1 WHERE $some" . (defined $2 ? ' AND ' : '')/e;
	return $query;
}

1;
