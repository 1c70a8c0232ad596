# What users see of kernels compiled for queries: setting gpuagg.compile, views,
# counters, the log.  No GPU is needed: a provider library made of the host device
# (test/lib/fake_device.c) tells of kernels that it does not have.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = need_fake_cards($tmp);

my $group = 'SELECT g, count(*) FROM t GROUP BY g ORDER BY g';
my ($rc, $out, $err);

sub run_with
{
	my ($node, $mode) = @_;

	my $answer = $node->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; SET gpuagg.compile = '$mode'; $group");

	return scalar split /\n/, $answer;
}

sub kernels
{
	my ($node, $columns) = @_;

	return $node->safe_psql('postgres', "SELECT $columns FROM gpuagg.kernels ORDER BY shape");
}

sub log_lines
{
	my ($node, $pattern) = @_;

	return scalar grep { /$pattern/ } split /\n/, slurp_file($node->logfile);
}

my $node = new_node(
	'kernels',
	$fake,
	'gpuagg.host_threads = 2');
$node->safe_psql('postgres',
	'CREATE TABLE t AS SELECT i AS id, i % 50 AS g FROM generate_series(1, 50000) i; VACUUM ANALYZE t');

is( $node->safe_psql('postgres', 'SELECT kind, compiler FROM gpuagg.devices ORDER BY device'),
	"cuda|fake compiler 1.0\ncuda|\nhost|",
	'gpuagg.devices tells what compiles');
is(kernels($node, '*'), '', 'no kernel before a query');

# ------------------------------------------------------------ the setting

is($node->safe_psql('postgres', 'SHOW gpuagg.compile'), 'auto', 'auto is what it is by default');
is(run_with($node, 'off'), '50', 'off answers');
is(kernels($node, '*'), '', 'and asks for no kernel');
is(run_with($node, 'auto'), '50', 'auto answers');
is( kernels($node, 'kernel, shape, state, uses, source, compile_ms, load_ms, bytes, registers, block_threads, blocks, message'),
	'0000000000abcdef|auto, predicted: yes|ready|1|compiler|12.5|0.5|4096|40|1024|6|',
	'the device hears of auto and of the prediction, and tells of its kernel');
run_with($node, 'always');
is(kernels($node, 'shape, uses'), 'always, predicted: yes|2', 'it hears of always');
($rc, $out, $err) = $node->psql('postgres', 'SET gpuagg.compile = sometimes');
like($err, qr/invalid value for parameter "gpuagg.compile".*Available values: auto, off, always/s,
	'other values are refused');

# ------------------------------------------------------- counters, the log

is( $node->safe_psql('postgres',
		q{SELECT value FROM gpuagg.stat WHERE name = 'kernels_compiled'}),
	'1', 'what was compiled is counted');
is(log_lines($node, 'could not compile a kernel'), 0, 'nothing failed so far');
fake_does('kernel_fails');
run_with($node, 'always') for 1 .. 3;
is( kernels($node, 'shape, state, compile_ms, registers, message'),
	"always, predicted: yes|ready|12.5|40|\nfailing shape|failed|||kernel.cu(1): error: fake",
	'one that fails says why');
is(log_lines($node, 'LOG:  gpuagg: could not compile a kernel for "failing shape": kernel.cu\(1\): error: fake'),
	1, 'the log tells it once');
is( $node->safe_psql('postgres', q{SELECT value FROM gpuagg.stat WHERE name = 'kernels_failed'}),
	'1', 'and it is counted once');
is(log_lines($node, 'LOG:  gpuagg: kernels for queries are compiled by fake compiler 1.0'),
	1, 'the log tells what compiles, once');

# ------------------------------------------------------------------ rights

$node->safe_psql('postgres', 'CREATE ROLE nobody; CREATE ROLE watcher IN ROLE pg_monitor');
($rc, $out, $err) = $node->psql('postgres', 'SET ROLE nobody; SELECT * FROM gpuagg.kernels');
like($err, qr/permission denied for view kernels/, 'the view is for monitoring');
($rc, $out, $err) = $node->psql('postgres', 'SET ROLE nobody; SELECT * FROM gpuagg.get_kernels()');
like($err, qr/permission denied for function get_kernels/, 'and so is what is behind it');
is($node->safe_psql('postgres', 'SET ROLE watcher; SELECT count(*) FROM gpuagg.kernels'),
	'2', 'pg_monitor sees it');

# ---------------------------------------------------------- no compiler

fake_does('no_compiler');
$node->restart;
wait_ready($node);
is(run_with($node, 'always'), '50', 'without a compiler queries are answered');
is( $node->safe_psql('postgres', "SELECT state, compiler FROM gpuagg.devices WHERE kind = 'cuda' ORDER BY device LIMIT 1"),
	'ready|no fake compiler is installed', 'and gpuagg.devices says why nothing is compiled');
is(kernels($node, '*'), '', 'nothing is');

$node->stop;
done_testing();
