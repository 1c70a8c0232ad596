# Faults of a real GPU: kernels that cannot start, kernels that trap, cards that
# are lost again and again; and no leak over thousands of queries.  Skipped
# unless tasks run on one.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('gpu', 'shared_buffers = 256MB', 'gpuagg.queue_timeout = 60000');
if (device_kind($node) ne 'cuda')
{
	$node->stop;
	plan skip_all => 'tasks run on no GPU here';
}
note($node->safe_psql('postgres', 'TABLE gpuagg.devices'));
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id int, g int, v text, n float8) WITH (autovacuum_enabled = off);
	INSERT INTO t SELECT i, i % 50, CASE WHEN i % 1000 = 0 THEN repeat(md5(i::text), 300) ELSE 'v' || i % 7 END, i / 8.0 FROM generate_series(1, 300000) i;
	CREATE TABLE small AS SELECT id, g FROM t WHERE id <= 3000;
	VACUUM ANALYZE t, small;});
my $require = "SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;";
my $group = 'SELECT g, v, count(*), sum(id), max(n) FROM t GROUP BY g, v ORDER BY g, v';
my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $group");
my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];

sub on_gpu
{
	my ($name) = @_;

	is($node->safe_psql('postgres',
			"SELECT kind FROM gpuagg.devices WHERE state = 'ready'"),
		'cuda', "$name: the GPU runs tasks");
	my $redone = counter($node, 'redone');
	same_answer($node, $group, "$name: and answers");
	is(counter($node, 'redone'), $redone, "$name: itself");
	return;
}

# A query whose GPU fails: the host device answers, by itself.
sub redone
{
	my ($fault) = @_;
	my $before = counter($node, 'redone');

	is( $node->safe_psql('postgres', "$require SET gpuagg.debug_fault = '$fault'; $group"),
		$stock, "$fault: the right answer");
	cmp_ok(counter($node, 'redone'), '>', $before, "$fault: redone on the host device");
	return;
}

# What people are told of a fault: where it was, but no address of the worker's memory
sub no_addresses
{
	my ($told, $what) = @_;

	like($told, qr/\.cu:\d+: /, "$what tells where");
	unlike($told, qr/0x[0-9a-f]{6,}/, 'and no address');
	return;
}

on_gpu('at first');

# strings and moments over kept columns: by kernels of their own, where NVRTC is
SKIP: {
	my $keys = "CASE WHEN s LIKE 'k1%' THEN s ELSE 'other' END";
	my %shapes = (
		'a string that is compared, too' => "SELECT s, count(*), sum(i) FROM shapes WHERE s < 'k7' GROUP BY s",
		'a part of a string' => 'SELECT substr(s, 1, 3), count(*), min(s), max(s) FROM shapes GROUP BY 1',
		'a string that is computed' => "SELECT $keys, count(*), max(i) FROM shapes GROUP BY 1",
		'minima of strings without a key' => 'SELECT min(s), max(s), min(substr(s, 2)), count(*) FROM shapes',
		'minima of strings by many' => 'SELECT i, min(s), max(s) FROM shapes GROUP BY i',
		'variances' => 'SELECT k, round(var_samp(e)::numeric, 9), round(stddev_pop(e)::numeric, 9), count(*) FROM shapes GROUP BY k',
		'variances without a key' => 'SELECT round(var_samp(e)::numeric, 9), round(corr(e, k)::numeric, 9), round(regr_slope(e, k)::numeric, 9) FROM shapes',
		'correlations by a string' => 'SELECT s, round(corr(e, k)::numeric, 9), regr_count(e, k) FROM shapes GROUP BY s');

	skip 'nothing is compiled here', 3 * keys %shapes
	  unless $node->safe_psql('postgres', "SELECT compiler LIKE 'NVRTC%' FROM gpuagg.devices WHERE state = 'ready'") eq 't';
	$node->safe_psql(
		'postgres', q{
		CREATE TABLE shapes WITH (autovacuum_enabled = off) AS
			SELECT i % 60000 AS i, i % 40 AS k, (i % 16)::float8 AS e,
				CASE WHEN i % 11 > 0 THEN 'k' || i % 97 || repeat('x', i % 3 * 12) END AS s
			FROM generate_series(1, 400000) i;
		VACUUM ANALYZE shapes;
		SELECT gpuagg.load('shapes');});
	foreach my $name (sort keys %shapes)
	{
		my $compiled = "SET gpuagg.compile = always; SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;";
		my $ordered = "SELECT * FROM ($shapes{$name}) q ORDER BY q::text COLLATE \"C\"";

		like($node->safe_psql('postgres', "$compiled EXPLAIN (ANALYZE, VERBOSE) $shapes{$name}"),
			qr/Compiled: true/, "$name: compiled");
		is( $node->safe_psql('postgres', "$compiled $ordered"),
			$node->safe_psql('postgres', "SET gpuagg.enable = off; $ordered"), '... as PostgreSQL has it');
		is( $node->safe_psql('postgres', "$compiled SET gpuagg.compile = off; $ordered"),
			$node->safe_psql('postgres', "$compiled $ordered"), '... and as it is interpreted');
	}
}
my $worker = worker_pid($node);
redone('kernel');
no_addresses(
	$node->safe_psql('postgres', "$require SET gpuagg.debug_fault = 'kernel'; EXPLAIN (ANALYZE, VERBOSE) $group"),
	'EXPLAIN');
