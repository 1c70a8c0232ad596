# FuzzTables.pm
#		Random tables of every kind, and what a query reads of them: joins,
#		subqueries, views, unions.  RandomQuery.pm fills columns and makes
#		expressions; srand() decides all of it.
package FuzzTables;

use strict;
use warnings;

use Exporter 'import';
use List::Util 'shuffle';
use RandomQuery qw(pick random_table chance new_columns insert_rows churn columns_by_class expr_of types_script);

our @EXPORT = qw(random_world random_source);

# Classes whose columns tables are joined by
my @joined_by = qw(int4 int4 int8 int2 date timestamp bool text uuid numeric enum char float8 icu nocase jsonb);

sub live { return grep { !$_->{dropped} } @{ $_[0]{columns} }; }

sub definitions { return map { "$_->{name} $_->{type}" } live($_[0]); }

# ---------- tables ----------

sub new_table { return { name => $_[0], columns => [], nulls => pick(0, 0.5, 1) }; }

# Partitions of their own orders of columns, with dropped ones
sub partitioned
{
	my ($name) = @_;
	my $table = new_table($name);
	my $script = '';
	my ($by, @bounds) = @{
		pick(
			[ 'RANGE (id)', 'FROM (MINVALUE) TO (300)', 'FROM (300) TO (1000)', 'FROM (1000) TO (MAXVALUE)' ],
			[ 'HASH (id)', map { "WITH (MODULUS 3, REMAINDER $_)" } 0 .. 2 ],
			[ 'LIST ((id % 3))', 'IN (0)', 'IN (1, NULL)', 'IN (2)' ])
	};
	my $rows = pick(0, 40, 900, 3000);

	new_columns($table, 2 + int rand 8);
	$script .= "CREATE TABLE $name (" . join(', ', 'id int4 NOT NULL', definitions($table)) . ") PARTITION BY $by;\n";
	foreach my $n (0 .. $#bounds)
	{
		my $part = "${name}_$n";
		my @with = $n == 0 && chance(0.5) ? '' : (shuffle 'id int4 NOT NULL', definitions($table), 'gone int8 DEFAULT 7');

		if (@with == 1)
		{
			if (chance(0.3))
			{
				$script .= "CREATE TABLE $part PARTITION OF $name FOR VALUES $bounds[$n] PARTITION BY HASH (id);\n" .
				  join '', map { "CREATE TABLE ${part}_$_ PARTITION OF $part FOR VALUES WITH (MODULUS 2, REMAINDER $_);\n" } 0, 1;
				next;
			}
			$script .= "CREATE TABLE $part PARTITION OF $name FOR VALUES $bounds[$n];\n";
			next;
		}
		$script .= "CREATE TABLE $part (" . join(', ', @with) . ");\nALTER TABLE $part DROP COLUMN gone;\n" .
		  "ALTER TABLE $name ATTACH PARTITION $part FOR VALUES $bounds[$n];\n";
	}
	$script .= insert_rows($table, 1, $rows);
	$script .= churn($table, $rows) if chance(0.5);
	$table->{rows} = $rows;
	return ($table, $script);
}

# A table with a child that has a column more, which no device reads where it is temporary
sub inherited
{
	my ($name) = @_;
	my $table = new_table($name);
	my $script = '';

	new_columns($table, 2 + int rand 8);
	$script .= "CREATE TABLE $name (" . join(', ', 'id int4 NOT NULL', definitions($table)) . ");\n" .
	  'CREATE ' . pick('', '', 'TEMP ') . "TABLE ${name}_child (more text DEFAULT 'more') INHERITS ($name);\n" . insert_rows($table, 1, 700);
	$script .= insert_rows({ %$table, name => "${name}_child" }, 701, 1500);
	return ($table, $script);
}

# With its own name, of another kind than random_table() makes
sub copied
{
	my ($name) = @_;
	my ($table, $script) = random_table("${name}_from");

	$script .= 'CREATE ' . pick('TEMP TABLE', 'MATERIALIZED VIEW', 'UNLOGGED TABLE') . " $name AS SELECT * FROM ${name}_from;\n";
	return ({ %$table, name => $name }, $script);
}

sub plain
{
	my ($name) = @_;
	my ($table, $script) = random_table($name);

	if (chance(0.2))
	{
		my $made = pick([ 'int4', 'id % 7' ], [ 'numeric', 'id / 4.0' ], [ 'text', "'made ' || (id % 5)" ]);
		my $column = { name => 'made', class => $made->[0], type => $made->[0] };

		push @{ $table->{columns} }, $column;
		$script .= "ALTER TABLE $name ADD COLUMN made $made->[0] GENERATED ALWAYS AS ($made->[1]) STORED;\n";
	}
	return ({ %$table, plain => 1 }, $script);
}

# A small table whose id is its key
sub keyed
{
	my ($name) = @_;
	my $table = new_table($name);
	my $script = '';

	new_columns($table, 2 + int rand 8);
	$script .= "CREATE TABLE $name (" . join(', ', 'id int4 PRIMARY KEY', definitions($table)) . ");\n" .
	  insert_rows($table, pick(0, 0, 1), pick(-1, 3, 12, 60));
	# some columns are keys, too
	return ($table, $script);
}

# Row security for others than the owner, and a view that is a security barrier
sub guarded
{
	my ($table) = @_;
	my $name = $table->{name};
	my $condition = expr_of(columns_by_class($table), 'bool', 1);
	my $script = "CREATE VIEW ${name}_view WITH (security_barrier = " . pick('on', 'off') . ") AS SELECT * FROM $name WHERE id % 4 <> 1;\n";

	$script .= "ALTER TABLE $name ENABLE ROW LEVEL SECURITY;\nCREATE POLICY rows ON $name USING (id % 3 <> 1" .
	  (chance(0.3) ? " AND $condition" : '') . ");\n"
	  if $table->{plain} && chance(0.7);
	return $script . "GRANT SELECT ON $name, ${name}_view TO fuzz_reader;\n";
}

# Two or three tables that are read, two small ones, and the script that makes all
sub random_world
{
	my %world;
	my $script = "SET client_min_messages = error;\n" . types_script();

	foreach my $name (map { "t$_" } 1 .. 2)
	{
		my ($table, $made) = pick(\&plain, \&plain, \&partitioned, \&inherited, \&copied)->($name);

		$table->{of_class} = columns_by_class($table);
		push @{ $world{tables} }, $table;
		$script .= $made . guarded($table);
		$script .= "VACUUM " . pick('', '(FREEZE) ') . "$name;\n" if chance(0.5) && $made !~ /VIEW $name AS/;
		$script .= "ANALYZE $name;\n" if chance(0.7);
	}
	foreach my $name (map { "d$_" } 1 .. 3)
	{
		my ($table, $made) = keyed($name);

		push @{ $world{keyed} }, $table;
		$script .= $made . "GRANT SELECT ON $name TO fuzz_reader;\n" . (chance(0.5) ? "VACUUM ANALYZE $name;\n" : '');
	}
	return (\%world, $script);
}

# ---------- what queries read ----------

# Columns by class of several
sub merged
{
	my %of_class;

	foreach my $one (@_)
	{
		push @{ $of_class{$_} }, @{ $one->{$_} } foreach keys %$one;
	}
	return \%of_class;
}

# A condition that joins two tables, with another one at times
sub joins
{
	my ($left, $right, $alias) = @_;
	my @classes = grep { $left->{$_} && $right->{$_} } @joined_by;
	my $equal = sub { my $class = pick(@classes); return pick(@{ $left->{$class} }) . ' = ' . pick(@{ $right->{$class} }); };
	my @terms = chance(0.6) ? pick(@{ $left->{int4} }, @{ $left->{int4} }, @{ $left->{int2} // [] }, @{ $left->{int8} // [] }) . " = $alias.id" : $equal->();

	push @terms, $equal->() if chance(0.15);
	push @terms, expr_of($right, 'bool', 1) if chance(0.2);
	return join ' AND ', @terms;
}

sub any_table { return pick(@{ $_[0]{tables} }); }

# A table by itself, or a sample of one that has parts
sub one_table
{
	my $table = any_table(@_);

	return $table if $table->{plain} || chance(0.85);
	return { %$table, from => "$table->{name} TABLESAMPLE " . pick('SYSTEM', 'BERNOULLI') . ' (' . pick(10, 50, 100) . ') REPEATABLE (5)' };
}

sub of { my ($table, $alias) = @_; return columns_by_class($table, "$alias."); }

sub joined
{
	my ($world) = @_;
	my $base = any_table($world);
	my $columns = of($base, 'a');
	my $from = "$base->{name} a" . (chance(0.08) && $base->{plain} ? ' TABLESAMPLE ' . pick('SYSTEM', 'BERNOULLI') . ' (50) REPEATABLE (3)' : '');

	foreach my $n (1 .. pick(1, 1, 2, 3))
	{
		my $table = pick(@{ $world->{keyed} });
		my $other = of($table, "b$n");
		my $name = $table->{name};

		$name = "(SELECT * FROM $name WHERE id " . pick('>', '<>') . ' ' . pick(0, 1, 5) . pick('', '', ' FOR SHARE') . ')' if chance(0.15);
		$from .= ' ' . pick('JOIN', 'JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN') . " $name b$n ON " .
		  ($from =~ /FULL/ ? "a.id = b$n.id" : joins($columns, $other, "b$n"));
		$from =~ s/FULL JOIN (\S+ b$n|\(.*?\) b$n) ON .*/FULL JOIN $1 ON a.id = b$n.id/;
		$columns = merged($columns, $other);
	}
	return { from => $from, of_class => $columns };
}

sub tested
{
	my ($world) = @_;
	my $base = any_table($world);
	my $columns = of($base, 'a');
	my @where;

	foreach my $n (1 .. pick(1, 1, 2))
	{
		my $table = pick(@{ $world->{keyed} });
		my $other = of($table, "b$n");
		my $where = chance(0.4) ? ' WHERE ' . expr_of($other, 'bool', 1) : '';
		my ($class) = grep { $columns->{$_} && $other->{$_} } shuffle @joined_by;
		my ($left, $right) = (pick(@{ $columns->{$class} }), pick(@{ $other->{$class} }));
		my $test = pick(
			"$left IN (SELECT $right FROM $table->{name} b$n$where)",
			"$left NOT IN (SELECT $right FROM $table->{name} b$n$where)",
			"EXISTS (SELECT FROM $table->{name} b$n WHERE " . joins($columns, $other, "b$n") . ')',
			"NOT EXISTS (SELECT FROM $table->{name} b$n WHERE " . joins($columns, $other, "b$n") . ')',
			"$left = ANY (SELECT $right FROM $table->{name} b$n$where)",
			"a.id > (SELECT count(*) FROM $table->{name} b$n$where)");

		push @where, chance(0.15) ? "($test OR a.id % 5 = 0)" : $test;
	}
	return { from => "$base->{name} a", where => \@where, of_class => $columns };
}

sub of_view
{
	my ($world) = @_;
	my $base = any_table($world);

	return { from => "$base->{name}_view a", of_class => of($base, 'a') };
}

sub subquery
{
	my ($world) = @_;
	my $base = any_table($world);
	my $inside = "SELECT * FROM $base->{name}" . (chance(0.5) ? ' WHERE ' . expr_of(columns_by_class($base), 'bool', 2) : '');

	$inside .= pick('', '', ' FOR UPDATE', ' ORDER BY id LIMIT ' . pick(5, 300), ' ORDER BY id OFFSET 10');
	return { with => 'WITH w AS ' . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($inside) ", from => 'w a', of_class => of($base, 'a') }
	  if chance(0.5);
	return { from => "($inside) a", of_class => of($base, 'a') };
}

# Parts of columns and expressions of the same types
sub united
{
	my ($world) = @_;
	my @bases = map { any_table($world) } 1 .. pick(2, 2, 3);
	my @columns = map { columns_by_class($_) } @bases;
	my @shared = grep { my $class = $_; $class !~ /other|oid|icu|nocase/ && !grep { !$_->{$class} } @columns } sort keys %{ $columns[0] };
	my @classes = (shuffle @shared)[ 0 .. pick(0 .. $#shared) ];
	my %of_class;
	my @parts;
	my %type = (char => 'char(6)', enum => 'random_mood', bits => 'varbit', lsn => 'pg_lsn', array => 'int4[]', pair => 'random_pair', range => 'int4range');

	foreach my $n (0 .. $#bases)
	{
		my @targets = map {
			my $class = $classes[$_];
			my $of = chance(0.85) ? pick(@{ $columns[$n]{$class} }) : expr_of($columns[$n], $class, 1);

			$of = "($of)::" . ($type{$class} // $class) if $class !~ /text/;
			"$of AS c$_"
		} 0 .. $#classes;
		push @parts, 'SELECT id, ' . join(', ', @targets) . " FROM $bases[$n]{name}";
	}
	push @{ $of_class{ $classes[$_] } }, "a.c$_" foreach 0 .. $#classes;
	push @{ $of_class{int4} }, 'a.id';
	return { from => '(' . join(pick((' UNION ALL ') x 4, ' UNION '), @parts) . ') a', of_class => \%of_class };
}

# Nothing that is stored
sub made
{
	my $rows = pick(0, 1, 500, 4000);

	return {
		from => "(SELECT i AS id, i % 7 AS c1, (i % 5)::text AS c2, i / 4.0 AS c3 FROM generate_series(1, $rows) i) a",
		of_class => { int4 => [ 'a.id', 'a.c1' ], text => ['a.c2'], numeric => ['a.c3'] }
	};
}

my %sources = (
	table => \&one_table, joined => \&joined, tested => \&tested, view => \&of_view,
	subquery => \&subquery, united => \&united, made => \&made);
my @sources = ((qw(table joined)) x 5, (qw(tested)) x 3, (qw(subquery united)) x 2, qw(view made));

# What a query reads: for random_query()
sub random_source
{
	my ($world) = @_;
	my $kind = pick(@sources);

	return { %{ $sources{$kind}->($world) }, kind => $kind, keyed => 'd2' };
}

1;
