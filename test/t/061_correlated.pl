# Random queries with scalar subqueries that depend on the row, with gpuagg off and with the device
# preferred: the same rows, or the same error.  Keys have NULLs, duplicates, several types; the
# subquery stands in WHERE of any query, with other conditions, joins and groupings around it, and
# compares, aggregates and reads in ways that can be a grouping and in ways that cannot.  RandomShapes.pm
# has what other schemas have.
#
# GPUAGG_SEED and GPUAGG_QUERIES in the environment try others than the ones of
# every day.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery;
use RandomShapes;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261126;
my $queries = $ENV{GPUAGG_QUERIES} // 240;
my $per_database = 40;
srand $seed;

my $node = new_node('correlated', 'shared_buffers = 64MB');
my $setup = slurp_file("$FindBin::RealBin/../../sql/setup.sql");
$setup =~ s/^CREATE EXTENSION gpuagg;$//m;
$node->safe_psql('postgres', $setup . q{
	CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		line text;
		runs bool := false;
	BEGIN
		SET LOCAL gpuagg.debug_require = 'prefer';
		FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
			runs := runs OR line ~ '^ *SubPlan';
		END LOOP;
		SET LOCAL gpuagg.debug_require = 'allow';
		RETURN CASE WHEN runs THEN 'each: ' ELSE 'grouped: ' END || replace(compare(query, CASE WHEN runs THEN 'any' ELSE 'try' END), E'\n', ' ');
	END $$;});

shape_functions($node);

sub chance { return rand() < $_[0]; }

# Columns: keys i, j of some integer types, s a string, d a day, n numeric, f floating point, l of another
# collation; values v, m
sub table
{
	my ($name, $rows, $spread) = @_;
	my $x = "((n * 7919 + " . int(rand 1000) . ") %% $spread)";
	my $null = 2 + int rand 30;

	return sprintf
	  "CREATE TABLE %s AS SELECT CASE WHEN n %% $null > 0 THEN ${x}::%s END AS i, ($x %% 7)::%s AS j, "
	  . "CASE WHEN n %% 11 > 0 THEN 'k' || $x %% 40 END AS s, date '2024-02-01' + $x AS d, "
	  . "(($x %% 60) / %d.0)::numeric%s AS n, CASE n %% 9 WHEN 0 THEN NULL WHEN 1 THEN float8 '-0' WHEN 2 THEN 'NaN' ELSE n %% 4 END::%s AS f, "
	  . "(CASE n %% 2 WHEN 0 THEN 'K' ELSE 'k' END || $x %% 30) COLLATE %s AS l, "
	  . "CASE WHEN n %% 5 > 0 THEN (n %% 23 - 4)::int4 END AS v, ((n %% 400) / 10.0)::numeric(6, 1) AS m FROM generate_series(1, %d) n;\n%sANALYZE %s;\n",
	  $name, pick(qw(int2 int4 int8)), pick(qw(int4 int8)), pick(1, 2), pick('', '(8, 1)', '(8, 2)'), pick('float4', 'float8'),
	  pick('"C"', '"en-x-icu"', 'case_blind'), $rows, chance(0.3) ? "CREATE INDEX ON $name (i);\n" : '', $name;
}

sub filter
{
	my ($t) = @_;

	return pick("$t.v > " . int(rand 8), "$t.v IS NULL", "$t.i < " . int(rand 60), "$t.j IN (1, 2, 5)", "$t.s LIKE 'k1%'",
		"$t.i IN (SELECT i FROM c WHERE j < 5)", "$t.m BETWEEN 3 AND 30", "$t.d > date '2024-02-20'", "coalesce($t.v, 0) <> 3",
		"EXISTS (SELECT FROM c WHERE c.i = $t.i)", "$t.j NOT IN (SELECT j FROM c WHERE j > 4)", "10 / $t.v > 1", shape_condition("$t.v"));
}

