# Random conditions, values and keys of strings of joins' inputs, whose tables the device makes of kept
# columns: the same rows as with gpuagg off.  Between the rounds strings come, go and change.
#
# GPUAGG_SEED and GPUAGG_QUERIES in the environment try others than the ones of every day.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261127;
my $queries = $ENV{GPUAGG_QUERIES} // 160;
my $per_round = 20;
srand $seed;

my $node = new_node('codes', 'shared_buffers = 64MB', 'autovacuum = off');
my $setup = slurp_file("$FindBin::RealBin/../../sql/setup.sql");
$setup =~ s/^CREATE EXTENSION gpuagg;$//m;
$node->safe_psql('postgres', $setup);

sub chance { return rand() < $_[0]; }

my $strings = q{CASE WHEN x % 13 > 0 THEN left('Word ' || x % 17 || ' of', 3 + x % 9) END};
$node->safe_psql('postgres', qq{
	CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE TABLE f AS SELECT x % 700 AS a, x % 90 AS b, x % 31 AS v, 'Word ' || x % 17 AS s, repeat('x', 60) AS pad
		FROM generate_series(1, 12000) x;
	CREATE TABLE p (k int PRIMARY KEY, t text, c char(10), w varchar(12) COLLATE "C", l text COLLATE blind, m int);
	CREATE TABLE q (k int2 PRIMARY KEY, t text NOT NULL, c char(12), w varchar(12), l text COLLATE blind, m int);
	INSERT INTO p SELECT x, $strings, $strings, $strings, $strings, x % 7 FROM generate_series(0, 500) x;
	INSERT INTO q SELECT x, 't' || x % 5, $strings, $strings, $strings, x % 3 FROM generate_series(0, 80) x;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) f, p, q');

# A condition on a string
sub condition
{
	my ($t) = @_;
	my $s = "$t." . pick(qw(t t c w l));
	my $word = pick("'Word 3'", "'Wor'", "''", "'Word 1 of'", "'t1'", 'NULL');

	return pick("$s = $word", "$s <> $word", "$s IN ('Word', 'Word 5', $word)", "$s IS NULL", "$s IS NOT NULL",
		"lower($s) = lower($word)", "length($s) > " . (3 + int rand 7), "$t.t LIKE '%1%'", "$t.c LIKE 'Word%'",
		"$t.c NOT LIKE 'Wor '", "$t.t ~ 'd [0-4]'", "$t.w > $word", "$t.t < $word", "$s IS DISTINCT FROM $word",
		"md5($t.t) < '8'", "coalesce($s = $word, " . pick('true', 'false') . ')', "left($t.t, 4) = 'Word'",
		"starts_with($t.t, 'W')", "$t.t || $t.w = 'Wor'", "$t.t = f.s", "$t.c = $t.w", "($s = $word) IS " . pick('TRUE', 'NOT TRUE', 'UNKNOWN'));
}

sub value
{
	my ($t) = @_;

	return pick("length($t.t)", "length($t.c)", "strpos($t.t, 'o')", "ascii($t.w)", "octet_length($t.l)",
		'CASE WHEN ' . condition($t) . ' THEN f.v WHEN ' . condition($t) . ' THEN 100 ELSE 0 END',
		"CASE $t.t WHEN 'Word 3' THEN 1 WHEN 'Wor' THEN f.v END");
}

sub query
{
	my @known = ('p');
	my $from = 'f ' . pick('JOIN', 'LEFT JOIN') . ' p ON a = p.k' . (chance(0.3) ? ' AND (' . condition('p') . pick(' OR f.v > 20', '') . ')' : '');
	my @keys;
	my @aggs = ('count(*)', 'sum(f.v)');

	if (chance(0.5))
	{
		$from .= ' ' . pick('JOIN', 'LEFT JOIN') . ' q ON b = q.k';
		push @known, 'q';
	}
	push @aggs, 'count(*) FILTER (WHERE ' . condition(pick(@known)) . ')' while chance(0.6) && @aggs < 6;
	push @aggs, pick('sum', 'max', 'count') . '(' . value(pick(@known)) . ')' while chance(0.5) && @aggs < 6;
	push @aggs, 'count(DISTINCT ' . pick(@known) . '.' . pick(qw(t c w m)) . ')' if chance(0.25);
	push @aggs, 'min(' . pick(@known) . '.' . pick(qw(t w)) . ')' if chance(0.1);
	while (chance(0.6) && @keys < 3)
	{
		my $t = pick(@known);
		push @keys, pick("$t.t", "$t.c", "$t.w", "$t.m", condition($t), value($t), "lower($t.t)", "$t.k", "upper($t.c) || $t.w");
	}
	# columns that follow from a key
	my @more = (grep { $_ eq 'p.k' } @keys) ? ('p.t', 'p.c') : ();
	my $where = chance(0.4) ? ' WHERE (' . condition(pick(@known)) . pick(' OR ', ' AND ') . pick(condition(pick(@known)), 'f.v < 20') . ')' : '';
	my $group = !@keys ? '' : ' GROUP BY ' . (chance(0.1) && !@more ? 'ROLLUP (' . join(', ', 1 .. @keys) . ')' : join(', ', 1 .. @keys));

	return 'SELECT ' . join(', ', @keys, @more, @aggs) . " FROM $from$where$group";
}

# Strings come, go and change; then pages are all-visible again, or not
sub change
{
	my $x = int rand 1000;

	return pick("UPDATE p SET t = 'new $x' WHERE k % 20 = " . $x % 20, "DELETE FROM p WHERE k = " . $x % 500,
		"INSERT INTO p SELECT 1000 + $x, 'Word $x', 'c $x', NULL, '', 1 ON CONFLICT DO NOTHING", 'ALTER TABLE q ALTER c TYPE char(' . (11 + $x % 3) . ')',
		"UPDATE q SET w = NULL, l = 'L $x' WHERE k % 9 = " . $x % 9, 'TRUNCATE q', "INSERT INTO q SELECT x, 't', 'c' || x, 'w', 'l', 2 FROM generate_series(81, 99) x ON CONFLICT DO NOTHING")
	  . pick('', '; VACUUM (FREEZE, ANALYZE) p, q', '; VACUUM (FREEZE, ANALYZE) p, q', '; VACUUM p, q');
}

my %outcomes;
my $different = 0;
my $asked = 0;
my $kept = 0;
while ($asked < $queries)
{
	my @queries = map { query() } 1 .. $per_round;
	my @answers = split /\n/, $node->safe_psql('postgres', "SET client_min_messages = warning;\n"
		  . join('', map { "SELECT replace(compare(\$q\$$_\$q\$, 'try'), E'\\n', ' ');\n" } @queries));

	foreach my $n (0 .. $#queries)
	{
		my $what = $answers[$n] =~ /^ok, not/ ? 'not on the device' : $answers[$n] =~ /^ok: / ? 'on the device'
		  : $answers[$n] =~ /^same error/ ? 'same error' : 'different';

		$outcomes{$what}++;
		diag("$queries[$n]\n  $answers[$n]\n") if $what eq 'different' && $different++ < 5;
	}
	my $plans = $node->safe_psql('postgres', 'SET gpuagg.debug_require = prefer;'
		  . join('', map { "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $_;" } @queries));
	$kept += () = $plans =~ /Look-up Joins: .*rows from kept columns/g;
	$asked += @queries;
	$node->safe_psql('postgres', $_) foreach split /; /, change();
}
is($different, 0, "strings of inputs (seed $seed)");
note("Summary: seed $seed, $asked queries: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes), "; tables of kept columns: $kept");
cmp_ok($outcomes{'on the device'} // 0, '>', $asked * 0.5, 'many were planned on the device');
SKIP:
{
	skip 'a GPU makes other tables', 1 if device_kind($node) ne 'host';
	cmp_ok($kept, '>', $asked * 0.2, 'for many the device made a table');
}
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
