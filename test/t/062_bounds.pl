# Random joins whose inputs have numerics without a scale, compared with what has one, with gpuagg off
# and with the device preferred: the same rows, or the same error.  Values lie at decimals of the other
# side's scale, a little beside them, or are none; they are columns of tables, averages, quotients; the
# comparison stands in WHERE, ON, FILTER, CASE, EXISTS and as a key.
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
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261127;
my $queries = $ENV{GPUAGG_QUERIES} // 240;
my $per_database = 40;
srand $seed;

my $node = new_node('bounds', 'shared_buffers = 64MB');
my $setup = slurp_file("$FindBin::RealBin/../../sql/setup.sql");
$setup =~ s/^CREATE EXTENSION gpuagg;$//m;
$node->safe_psql('postgres', $setup . q{
	CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		line text;
		joins bool := false;
	BEGIN
		SET LOCAL gpuagg.debug_require = 'prefer';
		FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
			joins := joins OR line ~ '(Join|Nested Loop|SubPlan).*\(cost';
		END LOOP;
		SET LOCAL gpuagg.debug_require = 'allow';
		RETURN CASE WHEN joins THEN 'joined: ' ELSE 'looked up: ' END || replace(compare(query, 'try'), E'\n', ' ');
	END $$;});

sub chance { return rand() < $_[0]; }

# What is added to a decimal: nothing, less than one of any scale, or about as much
sub beside { return pick('0', '0', '1e-30', '-1e-30', '0.00001', '-0.00001', '0.004', '-0.005', '0.5', '-0.25', '1e-200'); }

# Values of f's x and y, an integer i, a key k; of d's v and w, each with a key k and a column j of its own
sub tables
{
	my $scale = int rand 5;
	my $x = sprintf '((n * 7919 + %d) %% %d - %d) / 10.0 ^ %d', int rand 1000, 20 + int rand 400, int rand 200, $scale;
	my $rare = 20 + int rand 200;
	my $strange = pick("'NaN'", "'Infinity'", '1e30', "'NaN'", "'-Infinity'", '-1e30', 'NULL', '9223372036854775807', '9223372036854775807.5',
		'-9223372036854775807.5');
	my $wide = pick('int8', 'int4', 'numeric(19, 3)', 'numeric');
	my $edge = $wide eq 'int8' ? pick(qw(9223372036854775807 -9223372036854775808 0)) : $wide eq 'numeric(19, 3)' ? '9223372036854775.807' : '7';
	my $rows = 200 + int rand 1200;
	my $keys = 10 + int rand 60;

	return join '',
	  "CREATE TABLE f AS SELECT n AS id, (n % $keys)::" . pick('int4', 'int8', 'int2') . " AS k, n % 5 AS g, CASE WHEN n % 13 > 0 THEN ($x)::numeric END::"
	  . pick('numeric', "numeric(8, $scale)", 'numeric(12, 4)', 'numeric(6)') . " AS x, CASE WHEN n % 50 = 0 THEN $edge ELSE n % 9 - 4 END::$wide AS y, "
	  . '(n % 11 - 5)::' . pick('int2', 'int4', 'int8') . " AS i FROM generate_series(1, $rows) n;\n",
	  map {
		my $beside = join ' ', map { '+ CASE WHEN n % ' . (2 + int rand 4) . ' = 1 THEN ' . beside() . ' ELSE 0 END' } 1 .. 2;
		my $type = $strange =~ /inf/i ? 'numeric' : pick('numeric', 'numeric', 'numeric(60, 25)');

		"CREATE TABLE $_ AS SELECT n::" . pick('int4', 'int8') . " AS k, n % 7 AS j, CASE WHEN n % $rare = 0 THEN $strange WHEN n % 12 = 0 THEN NULL "
		  . "ELSE ($x)::numeric $beside END::$type AS v, (n % 200 - 90)::numeric(10, 2) AS w FROM generate_series(0, "
		  . ($keys - 1 + int rand 5) . ") n;\nALTER TABLE $_ ADD PRIMARY KEY (k);\n"
	  } qw(d e);
}

