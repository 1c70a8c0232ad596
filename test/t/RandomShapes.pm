# RandomShapes.pm
#		What the tables and queries of the random tests do not have by themselves: functions
#		of any number of arguments, tables of which nothing is left, inputs that are plans,
#		filters and aggregates of any type, constants that are counted, decimals of any scale,
#		orders by averages.  srand() decides all of it.
package RandomShapes;

use strict;
use warnings;

use Exporter 'import';
use RandomQuery;
use Test::More;

our @EXPORT = qw(shape_functions shape_call shape_condition shape_cast shape_count shape_tables shape_drop shape_query
  shape_forms compared never_refused);

sub chance { return rand() < $_[0]; }

# ---------- functions ----------

# Functions without arguments, with defaults and VARIADIC, for a test's server
sub shape_functions
{
	my ($node) = @_;

	return $node->safe_psql('postgres', q{
	CREATE FUNCTION shape_one() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
	CREATE FUNCTION shape_two() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 2; END';
	CREATE FUNCTION shape_three() RETURNS int STABLE LANGUAGE sql AS 'SELECT 3';
	CREATE FUNCTION shape_four() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 4';
	CREATE FUNCTION shape_default(int DEFAULT 3, int DEFAULT 4) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 % 1000 + $2; END';
	CREATE FUNCTION shape_sql(int DEFAULT 5) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 % 1000 - 1';
	CREATE FUNCTION shape_many(VARIADIC int[]) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN cardinality($1); END';
	CREATE FUNCTION shape_most(VARIADIC int[] DEFAULT '{2}') RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT max(x) FROM unnest($1) x';
	CREATE FUNCTION shape_day() RETURNS date STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN date '2024-04-01'; END $$;
	CREATE FUNCTION shape_true() RETURNS bool STABLE LANGUAGE plpgsql AS 'BEGIN RETURN true; END';});
}

# An int4 of a function: of an integer, if there is one, or of none
sub shape_call
{
	my ($x) = @_;

	return pick('shape_one()', 'shape_two()', 'shape_three()', 'shape_four()', 'shape_default()', 'shape_sql()', 'shape_most()', 'shape_many(1, 2)')
	  if !defined $x || chance(0.6);
	return pick("shape_default(($x)::int)", "shape_default(($x)::int, 2)", "shape_sql(($x)::int)", "shape_many(($x)::int, 2, shape_one())", "shape_most(($x)::int, 1)");
}

# A condition of an integer, by a function
sub shape_condition
{
	my ($x) = @_;
	my $call = shape_call(chance(0.3) ? $x : undef);

	return pick("$x = $call", "$x > $call", "$x <> $call", "$x IN ($call, shape_one(), 7)", "coalesce($x, $call) >= $call",
		"$x - $call < 9", 'shape_true()', "(shape_true() AND $x IS NOT NULL)", shape_cast($x) . ' >= 0', "(abs($x % 30000)::int2)::oid <> 5");
}

# ---------- decimals and constants ----------

# A small number with the digits that a type keeps: fewer than all before the point, or more than it has behind it
sub shape_cast
{
	my ($x) = @_;

	return pick("($x / 1e24)::numeric(20,22)", map { "($x)::numeric($_)" } '38,-1', '30,-3', '20,-2', '38,-9', '25,0', '38,6', '2,-38');
}

# count() of a constant of any type
sub shape_count
{
	return 'count(' . pick("'x'", '1.5', 'NULL', 'NULL::numeric', "'{}'::jsonb", 'NULL::jsonb', 'ARRAY[1, 2]', 'NULL::int[]', 'row(1, NULL)',
		"point '(1,2)'", "date '2020-01-01'", '7', 'true', q{'a'::"char"}, 'int4range(1, 2)', "interval '1 day'", "'x'::bpchar", "bit '101'",
		"'x'::text", '7::int8', '1.5::float8', "'1.5'::money", "box '((0,0),(1,1))'", "'a b'::tsvector", "inet '1.2.3.4'", "'\\x00'::bytea") . ')';
}

# ---------- tables ----------

# Tables like another one, of which conditions leave nothing (empty() below): without a partition, with one, inherited;
# and a barrier view
sub shape_tables
{
	my ($like, $i) = @_;

	return "CREATE TABLE shape_gone (LIKE $like) PARTITION BY RANGE ($i);\nCREATE TABLE shape_few (LIKE $like) PARTITION BY RANGE ($i);\n"
	  . "CREATE TABLE shape_few_1 PARTITION OF shape_few FOR VALUES FROM (0) TO (100);\n"
	  . "INSERT INTO shape_few SELECT * FROM $like WHERE $i >= 0 AND $i < 100;\n"
	  . "CREATE TABLE shape_parent (LIKE $like);\nCREATE TABLE shape_child () INHERITS (shape_parent);\n"
	  . "INSERT INTO shape_child SELECT * FROM $like WHERE $i < 50;\n"
	  . "CREATE VIEW shape_barrier WITH (security_barrier) AS SELECT * FROM $like;\nANALYZE shape_few, shape_parent;\n";
}

