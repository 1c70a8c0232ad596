# Random joins of random tables, grouped, with gpuagg off and on: the same rows, or
# an error of the same kind.  Keys have NULLs, misses, several widths and types, are
# unique or not; among them char(n) against text, numeric against integers, floating point
# with -0 and NaN, strings under a collation of ICU's; some inputs are empty.  Joins are inner, left, right,
# EXISTS and NOT EXISTS, IN and NOT IN, in ON and WHERE, nested and chained; settings make PostgreSQL join in
# other ways.  The largest table may be partitioned, have child tables, or be a UNION ALL.  RandomShapes.pm
# has what other schemas have: calls of functions, tables of which nothing is left, inputs that are plans, constants.
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

my $seed = $ENV{GPUAGG_SEED} // 20260427;
my $queries = $ENV{GPUAGG_QUERIES} // 400;
my $per_database = 40;
srand $seed;

my $node = new_node('joins', 'shared_buffers = 64MB');
regress_functions($node);
shape_functions($node);
$node->safe_psql('postgres', 'CREATE TYPE pair AS (x int4, y int4)');

sub chance { return rand() < $_[0]; }

# Columns of all tables: keys i, j of some integer types, s a string, d a day, and of types that devices
# join seldom or not: c of char(n), b a bpchar whose equal strings have more blanks or fewer, n numeric, f floating
# point, l a string under a collation, r a row, some of them of NULLs; values v, w, m
sub table
{
	my ($name, $rows, $spread, $unique) = @_;
	my $x = "((n * 7919 + " . int(rand 1000) . ") % $spread)";
	my $null = 2 + int rand 30;
	my $i = pick(qw(int2 int4 int8));
	my $script = sprintf
	  "CREATE TABLE %s AS SELECT %s AS i, %s AS j, %s AS s, %s AS d, "
	  . "CASE WHEN n %% 5 > 0 THEN (n %% 23 - 9)::int4 END AS v, (n %% 64) / 8.0::float8 AS w, "
	  . "((n %% 400) / 10.0)::numeric(%s) AS m, "
	  . "CASE WHEN n %% 19 > 0 THEN %s END AS c, %s AS n, "
	  . "CASE n %% 9 WHEN 0 THEN NULL WHEN 1 THEN float8 '-0' WHEN 2 THEN 'NaN' ELSE n %% 4 END::%s AS f, "
	  . "%s COLLATE %s AS l, ('k' || (%s) %% 40 || repeat(' ', n %% 3))::bpchar AS b, "
	  . "ROW(NULLIF(n %% 4, 1), NULLIF(n %% 2, 1))::pair AS r FROM generate_series(1, %d) n;\n",
	  $name,
	  $unique eq 'i' ? "(n - $rows / 3)::$i" : "CASE WHEN n % $null > 0 THEN ($x % 30000)::$i END",
	  sprintf('CASE WHEN n %% 13 > 0 THEN (%s %% %d)::%s END', $x, 3 + int rand 40, pick(qw(int4 int8))),
	  $unique eq 's' ? "'k' || n" : "CASE WHEN n % 11 > 0 THEN 'k' || $x END",
	  "CASE WHEN n % 17 > 0 THEN date '2024-02-01' + ($x % 200)::int4 END",
	  pick('6, 1', '6, 1', '10, -1'), sprintf("('k' || (%s %% 50))::char(%d)", $x, 4 + int rand 3),
	  sprintf('((%s %% 60) / %d.0)::numeric%s', $x, pick(1, 2), pick('', '(8, 1)', '(8, 2)')),
	  pick('float4', 'float8'), "(CASE WHEN n % 3 > 0 THEN 'K' ELSE 'k' END || ($x % 40))", pick('"C"', '"en-x-icu"', 'case_blind'), $x, $rows;
	$script .= "CREATE UNIQUE INDEX ON $name ($unique);\n" if $unique ne '';
	$script .= "CREATE INDEX ON $name (i);\n" if chance(0.3);
	$script .= "ALTER TABLE $name ALTER r SET NOT NULL;\n" if chance(0.5);
	return $script . "ANALYZE $name;\n";
}

# A condition that compares columns of one table with constants
sub filter
{
	my ($t) = @_;

	return pick("$t.v > " . int(rand 8), "$t.v IS NULL", "$t.w < " . int(rand 8),
		"$t.i % 3 = 1", "$t.d > date '2024-04-01'", "$t.s LIKE 'k1%'", "coalesce($t.v, 0) <> 3",
		"$t.m BETWEEN 3 AND 30", "$t.j IN (1, 2, 5)", "$t.v <> 2", shape_condition("$t.v"));
}

