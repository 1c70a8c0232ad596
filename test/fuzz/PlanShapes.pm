# PlanShapes.pm
#		Joins of PlanTables.pm's relations, and statements that have a value of
#		PlanFunctions.pm's in any place.  srand() decides all of it.
package PlanShapes;

use strict;
use warnings;

use Exporter 'import';
use PlanFunctions;
use PlanTables;
use RandomQuery qw(pick chance);

our @EXPORT = qw(random_statement defined_statements);

# ---------- what is read ----------

my @joined_by = (('integer') x 6, 'text', 'date', 'numeric', 'bigint', 'smallint', 'timestamp with time zone', 'uuid', 'character', 'double precision', 'fuzz.mood', 'fuzz.code');

# An equality of both, by name or of any columns of a type, and more sometimes
sub equality
{
	my ($left, $right) = @_;
	my ($type) = grep { $left->{$_} && $right->{$_} } map { pick(@joined_by) } 1 .. 20;
	my $by = sub { return pick(@{ $_[0]{$type} }); };

	return 'true' unless defined $type;
	my $on = $by->($left) . ' = ' . $by->($right);
	$on .= ' AND ' . pick(@{ $left->{integer} }) . ' = ' . pick(@{ $right->{integer} }) if $left->{integer} && $right->{integer} && chance(0.15);
	return $on;
}