sub shape_drop { return "DROP VIEW IF EXISTS shape_barrier; DROP TABLE IF EXISTS shape_gone, shape_few, shape_parent CASCADE;"; }

# A table and a condition of it that leave nothing; sometimes something
sub empty
{
	my ($t, $of) = @_;
	my $i = "$t.$of->{i}";
	my $table = pick('shape_few', 'shape_parent', 'shape_gone', 'shape_few', "(SELECT * FROM shape_few WHERE $of->{i} > 500 UNION ALL SELECT * FROM shape_parent WHERE false)");

	return ($table, pick("$i > 60 AND $i < 50", 'false', 'NULL', $table eq 'shape_few' ? ("$i > 500", "$i >= 100") : (), "$i < 5"));
}

# An input that is a plan's rows, and the columns that it has
sub plan_input
{
	my ($table, $t, $of) = @_;
	my %seen;
	my $list = join ', ', grep { !$seen{$_}++ } map { $of->{$_} } sort keys %$of;

	return ("generate_series(" . pick(0, 5) . ", " . pick(3, 40, 300) . ") $t(i)", { i => 'i', v => 'i' }) if chance(0.12);
	return ("(VALUES " . join(', ', map { '(' . pick(1 .. 30, 'NULL') . ", 'k$_')" } 1 .. 2 + int rand 9) . ") $t(i, s)", { i => 'i', v => 'i', s => 's' }) if chance(0.1);
	return (pick("(SELECT DISTINCT $list FROM $table)", "(SELECT $list FROM $table OFFSET 0)", "(SELECT $list, count(*) AS more FROM $table GROUP BY $list)",
			"(SELECT $list FROM $table UNION ALL SELECT $list FROM $table)", "(WITH w AS MATERIALIZED (SELECT $list FROM $table) SELECT * FROM w)", 'shape_barrier') . " $t", $of);
}

# ---------- queries ----------

# Its columns' names with this in front
sub prefixed { my ($t, $of) = @_; return map { $_ => "$t.$of->{$_}" } keys %$of; }

# An aggregate over columns (i, v: integers; m numeric, s text, d date, w exact floating point, or fewer), FILTER
# by a condition
sub aggregate
{
	my ($filter, %of) = @_;
	my $number = pick(grep { defined } @of{qw(v v m w)});
	my $any = pick(grep { defined } @of{qw(v i s d)});
	my @forms = (("sum($number)", "avg($number)", "min($any)", "max($any)") x 2, pick(qw(variance stddev var_pop stddev_pop)) . "($number)",
		"count(DISTINCT $any)", "count($any)", "bit_or($of{v})", "mode() WITHIN GROUP (ORDER BY $of{v})",
		pick(qw(percentile_disc percentile_cont)) . "(0.5) WITHIN GROUP (ORDER BY $of{v})", 'sum(' . shape_cast($of{v}) . ')', "bool_and($of{v} > " . shape_call() . ')',
		"sum($of{i} + " . shape_call() . ')', "max((abs($of{v} % 30000)::int2)::oid)", shape_count());

	push @forms, "string_agg($of{s}, ',' ORDER BY $of{s} COLLATE \"C\")", "min(DISTINCT $of{s})", "max($of{s})" if $of{s};
	push @forms, "max($of{d} - shape_day())", "max($of{d})" if $of{d};
	return pick(@forms) . ($filter ? " FILTER (WHERE $filter)" : '');
}

# A condition of an input for FILTER
sub input_condition
{
	my (%of) = @_;

	return pick(shape_condition($of{v}), "$of{v} % 2 = 0", "$of{i} > 5", "$of{v} IS NULL", $of{s} ? ("$of{s} LIKE 'k1%'", "$of{s} = 'k1'") : (), $of{d} ? "$of{d} > shape_day()" : ());
}

# The first groups: in an order by an aggregate and the key
sub top_n
{
	my ($query, $by) = @_;

	return "$query ORDER BY $by" . pick('', ' DESC') . pick('', ' NULLS FIRST', ' NULLS LAST') . ', 1 LIMIT ' . pick(1, 3, 10);
}