# ON of two tables; the second is looked up
sub on
{
	my ($a, $b) = @_;
	my $on = pick("$a.i = $b.i", "$a.i = $b.i", "$a.i = $b.i", "$a.j = $b.i", "$a.v = $b.i", "$a.s = $b.s",
		"$a.d = $b.d", "$a.i + 1 = $b.i", "$a.i - " . shape_call() . " = $b.i", "$a.i = $b.i AND $a.j = $b.j", "$a.c = $b.c", "$a.c = $b.b", "$a.s = $b.c", "$a.c = $b.s",
		"$a.c::text = $b.s", "$a.n = $b.n", "$a.n = $b.i", "$a.i = $b.n", "$a.f = $b.f", "$a.l = $b.l COLLATE \"C\"",
		"$a.i = $b.i AND $a.f = $b.f", "$a.i = $b.i AND $a.n = $b.n", "$a.v = $b.v AND $a.l = $b.l COLLATE case_blind",
		"$a.s = $b.s AND $a.c = $b.c", "$a.s = $b.s AND $a.i = $b.i", "$a.s = $b.s AND $a.d = $b.d AND $a.j = $b.j",
		"$a.i = $b.i AND $a.s = $b.s AND $a.n = $b.n AND $a.l = $b.l COLLATE \"C\"", "$a.i = $b.i AND $a.j = $b.j AND $a.n = $b.n");

	$on .= ' AND ' . pick(filter($a), filter($b), "$a.v < $b.v", "$a.w + $b.w > 4", "$a.m = $b.m")
	  if chance(0.35);
	return $on;
}

sub join_query
{
	my ($tables) = @_;
	my $fact = 'f';
	my $from = "f";
	my @known = ('f');
	my @where;

	foreach my $n (1 .. 1 + int rand 4)
	{
		my $table = pick(@$tables);
		my $alias = "t$n";
		my $left = chance(0.6) ? 'f' : pick(@known);
		my $kind = rand;

		if ($kind < 0.65)
		{
			my $input = chance(0.2) ? "(SELECT * FROM $table WHERE " . filter($table) . ')'
			  : chance(0.1) ? "(SELECT i, min(j) AS j, min(s) AS s, max(d) AS d, max(v) AS v, max(w) AS w, max(m) AS m, min(c) AS c, max(n) AS n, min(f) AS f, min(l COLLATE \"C\") AS l, 'k1 '::bpchar AS b, ROW(min(v), NULL)::pair AS r FROM $table GROUP BY i)"
			  : $table;

			$from .= ' ' . pick('JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN') . " $input $alias ON " . on($left, $alias);
			push @known, $alias;
		}
		elsif ($kind < 0.72)
		{
			$from = "$table $alias RIGHT JOIN " . ($from eq 'f' ? $from : "($from)") . ' ON ' . on($left, $alias);
			push @known, $alias;
		}
		elsif ($kind < 0.9)
		{
			push @where, pick('', 'NOT ') . "EXISTS (SELECT 1 FROM $table $alias WHERE " . on($left, $alias) . ')';
		}
		else
		{
			my $column = pick(qw(i i s n c f));
			my $filter = filter($table);

			$filter .= " AND $column IS NOT NULL" if chance(0.5);
			push @where, "$left.$column " . pick('', 'NOT ') . "IN (SELECT $column FROM $table WHERE $filter)";
		}
	}
	push @where, filter(pick(@known)) while chance(0.4);
	push @where, pick(@known) . '.v IS NULL' if chance(0.1);
	push @where, pick(@known) . '.r IS NULL' if chance(0.15);
	# which of 0 and -0 stands for a group is not defined
	my @keys = map { my $t = pick(@known); chance(0.03) ? "$t.v + " . shape_call("$t.v") : chance(0.05) ? "octet_length($t.b)" : "$t." . pick(qw(j s d v m j s d v m c n), 'f + 0', 'r IS NULL') } 1 .. int rand 3;
	my ($a, $b) = (pick(@known), pick(@known));
	my @aggs = ('count(*)', "count($a.v)", pick("sum($a.v * $b.v)", "sum($a.w)", "min($b.m)", "max($a.d)",
			chance(0.2) ? "sum(10 / $a.v)" : "min($a.v)", "sum(octet_length($b.b))", shape_count(), 'sum(' . shape_cast("$a.v") . ')', "count(*) FILTER (WHERE $b.b LIKE 'k1% ')"),
		pick("sum($b.v) FILTER (WHERE $a.w > 3)", "sum(CASE WHEN $a.i IS NULL THEN 1 ELSE $b.v END)", "avg($b.j)"));

	return 'SELECT ' . join(', ', @keys, @aggs) . " FROM $from"
	  . (@where ? ' WHERE ' . join(' AND ', @where) : '')
	  . (@keys ? ' GROUP BY ' . join(', ', 1 .. @keys) : '');
}