is(worker_pid($node), $worker, 'kernel: the worker goes on');
on_gpu('after a kernel that did not start');

redone('trap');
ok(wait_ready($node), 'trap: a worker is there');
isnt(worker_pid($node), $worker, 'trap: a new one');
like(slurp_file($node->logfile), qr/LOG:  gpuagg: device lost, restarting its worker: /,
	'trap: the log tells');
on_gpu('after a trap');

# sessions next to one that traps
my @sessions = map { start_psql($node, "$require $group;" x 3) } 1 .. 3;
redone('trap');
foreach my $session (@sessions)
{
	finish_psql($session);
	ok( $session->{stdout} eq join("\n", ($stock) x 3)
		  || $session->{stderr} =~ /the device stopped before the query was done/,
		'a session next to a trap')
	  or diag($session->{stderr});
}
ok(wait_ready($node), 'a worker is there');

# lost five times: off, until told
$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');
for (1 .. 5)
{
	redone('trap');
	wait_ready($node);
}
is(device_kind($node), 'host', 'lost five times: the host device takes its place');
no_addresses(join("\n", grep { /gpuagg/ } split /\n/, slurp_file($node->logfile)), 'the log');
like(
	$node->safe_psql('postgres', "SELECT why_not FROM gpuagg.devices WHERE state = 'off'"),
	qr/lost 5 times/, 'the GPU is off, and why');
same_answer($node, $group, 'the host device answers');
is($node->safe_psql('postgres', 'SELECT gpuagg.reset_device()'), 't', 'reset_device');
on_gpu('after reset_device');

# no leak: short queries, errors and cancels among them
sub short_queries
{
	my ($n) = @_;

	$node->safe_psql(
		'postgres', qq{
		SET jit = off; SET gpuagg.debug_require = prefer;
		DO \$\$
		DECLARE n int8;
		BEGIN
			FOR i IN 1..$n LOOP
				EXECUTE 'SELECT count(*) FROM small WHERE id < ' || i INTO n;
				PERFORM g, count(*) FROM small GROUP BY g;
				IF i % 50 = 0 THEN
					BEGIN
						PERFORM sum(1 / (id - 5)) FROM small;
					EXCEPTION WHEN division_by_zero THEN NULL;
					END;
				END IF;
			END LOOP;
		END \$\$;});
	no_tasks($node, "$n short queries: nothing is left");
	return;
}

# Memory of the worker's context on the card as the driver tells it, in MB
sub card_mb
{
	my $pid = worker_pid($node);
	my ($mb) = `nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader,nounits 2>/dev/null`
	  =~ /^\s*$pid,\s*(\d+)/m;

	return $mb;
}
my $used = "SELECT memory_used FROM gpuagg.devices WHERE state = 'ready'";
short_queries(300);
my ($memory, $rss, $card) =
  ($node->safe_psql('postgres', $used), rss_kb(worker_pid($node)), card_mb());
my $fds = () = glob('/proc/' . worker_pid($node) . '/fd/*');
$worker = worker_pid($node);
short_queries(3000);
is($node->safe_psql('postgres', $used), $memory, 'as much device memory as before');
cmp_ok(rss_kb($worker) - $rss, '<', 4000, 'no leak in the worker');
cmp_ok(scalar(() = glob("/proc/$worker/fd/*")), '<=', $fds, 'no file left open in the worker');
SKIP: {
	skip 'nvidia-smi does not tell', 1 unless defined $card;
	cmp_ok(card_mb() - $card, '<=', 2, 'no leak on the card');
}
is(worker_pid($node), $worker, 'the worker is still the same');

is( (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0],
	$postmaster, 'the postmaster stayed');
crash_free($node, 'no crash');
$node->stop;
done_testing();