# x op (SELECT ...): of table o
sub subquery
{
	my ($o) = @_;
	my $value = pick('min(x.v)', 'max(x.v)', 'sum(x.v)', '0.2 * avg(x.m)', '0.5 * sum(x.m)', 'max(x.m)', 'count(*)', 'avg(x.v)',
		'min(x.v) + 1', 'sum(x.v) FILTER (WHERE x.j > 2)', 'coalesce(max(x.v), 3)', 'max(x.v) - ' . shape_call(), shape_count(), 'sum(' . shape_cast('x.v') . ')', 'max(x.m) * min(x.m) - 2', 'sum(x.n)');
	my $on = pick("x.i = $o.i", "$o.i = x.i", "x.i = $o.i", "x.i = $o.i AND x.j = $o.j", "x.s = $o.s", "x.d = $o.d", "x.n = $o.n",
		"x.n = $o.i", "x.f = $o.f", "x.l = $o.l COLLATE \"C\"", "x.l = $o.l COLLATE case_blind", "x.i = $o.j", "lower(x.s) = $o.s",
		"x.i = $o.i AND x.v < $o.v", "x.i = $o.i + 1", "x.i = $o.i AND x.s = $o.s");
	my $from = pick('f x', 'f x', 'f x JOIN c y ON x.j = y.i', 'f x, c y', 'f x LEFT JOIN c y ON x.i = y.i');

	$on .= ' AND ' . filter('x') if chance(0.3);
	$on .= ' AND y.j = x.j' if $from =~ / y$/ || ($from =~ / y / && chance(0.3));
	my $left = pick("$o.v", "$o.m", "$o.v", "$o.m + 1", "$o.v + 1");
	my $op = pick(qw(< > = <> <= >=));
	my $query = "(SELECT $value FROM $from WHERE $on)";

	return chance(0.2) ? "$query $op $left" : chance(0.1) ? "$left $op 0.3 * $query" : "$left $op $query";
}

sub random_query_of
{
	my $o = pick('a', 'b');
	my $where = subquery($o);

	$where .= ' AND ' . subquery($o) if chance(0.2);
	$where .= ' AND ' . filter($o) if chance(0.4);
	$where = filter($o) . " OR $where" if chance(0.05);
	my $from = pick($o, $o, "$o JOIN c ON c.i = $o.i", "c LEFT JOIN $o ON c.j = $o.j", "$o, c", "$o FULL JOIN c ON c.i = $o.i");
	$where = "c.j = $o.j AND $where" if $from =~ /,/;

	my $query = pick("SELECT $o.* FROM $from WHERE $where", "SELECT $o.j, count(*), sum($o.v) FROM $from WHERE $where GROUP BY $o.j",
		"SELECT count(*), min($o.m) FROM $from WHERE $where");
	return pick($query, $query, "SELECT count(*) FROM ($query) q",
		"SELECT c.i FROM c WHERE c.j IN (SELECT $o.j FROM $o WHERE " . subquery($o) . ')',
		"SELECT c.i FROM c WHERE EXISTS (SELECT FROM $o WHERE $o.i = c.i AND " . subquery($o) . ')',
		"WITH w AS MATERIALIZED ($query) SELECT count(*) FROM w");
}

my @settings = ('SET enable_hashjoin = off;', 'SET enable_mergejoin = off;', 'SET enable_nestloop = off;', '', '');
my %columns = map { $_ => $_ } qw(i v m s d);
my %outcomes;
my $asked = 0;
my $different = 0;
while ($asked < $queries)
{
	my $make = "CREATE COLLATION IF NOT EXISTS case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
	  . table('f', 600 + int rand 600, 80) . table('a', 120, 100) . table('b', 50, 60) . table('c', int rand 40, 30) . shape_tables('a', 'i');
	my @queries = map { pick(@settings) . "\n" . (chance(0.15) ? shape_query([ 'f', 'f', 'a', 'b' ], \%columns) : random_query_of()) } 1 .. $per_database;
	my $script = $make;

	foreach (@queries)
	{
		my ($set, $query) = split /\n/;

		$script .= "$set SELECT answer(\$q\$$query\$q\$); RESET ALL;\n";
	}
	my ($rc, $out, $err) = $node->psql('postgres', "SET client_min_messages = warning;\n$script " . shape_drop() . ' DROP TABLE f, a, b, c;',
		on_error_stop => 1);
	my @answers = split /\n/, $out;

	if ($rc != 0 || @answers != @queries)
	{
		fail('every query is answered');
		diag("$make\n$err\nof query " . (@answers + 1) . ": $queries[@answers]");
		last;
	}
	foreach my $n (0 .. $#queries)
	{
		my $what = $answers[$n] =~ /^(each|grouped): (?:ok|same error)/ ? $1 : 'different';

		$outcomes{$what}++;
		diag("$make$queries[$n]\n  $answers[$n]\n") if $what eq 'different' && $different++ < 5;
	}
	$asked += @queries;
}
cmp_ok($asked, '>=', $queries, 'so many were asked');
is($different, 0, "random subqueries (seed $seed)");
never_refused($node);
note("Summary: seed $seed, $asked queries: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes));
cmp_ok($outcomes{grouped} // 0, '>', $asked * 0.2, 'many were grouped');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