my @settings = ('', '', 'SET enable_hashjoin = off;', 'SET enable_mergejoin = off;', 'SET enable_nestloop = off;',
	'SET enable_hashjoin = off; SET enable_mergejoin = off;', 'SET join_collapse_limit = 1;',
	'SET gpuagg.debug_filters = always;', 'SET gpuagg.debug_filters = always; SET gpuagg.cost_scale = 0.001;',
	"SET gpuagg.strategy = 'partitioned';", 'SET gpuagg.cost_scale = 0.001;', 'SET enable_indexscan = off; SET enable_bitmapscan = off;');
# The largest table as several, in the place of the one; no statement: as it is
sub fact
{
	return pick('', '', q{
		ALTER TABLE f RENAME TO all_f;
		CREATE TABLE f (LIKE all_f) PARTITION BY RANGE (v);
		CREATE TABLE f1 PARTITION OF f FOR VALUES FROM (-10) TO (0);
		CREATE TABLE f2 (LIKE all_f);
		ALTER TABLE f2 DROP COLUMN s, ADD COLUMN s text, ALTER v SET NOT NULL;
		ALTER TABLE f ATTACH PARTITION f2 FOR VALUES FROM (0) TO (5);
		CREATE TABLE f3 PARTITION OF f DEFAULT;
		INSERT INTO f SELECT * FROM all_f;
		DROP TABLE all_f;
		ANALYZE f;}, q{
		CREATE TABLE f1 (more int) INHERITS (f);
		WITH gone AS (DELETE FROM f WHERE v > 3 RETURNING *) INSERT INTO f1 SELECT *, 1 FROM gone;
		ANALYZE f, f1;}, q{
		CREATE TABLE f1 AS SELECT * FROM f WHERE v > 3;
		ALTER TABLE f RENAME TO f2;
		ANALYZE f1, f2;
		CREATE VIEW f AS SELECT * FROM f1 UNION ALL SELECT i, j, 'k1', d, v, w, m, c, n, f, l, b, r FROM f2;});
}

my %columns = map { $_ => $_ } qw(i v m s d w);
my %outcomes;
my $different = 0;
my $asked = 0;
while ($asked < $queries)
{
	my @tables = ('a', 'b', 'c', 'e');
	my $make = "CREATE COLLATION IF NOT EXISTS case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
	  . table('f', 1500 + int rand 3000, 1000, '') . fact() . table('a', 300, 300, 'i') . table('b', 90, 90, 's') .
	  table('c', 40, 25, '') . table('e', int rand 3, 5, 'i') . shape_tables('a', 'i');
	my @queries = map { pick(@settings) . "\n" . (chance(0.2) ? shape_query([ 'f', 'a', 'b', 'c', 'c' ], \%columns) : join_query(\@tables)) } 1 .. $per_database;
	my $script = $make;

	foreach (@queries)
	{
		my ($set, $query) = split /\n/;

		$script .= "$set SELECT replace(" . compared($query) . ", E'\\n', ' '); RESET ALL;\n";
	}
	my ($rc, $out, $err) = $node->psql('postgres',
		"SET client_min_messages = warning;\n$script " . shape_drop() . " DROP TABLE IF EXISTS f2, a, b, c, e CASCADE; DROP TABLE IF EXISTS f CASCADE; DROP TABLE IF EXISTS f1;",
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
		# where several errors wait, the first depends on the plan
		my $what = $answers[$n] =~ /^ok, not/ ? 'not on the device' : $answers[$n] =~ /^ok: / ? 'on the device'
		  : $answers[$n] =~ /^same error/ ? 'same error' : 'different';

		$outcomes{$what}++;
		diag("$make$queries[$n]\n  $answers[$n]\n") if $what eq 'different' && $different++ < 5;
	}
	$asked += @queries;
}
cmp_ok($asked, '>=', $queries, 'so many were asked');
is($different, 0, "random joins (seed $seed)");
never_refused($node);
note("Summary: seed $seed, $asked queries: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes));
cmp_ok($outcomes{'on the device'} // 0, '>', $asked * 0.2, 'many were planned on the device');
# a look-up table that the device has made of kept columns goes when it is not needed any more
$node->safe_psql('postgres', q{
	CREATE TABLE facts AS SELECT i % 300 AS k FROM generate_series(1, 20000) i;
	CREATE TABLE names AS SELECT i AS k, 'n' || i % 7 AS n FROM generate_series(0, 299) i;
	ALTER TABLE names ADD PRIMARY KEY (k);});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) facts, names');
like(
	$node->safe_psql('postgres', q{
		SET gpuagg.debug_require = 'require';
		SELECT n, count(*) FROM facts JOIN names USING (k) GROUP BY n;
		EXPLAIN (ANALYZE) SELECT n, count(*) FROM facts JOIN names USING (k) GROUP BY n}),
	qr/from kept columns/, 'a table made of kept columns');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