# ON of a relation beside others; what is left of it may be nothing
sub on
{
	my ($left, $relation, $alias, $extra) = @_;
	my @terms = (equality($left, $relation->{of}), $relation->{on} // (chance(0.08) && $relation->{of}{date} ? dead_condition($alias) : ()), $extra // ());

	return join ' AND ', @terms;
}

# A relation as a test of rows of others
sub tested
{
	my ($left, $relation, $alias) = @_;
	my ($type) = grep { $left->{$_} && $relation->{of}{$_} } map { pick(@joined_by) } 1 .. 20;
	my $where = $relation->{on} ? " WHERE $relation->{on}" : '';

	return pick('', 'NOT ', 'NOT ') . "EXISTS (SELECT FROM $relation->{from} WHERE " . on($left, $relation, $alias) . ')' if chance(0.6) || !defined $type;
	return pick(@{ $left->{$type} }) . pick(' IN ', ' NOT IN ') . '(SELECT ' . pick(@{ $relation->{of}{$type} }) . " FROM $relation->{from}$where)";
}

# A subquery of its own row
sub lateral
{
	my ($left, $relation, $alias) = @_;

	return "LATERAL (SELECT * FROM $relation->{from} WHERE " . on($left, $relation, $alias) . pick('', ' OFFSET 0', ' ORDER BY 1 LIMIT 500') . ") l$alias";
}

# What a statement reads: { with, from, where => [...], of => columns by type }
sub random_source
{
	my ($extra) = @_;
	my $first = relation('a');
	my %source = (from => $first->{from}, of => $first->{of}, with => [ $first->{with} // () ], where => [ $first->{on} // () ]);

	foreach my $alias (('b', 'c')[ 0 .. pick(0, 1, 1, 1, 2, 2) - 1 ])
	{
		my $relation = relation($alias);
		my $kind = rand;

		push @{ $source{with} }, $relation->{with} // ();
		if ($kind < 0.25)
		{
			push @{ $source{where} }, tested($source{of}, $relation, $alias);
			next;
		}
		if ($kind < 0.32)
		{
			my $inside = lateral($source{of}, $relation, $alias);

			$source{from} .= pick(", $inside", " LEFT JOIN $inside ON true");
			$source{of} = merged($source{of}, { map { my $type = $_; $type => [ map { "l$_" } @{ $relation->{of}{$type} } ] } keys %{ $relation->{of} } });
			next;
		}
		my $more = $extra && chance(0.7) ? $extra->(merged($source{of}, $relation->{of})) : undef;
		$source{from} .= ' ' . pick('JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN') . " $relation->{from} ON " . on($source{of}, $relation, $alias, $more);
		$source{of} = merged($source{of}, $relation->{of});
	}
	push @{ $source{where} }, dead_condition('a') if chance(0.03) && $source{of}{date};
	return \%source;
}

# ---------- statements ----------

# What an aggregate, key or condition is made of
sub subject { my ($columns) = @_; return chance(0.5) ? any_subject($columns) : plain_subject($columns); }

# One of the columns' values, as a statement is easily planned by
sub simple_condition
{
	my ($columns) = @_;
	my $subject = plain_subject($columns);

	return condition($subject->{sql}, $subject->{type}, $columns);
}

my %friendly = map { $_ => 1 } ('smallint', 'integer', 'bigint', 'numeric', 'text', 'date', 'boolean', 'timestamp without time zone', 'double precision', 'fuzz.mood');

sub key_column
{
	my ($columns) = @_;
	my @types = grep { $friendly{$_} } sort keys %$columns;

	return undef unless @types;
	my $type = pick(@types);
	return { sql => pick(@{ $columns->{$type} }), type => $type };
}

sub as_key
{
	my ($subject) = @_;

	return $subject if groups($subject->{type});
	return { %$subject, sql => "($subject->{sql})" . pick('::text', ' IS NULL'), type => 'text' };
}

# Of a column of any relation, mostly
sub filter
{
	my ($columns) = @_;

	return '' if chance(0.55);
	return ' FILTER (WHERE ' . simple_condition($columns) . ')' if chance(0.25);
	my $type = pick(sort keys %$columns);
	return ' FILTER (WHERE ' . condition(pick(@{ $columns->{$type} }), $type, $columns) . ')';
}

# An aggregate of the subject, or the subject if it is one
sub aggregate_subject
{
	my ($subject, $columns) = @_;

	return { sql => $subject->{sql} . filter($columns), type => $subject->{type} } if $subject->{what} eq 'aggregate';
	return { sql => aggregate_of($subject->{sql}, $subject->{type}) . filter($columns), type => 'numeric' };
}

# What HAVING may compare: keys, and aggregates of columns
sub above
{
	my ($columns, @keys) = @_;
	my %of;

	push @{ $of{ $_->{type} } }, $_->{sql} foreach @keys;
	foreach my $type (grep { $friendly{$_} && $_ !~ /boolean|mood/ } sort keys %$columns)
	{
		push @{ $of{$type} }, pick('min', 'max') . '(' . pick(@{ $columns->{$type} }) . ')' if chance(0.5);
	}
	push @{ $of{bigint} }, 'count(*)';
	return \%of;
}

# Where a subject may stand in a grouping: what each adds to the statement's parts
my %places = (
	argument => sub { my ($q, $s) = @_; push @{ $q->{out} }, aggregate_subject($s, $q->{of}); },
	key => sub { my ($q, $s) = @_; push @{ $q->{keys} }, as_key($s); },
	filter => sub { my ($q, $s) = @_; push @{ $q->{out} }, { sql => aggregate_of(@{ plain_subject($q->{of}) }{qw(sql type)}) . ' FILTER (WHERE ' . condition($s->{sql}, $s->{type}, $q->{of}) . ')', type => 'numeric' }; },
	where => sub { my ($q, $s) = @_; push @{ $q->{where} }, condition($s->{sql}, $s->{type}, $q->{of}); },
	case => sub {
		my ($q, $s) = @_;

		push @{ $q->{out} }, { sql => 'sum(CASE WHEN ' . condition($s->{sql}, $s->{type}, $q->{of}) . ' THEN 1 ELSE 2 END)', type => 'bigint' };
	},
	order => sub {
		my ($q, $s) = @_;

		push @{ $q->{out} }, aggregate_subject($s, $q->{of});
		$q->{order} = 1;
	},
	# groups of their own for each row
	correlated => sub {
		my ($q, $s) = @_;
		my $relation = relation('x');
		my $inner = key_column($relation->{of});

		return unless $inner && !$relation->{with};
		push @{ $q->{where} }, pick(@{ $q->{of}{integer} }, $inner->{type} eq 'boolean' || $s->{type} ne $inner->{type} ? () : $s->{sql}) . pick(' > ', ' < ', ' <> ', ' = ')
		  . '(SELECT ' . pick("count($inner->{sql})", '0.2 * avg(x.id)', 'min(x.id)', 'max(x.id) + 1', 'count(*)', "count(*) FILTER (WHERE $inner->{sql} IS NOT NULL)") . " FROM $relation->{from} WHERE " . on($q->{of}, $relation, 'x') . ')'
		  if $q->{of}{integer} && $relation->{of}{integer};
		push @{ $q->{out} }, aggregate_subject($s, $q->{of});
	},
	subselect => sub {
		my ($q, $s) = @_;

		push @{ $q->{where} }, "($s->{sql}) IS NOT DISTINCT FROM (SELECT " . aggregate_of($s->{sql}, 'text') =~ s/count\(.*/min($s->{sql})/r . ' FROM few a)';
	});

# Rows that have a total order may be limited
sub ordered
{
	my ($q, @outputs) = @_;

	return '' unless @outputs && ($q->{order} || chance(0.15)) && !grep { !sorts($_->{type}) } @outputs;
	my @places = (reverse(1 .. @outputs));
	return ' ORDER BY ' . join(', ', map { $_ . pick('', ' DESC', ' NULLS FIRST') } @places) . pick('', ' LIMIT 3', ' LIMIT 10', ' FETCH FIRST 2 ROWS WITH TIES', ' LIMIT 2 OFFSET 1');
}

sub tail
{
	my ($q) = @_;

	return ' FROM ' . $q->{from} . (@{ $q->{where} } ? ' WHERE ' . join(' AND ', map { "($_)" } @{ $q->{where} }) : '');
}

sub with { my ($q) = @_; return @{ $q->{with} } ? 'WITH ' . join(', ', @{ $q->{with} }) . ' ' : ''; }

# A grouping of a source; the subject stands in one of its places
sub grouping
{
	my ($q, $subject, $place) = @_;
	my $columns = $q->{of};

	$q->{keys} = [ map { key_column($columns) // () } 1 .. pick(0, 1, 1, 2) ];
	$q->{out} = [];
	$places{$place}->($q, $subject) if $places{$place};
	push @{ $q->{out} }, { sql => 'count(*)', type => 'bigint' } if chance(0.5) || !@{ $q->{out} };
	push @{ $q->{out} }, aggregate_subject(plain_subject($columns), $columns) while chance(0.4);
	my @having = chance(0.06) ? 'count(*) > 1' : ();
	if ($place eq 'having')
	{
		my $above = above($columns, @{ $q->{keys} });
		my $of = chance(0.6) ? any_subject($above) : plain_subject($above);

		return undef if $of->{what} =~ /window/ || $of->{set};
		$_[1] = $of;
		push @having, $of->{what} eq 'aggregate' ? "($of->{sql}) IS NOT NULL" : condition($of->{sql}, $of->{type}, $above);
	}
	if ($place eq 'window')
	{
		my $of = any_subject(above($columns, @{ $q->{keys} }));

		return undef if $of->{set} || $of->{sql} =~ /DISTINCT|ORDER BY/;
		$_[1] = $of;
		push @{ $q->{out} }, { sql => $of->{sql} . ($of->{what} =~ /aggregate|window/ ? ' OVER (ORDER BY ' . join(', ', map { $_->{sql} } @{ $q->{keys} }, { sql => 'count(*)' }) . ')' : ''), type => 'window' };
	}
	my @outputs = (@{ $q->{keys} }, @{ $q->{out} });
	my $group = join ', ', map { $_->{sql} } @{ $q->{keys} };
	$group = pick('ROLLUP', 'CUBE') . " ($group)" if $group ne '' && chance(0.06);
	return with($q) . 'SELECT ' . join(', ', map { $_->{sql} } @outputs) . tail($q) . ($group ne '' ? " GROUP BY $group" : '') . (@having ? ' HAVING ' . join(' AND ', @having) : '') . ordered($q, @outputs);
}

# Rows, not groups: of a sample, of a whole source, or without repetition
sub returned
{
	my ($q, $subject) = @_;
	my $condition = condition($subject->{sql}, $subject->{type}, $q->{of});

	push @{ $q->{where} }, $condition if chance(0.7);
	return with($q) . 'SELECT ' . (groups($subject->{type}) && chance(0.4) ? 'DISTINCT ' : '') . "$subject->{sql}" . tail($q) if $subject->{what} !~ /aggregate|window/;
	return undef;
}

# A query that reads the groups
sub around
{
	my ($sql) = @_;

	return pick("SELECT count(*) FROM ($sql) q", "SELECT q, count(*) FROM ($sql) q GROUP BY q", "WITH w AS MATERIALIZED ($sql) SELECT count(*) FROM w", "SELECT id, k FROM few WHERE EXISTS ($sql)",
		"SELECT a.id, (SELECT count(*) FROM ($sql) q WHERE q IS NOT NULL) FROM few a", "($sql) UNION ALL ($sql)", "SELECT z.k, count(*) FROM many z WHERE z.k IN (SELECT count(*) FROM ($sql) q) GROUP BY z.k");
}

my @places = ((qw(argument argument key filter where) x 2), qw(case order having on window rows subselect correlated));

# A statement, with what decides how it is run: { sql, place, name of its subject, volatile }
sub random_statement
{
	my $place = pick(@places);
	my $subject;
	my $source = random_source($place eq 'on' ? sub { $subject //= subject($_[0]); return condition($subject->{sql}, $subject->{type}, $_[0]); } : undef);

	$subject //= subject($source->{of});
	my $sql = $subject->{what} =~ /aggregate|window/ && $place !~ /argument|order|having|window|correlated/ || $subject->{set} && $place ne 'rows' ? undef
	  : $place eq 'rows' ? returned($source, $subject) : grouping($source, $subject, $place);
	return random_statement() unless defined $sql;
	$sql = around($sql) if $place !~ /rows|window/ && chance(0.12);
	return { sql => $sql, place => $place, name => "$subject->{what} $subject->{name}", volatile => $subject->{volatile} };
}

# ---------- what is defined ----------

# Each by what defines it, of a subject, and the relation that has it
my %definitions = (
	# one whose rows cannot be read stays out, for which of them a plan comes to is not defined
	policy => sub {
		my ($sql, $condition) = @_;

		return ("DO \$p\$ BEGIN ALTER POLICY p ON fuzz.guarded USING ($condition); SET LOCAL ROLE fuzz_user; PERFORM count(*) FROM guarded; RESET ROLE; END \$p\$;", 'guarded');
	},
	view => sub {
		my ($sql, $condition) = @_;

		return ('DROP VIEW IF EXISTS fuzz.drawn; CREATE VIEW fuzz.drawn ' . pick('', 'WITH (security_barrier) ') . "AS SELECT *, ($sql) AS extra FROM fuzz.indexed WHERE $condition; GRANT SELECT ON fuzz.drawn TO PUBLIC;", 'drawn');
	},
	index => sub { my ($sql) = @_; return ("DROP INDEX IF EXISTS fuzz.drawn_index; CREATE INDEX drawn_index ON fuzz.indexed (($sql)); ANALYZE fuzz.indexed;", 'indexed'); },
	statistics => sub { my ($sql) = @_; return ("DROP STATISTICS IF EXISTS fuzz.drawn_statistics; CREATE STATISTICS fuzz.drawn_statistics ON ($sql), k FROM fuzz.indexed; ANALYZE fuzz.indexed;", 'indexed'); });

# A definition with a subject in it, and statements that read what has it: (what defines it, statement, ...)
sub defined_statements
{
	my $kind = pick(sort keys %definitions);
	my %bare = map { my $type = $_; $type => [ map { s/^a\.//r } @{ of_alias('a')->{$type} } ] } keys %{ of_alias('a') };
	my $subject = subject(\%bare);

	return defined_statements() if $subject->{what} =~ /aggregate|window/ || $subject->{set} || $subject->{volatile};
	my $condition = condition($subject->{sql}, $subject->{type}, \%bare);
	my ($define, $table) = $definitions{$kind}->($subject->{sql}, $condition);
	my @asked = (
		"SELECT count(*), min(id) FROM $table", "SELECT k, sum(m), count(*) FROM $table WHERE $condition GROUP BY k", "SELECT a.k, count(q.id) FROM many a LEFT JOIN $table q ON a.id = q.id AND q.k < 4 GROUP BY a.k",
		groups($subject->{type}) ? "SELECT $subject->{sql}, count(*), max(id) FROM $table GROUP BY 1" : "SELECT count(*) FROM $table WHERE ($subject->{sql}) IS NOT NULL");
	push @asked, 'SELECT k, count(extra) FROM drawn WHERE extra IS NOT NULL GROUP BY k' if $kind eq 'view';
	return ($define, map { { sql => $_, place => $kind, name => "$subject->{what} $subject->{name}", volatile => 0 } } @asked);
}

1;
