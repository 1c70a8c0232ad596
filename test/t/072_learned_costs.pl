# A device that was not measured: what tasks took scales what a generic profile predicts, in plans,
# views and statistics alike; where it is turned off, was reset, or the profile is another one, nothing does.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('learned', 'shared_buffers = 128MB', 'autovacuum = off', 'gpuagg.learn_costs = on');

sub sql
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

plan skip_all => 'the GPU has a profile of its own'
  if sql("SELECT count(*) > 0 FROM gpuagg.devices d JOIN gpuagg.profile p ON p.device_name = d.name WHERE d.state = 'ready'") eq 't';

my $kind = device_kind($node);
my $prefer = "SET gpuagg.debug_require = 'prefer';";
my @queries = (
	'SELECT g, count(*), sum(v) FROM t GROUP BY g',
	'SELECT q, avg(n), max(v) FROM t GROUP BY q',
	'SELECT s, max(v), min(v) FROM t GROUP BY s',
	'SELECT id % 50000, sum(v) FROM t GROUP BY 1',
	'SELECT g, q, count(*) FROM t WHERE v > 500000 GROUP BY g, q');

sql(q{CREATE TABLE t AS SELECT i AS id, i % 1000 AS g, i % 7 AS q, (i::int8 * 7919 % 1000000)::int4 AS v, 'k' || i % 100 AS s,
	(i / 3.0)::numeric(12, 2) AS n FROM generate_series(1, 300000) AS i; VACUUM (FREEZE, ANALYZE) t});

# Each in a session that neither keeps columns nor uses them, so that all tasks are alike
sub run_all
{
	my ($times, $set) = @_;

	sql(join(' ', $prefer, $set // '', 'SET gpuagg.cache = off;', map { "$_;" } (@queries) x $times));
	return;
}

# ms that a query's task is predicted to take beyond its start, before its groups return; and the plan
sub predicted
{
	my ($set) = @_;
	my $plan = sql("$prefer SET gpuagg.cache = off; " . ($set // '') . " EXPLAIN (VERBOSE, FORMAT JSON) $queries[0]");
	my %ms = map { $_ => $plan =~ /"Predicted $_": ([\d.]+)/ ? $1 : die $plan } ('Time', 'Start Time', 'Emit Time');

	return ($ms{'Time'} - $ms{'Start Time'} - $ms{'Emit Time'}, $plan);
}

sub factor
{
	return sql("SELECT factor FROM gpuagg.learned WHERE device = '$kind'");
}

# Of the last tasks
sub median_ratio
{
	my ($tasks) = @_;

	return sql("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ratio) FROM "
		  . "(SELECT ratio FROM gpuagg.stat_cost WHERE measured_ms >= 1 ORDER BY ended_at DESC LIMIT $tasks) AS r");
}

sub learned_tasks
{
	return sql("SELECT tasks FROM gpuagg.learned WHERE device = '$kind'");
}

my ($before, $plan) = predicted();

# ---------- too few tasks ----------
run_all(2, 'SET gpuagg.learn_costs = off;');
is(learned_tasks(), 0, 'turned off, tasks teach nothing');
unlike(slurp_file($node->logfile), qr/profile of no machine/, 'nor does the log say anything');
run_all(1);
cmp_ok(learned_tasks(), '<=', 5, 'tasks are counted');
is(factor(), 1, 'a few tasks teach nothing');
unlike($plan, qr/Learned Factor/, 'and plans do not speak of it');

# ---------- enough ----------
run_all(5);
cmp_ok(learned_tasks(), '>=', 20, 'thirty queries are enough');
my $factor = factor();
my ($scaled, $learned) = predicted();
isnt($factor, 1, "there is a factor ($factor)");
cmp_ok(abs($scaled / $before / $factor - 1), '<', 0.02, "what a plan predicts is scaled by it ($before ms, $scaled)");
like($learned, qr/"Learned Factor": [\d.]+/, 'EXPLAIN says so');
like($learned, qr/"Profile": "generic"/, 'of a generic profile');
is((predicted('SET gpuagg.learn_costs = off;'))[0], $before, 'a session that turns it off plans as before');
my ($time) = $learned =~ /"Predicted Time": ([\d.]+)/;
cmp_ok(abs(sql("SET gpuagg.cache = off; SELECT gpuagg.what_if('$queries[0]')") / $time - 1), '<', 0.02, 'gpuagg.what_if() agrees');
like(sql("SET gpuagg.cost_scale = 1000; SELECT string_agg(why_not, '') FROM gpuagg.why_not('$queries[0]')"),
	qr/tasks took .* times as long as predicted/, 'so does gpuagg.why_not()');
is(scalar(() = slurp_file($node->logfile) =~ /LOG:  gpuagg: plans go by a profile of no machine/g), 1, 'the log says once that nothing is measured');

# ---------- it does not feed on itself ----------
run_all(4);
my $ratio = median_ratio(20);
cmp_ok($ratio, '>', 1 / 3, "predicted is no third of measured in the median ($ratio)");
cmp_ok($ratio, '<', 3, 'nor three times');
run_all(20);
my $later = factor();
cmp_ok($later / $factor, '>', 1 / 4, "learned again of scaled plans, the factor is about the same ($later)");
cmp_ok($later / $factor, '<', 4, 'and does not grow');
is(learned_tasks(), 64, 'of the last tasks');

# ---------- a table that changes behind a plan ----------
sql('SELECT gpuagg.stat_reset(); CREATE TABLE u AS TABLE t');
(my $changing = $queries[0]) =~ s/FROM t/FROM u/;
my @taught = sql("$prefer SET plan_cache_mode = force_generic_plan; $changing; PREPARE kept AS $changing; EXECUTE kept; UPDATE u SET v = v;
	SELECT 'taught', tasks FROM gpuagg.learned WHERE device = '$kind'; EXECUTE kept; SELECT 'taught', tasks FROM gpuagg.learned WHERE device = '$kind';
	UPDATE u SET v = v; $changing; SELECT 'taught', tasks FROM gpuagg.learned WHERE device = '$kind'") =~ /^taught\|(\d+)$/mg;
is($taught[1], $taught[0], 'pages that a plan expects to be kept, and have changed, teach nothing');
is($taught[2], $taught[1] + 1, 'pages that a plan knows to have changed do');

# ---------- measured, and forgotten ----------
sql("UPDATE gpuagg.profile SET round_trip_ns = round_trip_ns + 1 WHERE device_name = '*'");
is((predicted())[0], $before, 'a profile that somebody edited is not scaled');
sql('SELECT gpuagg.stat_reset()');
is(learned_tasks(), 0, 'stat_reset() forgets');
is(factor(), 1, 'the factor, too');
run_all(5);
is(learned_tasks(), 0, 'and of an edited profile nothing is learned');

$node->stop;
done_testing();
