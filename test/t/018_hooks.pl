# gpuagg among other extensions, and its plans as nodes (test/lib/plan_hooks.c):
# plans run as they are read from what was printed; hooks loaded before and after
# gpuagg are called as without it; gpuagg.enable = off has PostgreSQL's plans and
# costs.  Another module calls functions of gpuagg's: how fast rows become blocks.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
build_module('plan_hooks', $dir)
  or plan skip_all => 'no compiler, or no headers of the server';
chmod 0755, $dir;

build_module('row_blocks', $dir);
chmod 0755, $dir;

my $node = new_node('hooks', 'shared_buffers = 64MB', 'autovacuum = off', 'jit = off');
$node->safe_psql(
	'postgres', qq{
	CREATE FUNCTION plan_hooks_calls() RETURNS text LANGUAGE c AS '$dir/plan_hooks';
	CREATE TABLE t (id int, g int, v int8, f float8, s text COLLATE "C", d date);
	INSERT INTO t SELECT i, i % 10, CASE WHEN i % 7 > 0 THEN i END, i / 8.0, 'it''s {' || i % 5 || '} \\', date '2020-01-01' + i % 400 FROM generate_series(1, 20000) i;
	CREATE TABLE few AS SELECT i AS id, i * 1000 AS n FROM generate_series(1, 5) i;
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (2000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (2000) TO (9000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 8999) i;
	CREATE INDEX ON t (id);});
# Costs depend on what the device holds: from here on always the same
$node->safe_psql('postgres', 'VACUUM ANALYZE');
$node->safe_psql('postgres', "SELECT gpuagg.load('t'), gpuagg.load('parts')");

# ---------- rows of plans, as blocks of columns (test/lib/row_blocks.c) ----------

$node->safe_psql('postgres', qq{
	CREATE FUNCTION row_blocks_rate(int8) RETURNS float8 LANGUAGE c AS '$dir/row_blocks';
	CREATE FUNCTION row_blocks_sum(int8) RETURNS int8 LANGUAGE c AS '$dir/row_blocks';});
is($node->safe_psql('postgres', 'SELECT row_blocks_sum(20001)'),
	$node->safe_psql('postgres', 'SELECT sum(i) - 7 * count(*) FILTER (WHERE i % 8 > 0) FROM generate_series(0, 20000) i'),
	'blocks hold the values that were put into them, and NULLs');
my $rate = $node->safe_psql('postgres', 'SELECT max(row_blocks_rate(1000000 + i)) FROM generate_series(1, 3) i');
note(sprintf('%.1f million rows of two integers a second', $rate / 1e6));
# of the processor's own time; below what is to be had, for caches that others use
cmp_ok($rate, '>', 5e6, 'rows become blocks of columns fast');

# ---------- nodes ----------

# what precedes it, the query
my @trips = (
	[ '', 'SELECT g, count(*), sum(id), avg(f), min(s), max(d) FROM t GROUP BY g ORDER BY g' ],
	[ '', q{SELECT s, d, count(v), sum(v) FILTER (WHERE f > 1e3) FROM t WHERE s <> 'it''s {3} \\' AND v IS NOT NULL GROUP BY s, d HAVING count(*) > 2 ORDER BY s, d} ],
	[ '', 'SELECT count(*), sum(f * 0.25::float8 + 1e-300), bool_and(id > 0) FROM t WHERE g IN (1, 3, 5) OR f < -1e100' ],
	[ '', q{SELECT count(*) FROM t WHERE f < 'Infinity' AND f <> 'NaN' AND f > '-Infinity'} ],
	[ '', 'SELECT count(*), sum(v) FROM t WHERE id > (SELECT min(n) FROM few WHERE n > 2000)' ],
	[ '', 'SELECT x.g, x.n + few.id FROM few, (SELECT g, count(*) AS n FROM t GROUP BY g) x WHERE x.g = few.id ORDER BY 1' ],
	[ '', 'SELECT few.id, x.* FROM few, LATERAL (SELECT count(*), sum(v) FROM t WHERE g = few.id) x ORDER BY 1' ],
	[ '', 'SELECT count(*), sum(id) FROM t WHERE (SELECT false)' ],
	[ 'SET plan_cache_mode = force_generic_plan; PREPARE p (int, text, float8) AS SELECT g, count(*), sum($1 + id) FROM t WHERE s > $2 AND f > $3 GROUP BY g ORDER BY g;',
		q{EXECUTE p (7, 'it''s {1}', 0.5)} ],
	[ '', 'SELECT g, count(*), sum(id) FROM t TABLESAMPLE BERNOULLI (20) REPEATABLE (0.25) GROUP BY g ORDER BY g' ],
	[ '', 'SELECT g, count(*) FROM t TABLESAMPLE SYSTEM (50) REPEATABLE (7) WHERE v > 100 GROUP BY g ORDER BY g' ],
	[ '', 'SELECT g, count(*), sum(id) FROM t TABLESAMPLE gpuagg.random_rows (5000) REPEATABLE (7) GROUP BY g ORDER BY g' ],
	[ '', 'SELECT ctid, id, s FROM t TABLESAMPLE BERNOULLI (10) REPEATABLE (3) WHERE v > 7 AND md5(s) > md5(id::text)' ],
	[ '', q{SELECT * FROM t TABLESAMPLE SYSTEM (30) REPEATABLE (3) WHERE s LIKE '%{1}%'} ],
	[ '', 'SELECT few.id, x.id FROM few, LATERAL (SELECT t.id FROM t TABLESAMPLE BERNOULLI (few.id) REPEATABLE (few.n) WHERE t.g < few.id) x ORDER BY 1, 2' ],
	[ '', 'SELECT t.id, n FROM t TABLESAMPLE BERNOULLI (40) REPEATABLE (5) JOIN few ON t.id = few.n ORDER BY 1' ],
	[ '', 'SELECT tableoid::regclass, id FROM parts TABLESAMPLE BERNOULLI (5) REPEATABLE (5)' ],
	[ 'SET plan_cache_mode = force_generic_plan; PREPARE p (float4, int) AS SELECT id FROM t TABLESAMPLE BERNOULLI ($1) REPEATABLE (2) WHERE g = $2;',
		'EXECUTE p (30, 4)' ]);

foreach my $case (@trips)
{
	my ($before, $query) = @$case;
	my $load = "LOAD '$dir/plan_hooks'; SELECT plan_hooks_calls() AS x \\gset\n";
	my $on = "SET plan_hooks.round_trip = on; SET gpuagg.debug_require = 'require'; $before";
	my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $before $query");
	my ($rc, $out, $err) = $node->psql('postgres', "$load $on $query;\nSELECT plan_hooks_calls() ~ 'trips [1-9]'");

	is($err, '', "no error: $query");
	is($out, ($stock eq '' ? '' : "$stock\n") . 't', 'read back, it gives the same rows');
	# whatever EXPLAIN shows came from the plan's private data
	my $explain = "EXPLAIN (VERBOSE) $query";
	my $plan = $node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; $before $explain");
	like($plan, qr/Custom Scan \(Gpu(Agg|Sample)\)/, 'on the device');
	is($node->safe_psql('postgres', "LOAD '$dir/plan_hooks'; $on $explain"), $plan, 'and the same EXPLAIN');
}
# however odd the profile: predictions that could not be read back were no numbers
$node->safe_psql(
	'postgres', q{
	INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, machine, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
	SELECT 990001, kind, name, gpuagg.machine(), 1, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300 FROM gpuagg.devices WHERE state = 'ready';
	INSERT INTO gpuagg.ceiling (profile_id, name, per_second) VALUES (990001, 'memory_read', 1e-300), (990001, 'int_ops', 1e-300), (990001, 'group', 1e-300);
	INSERT INTO gpuagg.random_access SELECT 990001, 1024 * 4 ^ i, 1e-300, 1e-300, 1e-300 FROM generate_series(1, 12) i});
foreach my $query (map { $_->[1] } @trips[ 0, 12 ])
{
	is( $node->safe_psql('postgres', "LOAD '$dir/plan_hooks'; SET plan_hooks.round_trip = on; SET gpuagg.debug_require = 'require'; $query"),
		$node->safe_psql('postgres', "SET gpuagg.enable = off; $query"),
		"a profile of 1e-300: $query");
}
$node->safe_psql('postgres', 'DELETE FROM gpuagg.profile WHERE profile_id = 990001');
# fields of a query's tables that PostgreSQL does not look at are others' own
foreach my $query (
	'SELECT few.id, count(*), sum(v) FROM t JOIN few ON t.g = few.id GROUP BY few.id ORDER BY few.id',
	'SELECT count(*), sum(v) FROM t LEFT JOIN (SELECT id FROM few OFFSET 0) few ON t.g = few.id',
	'SELECT few.id, count(*) FROM t JOIN few ON t.g = few.id WHERE EXISTS (SELECT FROM parts WHERE parts.id = t.id) GROUP BY few.id ORDER BY few.id',
	'SELECT g, count(*) FROM parts GROUP BY g ORDER BY g',
	'SELECT count(*), sum(x) FROM (SELECT id AS x FROM t UNION ALL SELECT id FROM few) u',
	'SELECT g, count(*) FROM t TABLESAMPLE SYSTEM (50) REPEATABLE (7) GROUP BY g ORDER BY g')
{
	my $marked = "LOAD '$dir/plan_hooks'; SET plan_hooks.mark_tables = on; SET gpuagg.debug_require = prefer;";

	is($node->safe_psql('postgres', "$marked $query"),
		$node->safe_psql('postgres', "SET gpuagg.enable = off; $query"),
		"tables that another extension marks: $query");
	like($node->safe_psql('postgres', "$marked EXPLAIN $query"), qr/Custom Scan \(GpuAgg\)/, 'on the device');
}
# what is done instead of the device's work is part of the plan
foreach my $fault (qw(begin pages results))
{
	foreach my $query (map { $_->[1] } @trips[ 0, 12 ])
	{
		is( $node->safe_psql('postgres',
				"LOAD '$dir/plan_hooks'; SET plan_hooks.round_trip = on; SET gpuagg.debug_require = prefer; SET gpuagg.debug_fault = '$fault'; $query"),
			$node->safe_psql('postgres', "SET gpuagg.enable = off; $query"),
			"fallback of a plan that was read back, $fault");
	}
}
no_tasks($node, 'nothing is left');

# ---------- hooks ----------

# All kinds of steps and tables, for us and not
my @queries = (
	'SELECT 1',
	'SELECT id FROM t WHERE id = 77',
	'SELECT g, count(*), sum(id) FROM t GROUP BY g HAVING count(*) > 3 ORDER BY g',
	'SELECT sum(v) FROM t WHERE g < 5',
	'SELECT id, count(*) FROM t GROUP BY id',
	'SELECT DISTINCT s FROM t',
	'SELECT g, rank() OVER (ORDER BY count(*)) FROM t GROUP BY g',
	'SELECT g, s, count(*) FROM t GROUP BY ROLLUP (g, s)',
	'SELECT few.id, count(*) FROM few JOIN t ON t.id = few.n GROUP BY few.id',
	'SELECT g, count(*) FROM parts GROUP BY g',
	'SELECT g FROM t GROUP BY g UNION SELECT n FROM few EXCEPT SELECT 4',
	'WITH a AS MATERIALIZED (SELECT g, count(*) AS n FROM t GROUP BY g) SELECT * FROM a JOIN few ON a.g = few.id WHERE a.n > (SELECT avg(n) FROM few)',
	'SELECT * FROM t TABLESAMPLE BERNOULLI (10) WHERE g = 3',
	'SELECT few.id, x.id FROM few, LATERAL (SELECT t.id FROM t TABLESAMPLE SYSTEM (few.id)) x',
	'SELECT g, count(*) FROM t TABLESAMPLE SYSTEM (10) REPEATABLE (1) GROUP BY g',
	'SELECT * FROM parts TABLESAMPLE BERNOULLI (10) REPEATABLE (1)',
	'INSERT INTO few SELECT g, count(*) FROM t GROUP BY g',
	'UPDATE few SET n = (SELECT max(v) FROM t)');

sub restart_with
{
	my ($preload) = @_;

	$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'$preload'");
	$node->restart;
	wait_ready($node) if grep { $_ eq 'gpuagg' } split /, /, $preload;
	return;
}

# The hooks' calls for each query; a session's first look at gpuagg's tables does
# not count.
sub hook_calls
{
	my ($settings) = @_;

	return join "\n", map {
		"$_: "
		  . $node->safe_psql('postgres',
			"$settings SELECT plan_hooks_calls() AS x \\gset\nEXPLAIN $_ \\g /dev/null\nSELECT plan_hooks_calls()")
	} @queries;
}

sub plans
{
	my ($settings) = @_;

	return $node->safe_psql('postgres',
		$settings . join '', map { "\nEXPLAIN (VERBOSE) $_;" } @queries);
}

my $hooks = "$dir/plan_hooks";
my $off = 'SET gpuagg.enable = off;';
restart_with($hooks);
my $calls = hook_calls('');
my $plans = plans('');
like($calls, qr/^SELECT sum.*: planner 2, trips 0, rel 1, upper 0 0 1 0 0 0 0 2$/m,
	'the hooks count') or diag($calls);
foreach my $preload ("$hooks, gpuagg", "gpuagg, $hooks")
{
	(my $name = $preload) =~ s{\Q$dir\E/}{};

	restart_with($preload);
	is(hook_calls($off), $calls, "$name: off, hooks are called as without gpuagg");
	is(plans($off), $plans, "$name: off, plans and costs are those without gpuagg");
	# "require" would not let the others pass
	is(hook_calls('SET gpuagg.debug_require = prefer;'), $calls, "$name: on, hooks are called as without gpuagg");
	like(plans('SET gpuagg.debug_require = prefer;'), qr/GpuAgg.*GpuSample/s, "$name: both nodes are planned");
	same_answer($node, $_, "$name: it answers") foreach map { $_->[1] } @trips[ 0, 12 ];
}
restart_with('gpuagg');
is(plans($off), $plans, 'gpuagg alone: off, plans and costs are those without gpuagg');
crash_free($node, 'no crash');
$node->stop;
done_testing();