# An input with a key k, named $_[0], and what it has that is compared
sub input
{
	my ($d) = @_;
	my $table = pick('d', 'e');

	return pick([ "$table $d", "$d.v" ], [ "$table $d", "$d.v" ], [ "$table $d", pick("$d.w / 3", "round($d.w / 7, 5)", "-($d.w / -1.5)", "abs($d.w / 4)") ],
		[ "(SELECT * FROM $table WHERE j < 5) $d", "$d.v" ],
		[ "(SELECT k, " . pick('avg(x)', '0.2 * avg(y)', 'avg(i) - 1', 'sum(x) / 7', 'max(x)', 'avg(x) FILTER (WHERE i > 3)') . " AS a FROM f GROUP BY k) $d", "$d.a" ],
		[ "(SELECT DISTINCT ON (k) k, v AS a FROM $table ORDER BY k, j) $d", "$d.a" ]);
}

sub comparison
{
	my ($v) = @_;

	$v = pick("coalesce($v, 0.5)", "coalesce($v, f.y)", "$v * 1.5", "$v - 1", "abs($v)") if chance(0.2);
	my $x = pick('f.x', 'f.x', 'f.x', 'f.y', 'f.i', 'f.x + 1', 'f.x * f.i', '-f.y', 'f.i + 0.25', pick('0', '1.25', '-0.5', '2'), 'round(f.x, 1)', 'abs(f.x)');
	my $op = pick(qw(< <= = <> >= >));
	my $c = chance(0.5) ? "$x $op $v" : "$v $op $x";

	$c = "$x BETWEEN $v AND " . pick('f.y', $v, '3') if chance(0.1);
	return pick($c, $c, $c, "NOT ($c)", "($c OR f.i = 2)", "($c OR $v IS NULL)", "($c) IS NOT TRUE", "($c AND f.g > 1)");
}

sub random_query_of
{
	my ($from, $v) = @{ input('p') };
	my ($c, $other) = (comparison($v), comparison($v));
	my ($second, $w) = @{ input('q') };
	my $on = pick('p.k = f.k', 'f.k = p.k', 'p.k = f.g', 'p.k = f.i');
	my $sums = pick('count(*), sum(f.id)', "count(*) FILTER (WHERE $other), min(f.id)", "sum(CASE WHEN $other THEN f.id ELSE 1 END)", 'count(p.k)',
		"count(*) FILTER (WHERE NOT ($other)), sum(f.x)");
	my $key = pick('f.g', 'f.g', 'f.i', "($other)");
	my $join = pick("f JOIN $from ON $on AND $c", "f LEFT JOIN $from ON $on AND $c", "f LEFT JOIN $from ON $on", "f JOIN $from ON $on",
		"f JOIN $from ON $on JOIN $second ON q.k = f.g AND " . comparison($w), "f LEFT JOIN $from ON $on LEFT JOIN $second ON q.k = f.k AND " . comparison($w),
		"(SELECT * FROM f UNION ALL SELECT * FROM f) f JOIN $from ON $on");
	my $where = pick('', "WHERE $c", "WHERE $c AND $other");

	return "SELECT f.g, count(*), sum(f.id) FROM f WHERE " . pick('', '', 'NOT ') . "EXISTS (SELECT FROM $from WHERE $on AND $c) GROUP BY f.g" if chance(0.15);
	return "SELECT f.g, count(*) FROM f WHERE " . pick(qw(f.x f.y f.i)) . ' ' . pick(qw(< >= =)) . " (SELECT avg(x) FROM f o WHERE o.k = f.k) GROUP BY f.g" if chance(0.05);
	return "SELECT $key, $sums FROM $join $where GROUP BY $key";
}

my %outcomes;
my $asked = 0;
my $different = 0;
while ($asked < $queries)
{
	my $make = tables();
	my @queries = map { random_query_of() } 1 .. $per_database;
	my $script = join '', $make, "VACUUM ANALYZE f, d, e;\n", map { "SELECT answer(\$q\$$_\$q\$);\n" } @queries;
	my ($rc, $out, $err) = $node->psql('postgres', "SET client_min_messages = warning;\n$script DROP TABLE f, d, e;",
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
		my $what = $answers[$n] =~ /^(joined|looked up): (?:ok|same error)/ ? $1 : 'different';

		$outcomes{$what}++;
		diag("$make$queries[$n]\n  $answers[$n]\n") if $what eq 'different' && $different++ < 5;
	}
	$asked += @queries;
}
cmp_ok($asked, '>=', $queries, 'so many were asked');
is($different, 0, "random comparisons with bounds (seed $seed)");
note("Summary: seed $seed, $asked queries: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes));
cmp_ok($outcomes{'looked up'} // 0, '>', $asked * 0.4, 'many were joined on the device');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