# A join of two of the tables, or of plans over them, or with one of which nothing is left; $of: names of the
# columns that aggregate() knows.
sub shape_query
{
	my ($tables, $of) = @_;
	my ($left, $left_of) = chance(0.5) ? plan_input(pick(@$tables), 'x', $of) : (pick(@$tables) . ' x', $of);
	my ($table, $on) = chance(0.4) ? empty('y', $of) : (pick(@$tables), chance(0.3) ? shape_condition("y.$of->{v}") : '');
	my ($right, $right_of) = $table !~ /shape/ && chance(0.4) ? plan_input($table, 'y', $of) : ("$table y", $of);
	my %x = prefixed('x', $left_of);
	my %y = prefixed('y', $right_of);
	my $by = chance(0.8) ? 'i' : 'v';
	my $key = $x{$by} . (chance(0.15) ? ' + ' . shape_call() : '');
	my $from;
	my $where = '';

	$on = 'true' if $on eq '' || $right_of != $of;
	$on = "$key = $y{$by}" . ($on eq 'true' ? '' : " AND $on");
	if (chance(0.2))
	{
		$from = $left;
		$where = ' WHERE ' . pick("NOT EXISTS (SELECT FROM $right WHERE $on)", "$key NOT IN (SELECT $y{$by} FROM $right WHERE " . ($on =~ s/^.*? = \S+(?: AND )?//r || 'true') . ')');
		%y = %x;
	}
	else { $from = chance(0.15) ? "$right RIGHT JOIN $left ON $on" : $left . pick(' JOIN ', ' LEFT JOIN ', ' LEFT JOIN ') . "$right ON $on"; }
	my $side = chance(0.5);
	my ($of_rows, $of_filter) = $side ? (\%x, \%y) : (\%y, \%x);
	my @keys = chance(0.2) ? () : (pick($x{v}, $x{i}, $y{v}, $x{v} . ' + ' . shape_call(), '(' . shape_cast($x{v}) . ')', $x{s} // $x{i}));
	my @aggregates = map { aggregate(chance(0.5) ? input_condition(%$of_filter) : undef, %$of_rows) } 1 .. 1 + int rand 3;

	push @aggregates, 'count(*)', (chance(0.3) ? (shape_count(), shape_count()) : ());
	$where .= ($where ? ' AND ' : ' WHERE ') . input_condition(%x) if chance(0.2);
	my $query = 'SELECT ' . join(', ', @keys, @aggregates) . " FROM $from$where";
	return $query unless @keys;
	$query .= ' GROUP BY 1';
	$query .= ' HAVING ' . pick('count(*) > ' . shape_call(), "avg($x{v}) > shape_one()", "sum($x{v}) IS NOT NULL", "max($x{i}) <> shape_default()") if chance(0.2);
	$query = top_n($query, pick(2 .. 1 + @aggregates)) if chance(0.15);
	return chance(0.2) ? top_n("SELECT $keys[0], " . pick("avg($x{v})", "sum($x{v})", $x{m} ? "avg($x{m})" : "avg($x{i})") . ", count(*) FROM $from$where GROUP BY 1", 2) : $query;
}

# RandomQuery.pm's expressions, with these besides
sub shape_forms
{
	my ($node) = @_;

	shape_functions($node);
	RandomQuery::more_forms('int4', sub { shape_call("($_[0] % 1000)") }, 'int4');
	RandomQuery::more_forms('bool', sub { '(' . shape_condition("($_[0] % 1000)") . ')' }, 'int4');
	RandomQuery::more_forms('numeric', sub { shape_cast("($_[0])") }, pick(qw(int8 int4)));
	RandomQuery::more_forms('oid', sub { "(abs($_[0] % 30000)::int2)::oid" }, 'int4');
	RandomQuery::more_forms('date', sub { 'shape_day()' }, 'date');
	# that counts leap seconds, where the machine has such
	return unless $node->safe_psql('postgres', q{SELECT count(*) FROM pg_timezone_names WHERE name = 'right/UTC'});
	RandomQuery::more_forms('timestamp', sub { "($_[0] AT TIME ZONE 'right/UTC')" }, 'timestamptz');
	RandomQuery::more_forms('timestamptz', sub { "date_trunc('minute', $_[0], 'right/UTC')" }, 'timestamptz');
	return;
}

# ---------- answers ----------

# A call of compare(); variances of floating point may be off
sub compared
{
	my ($query) = @_;

	return "compare(\$q\$$query\$q\$, 'try'" . ($query =~ /(?:var|stddev)\w*\(\w+\.w\)/ ? ', 1e-9' : '') . ')';
}

# No task that the planner made was refused by the device or its worker.
sub never_refused
{
	my ($node) = @_;

	return is($node->safe_psql('postgres', q{SELECT string_agg(name || ' ' || value, ', ') FROM gpuagg.stat
			WHERE name IN ('fallbacks_device', 'fallbacks_unsupported') AND value > 0}), '', 'no task was refused');
}

1;
