# Without preload, with it, with other modules; CREATE, DROP, dump and restore.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Not preloaded: the extension can be made, its functions say what to do, and
# queries run as ever.
my $plain = PostgreSQL::Test::Cluster->new('plain');
$plain->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$plain->start;
my ($rc, $out, $err) = $plain->psql('postgres', 'CREATE EXTENSION gpuagg');
is($rc, 0, 'CREATE EXTENSION without preload');
like($err, qr/WARNING:  gpuagg is not loaded: .*\nHINT:  Set "shared_preload_libraries = 'gpuagg'" in postgresql.conf and restart/,
	'warns, with the line to add');
($rc, $out, $err) = $plain->psql('postgres', 'DROP EXTENSION gpuagg; CREATE EXTENSION gpuagg');
like($err, qr/WARNING:  gpuagg is not loaded/, 'again in a session that has loaded it');
is($plain->safe_psql('postgres', "SELECT count(*) FROM pg_proc WHERE proname = 'warn_unless_preloaded'"),
	0, 'and leaves nothing behind');
$plain->append_conf('postgresql.conf', "shared_preload_libraries = 'auto_explain, pg_stat_statements'");
$plain->restart;
($rc, $out, $err) = $plain->psql('postgres', 'DROP EXTENSION gpuagg; CREATE EXTENSION gpuagg');
like($err, qr/^HINT:  Set "shared_preload_libraries = 'auto_explain, pg_stat_statements, gpuagg'"/m,
	'with others that are loaded');
foreach my $call (
	'SELECT * FROM gpuagg.devices',
	'SELECT * FROM gpuagg.tasks',
	'SELECT * FROM gpuagg.stat',
	'SELECT gpuagg.stat_reset()',
	'SELECT gpuagg.reset_device()',
	"SELECT gpuagg.why_not('SELECT 1')",
	'SELECT gpuagg.ping()',
	'SELECT gpuagg.calibrate()')
{
	($rc, $out, $err) = $plain->psql('postgres', $call);
	isnt($rc, 0, "fails without preload: $call");
	like($err, qr/must be loaded through shared_preload_libraries/,
		"says why: $call");
	like($err, qr/HINT: .*restart/, "hints: $call");
}
is( $plain->safe_psql(
		'postgres',
		'CREATE TABLE t AS SELECT i % 3 AS g FROM generate_series(1, 9) i; SELECT g, count(*) FROM t GROUP BY g ORDER BY g'
	),
	"0|3\n1|3\n2|3",
	'queries run without preload');
is( $plain->safe_psql(
		'postgres',
		'SELECT count(*), sum(g) BETWEEN 0 AND 40 FROM t TABLESAMPLE gpuagg.random_rows (20)'
	),
	"20|t",
	'so does its sampling method');
# LOAD is no preload, and settings are placeholders
($rc, $out, $err) = $plain->psql('postgres',
	"LOAD 'gpuagg'; SET gpuagg.enable = on; SELECT g, count(*) FROM t GROUP BY g ORDER BY g"
);
is($out, "0|3\n1|3\n2|3", 'LOAD does no harm');
# Of bad settings in postgresql.conf PostgreSQL warns, with our hint, and takes
# the default; as of any module's.
my $conf = $plain->data_dir . '/postgresql.conf';
my $good = slurp_file($conf);
foreach my $bad (
	[ 'gpuagg.device', 'quantum', 'auto' ],
	[ 'gpuagg.device', 'cuda:one', 'auto' ],
	[ 'gpuagg.max_tasks', '0', '64' ],
	[ 'gpuagg.host_threads', '-2', '0' ],
	[ 'gpuagg.device_memory', '-1MB', '0' ],
	[ 'gpuagg.device_memory', '1 apple', '0' ])
{
	my ($name, $value, $default) = @$bad;
	my $size = -s $plain->logfile;

	$plain->append_conf('postgresql.conf',
		"shared_preload_libraries = 'gpuagg'\n$name = '$value'\n");
	$plain->restart;
	my $log = substr slurp_file($plain->logfile), $size;
	like($log, qr/WARNING:  invalid value for parameter "$name": "?\Q${\ ($value =~ s{MB}{}r)}\E/,
		"a warning about $name = $value");
	like($log, qr/HINT: /, 'with a hint');
	is($plain->safe_psql('postgres', "SHOW $name"), $default, 'and the default');
	open my $fh, '>', $conf or die $!;
	print $fh $good;
	close $fh;
}
$plain->restart;
$plain->safe_psql('postgres', 'DROP EXTENSION gpuagg');
is($plain->safe_psql('postgres', 'SELECT sum(g) FROM t'),
	'9', 'queries run after DROP EXTENSION');
$plain->stop;

# Preloaded, next to others that hook the same places.
my $node = new_node(
	'main',
	"shared_preload_libraries = 'pg_stat_statements,gpuagg,auto_explain'",
	'auto_explain.log_min_duration = 0',
	'auto_explain.log_analyze = on',
	'auto_explain.log_verbose = on',
	'auto_explain.log_buffers = on',
	"auto_explain.log_format = 'json'",
	'auto_explain.log_nested_statements = on',
	"compute_query_id = 'on'",
	'pg_stat_statements.track_planning = on',
	"gpuagg.device = 'host'",
	'gpuagg.host_threads = 3');
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION pg_stat_statements;
	CREATE TABLE t AS SELECT i AS id, i % 7 AS g, 'x' || i % 5 AS h FROM generate_series(1, 20000) i;
	ANALYZE t;});
same_answer($node,
	"SELECT g, h, count(*), sum(id) FROM t WHERE id > 10 GROUP BY g, h ORDER BY g, h",
	'with auto_explain and pg_stat_statements');
like(slurp_file($node->logfile),
	qr/"Custom Plan Provider": "GpuAgg"/, 'auto_explain shows the node');
is( $node->safe_psql(
		'postgres',
		"SELECT count(*) > 0 FROM pg_stat_statements WHERE query LIKE 'SELECT g, h, count%' AND rows > 0 AND plans > 0"
	),
	't',
	'pg_stat_statements counts it');
$node->safe_psql('postgres',
	"LOAD 'pg_stat_statements'; LOAD 'auto_explain'; LOAD 'gpuagg'; SELECT count(*) FROM t"
);
# The postmaster has no thread and no device.
my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
like(slurp_file("/proc/$postmaster/status"),
	qr/^Threads:\s+1$/m, 'the postmaster has one thread');
my $worker = worker_pid($node);
like(slurp_file("/proc/$worker/status"),
	qr/^Threads:\s+4$/m, 'gpuagg.host_threads is what the pool has');
isnt($node->safe_psql('postgres', 'SELECT gpuagg.ping(3) > 0'),
	'f', 'the device answers');

# A database without the extension is PostgreSQL's alone.
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other',
	'CREATE TABLE t AS SELECT i AS id, i % 7 AS g FROM generate_series(1, 20000) i; ANALYZE t'
);
my $explain = "SET gpuagg.debug_require = prefer; EXPLAIN (COSTS OFF) SELECT g, count(*) FROM t GROUP BY g";
unlike($node->safe_psql('other', $explain), qr/GpuAgg/, 'no node without the extension');
like($node->safe_psql('postgres', $explain), qr/GpuAgg/, 'a node with it');
# Created and dropped: sessions that are open notice.
my $session = $node->background_psql('other');
unlike($session->query($explain), qr/GpuAgg/, 'open session: not yet');
$node->safe_psql('other', 'CREATE EXTENSION gpuagg');
like($session->query($explain), qr/GpuAgg/, 'open session: created');
$session->query('PREPARE p AS SELECT g, count(*) FROM t GROUP BY g ORDER BY g LIMIT 1');
like($session->query('EXPLAIN (COSTS OFF) EXECUTE p'), qr/GpuAgg/, 'prepared');
$node->safe_psql('other', 'DROP EXTENSION gpuagg');
unlike($session->query($explain), qr/GpuAgg/, 'open session: dropped');
is($session->query('EXECUTE p'), '0|2857', 'a plan of before still answers');
$session->quit;

# While it is dropped and created over and over, new sessions of others plan at once.
my $script = PostgreSQL::Test::Utils::tempdir() . '/group.sql';
append_to_file($script, "SELECT g, count(*) FROM t GROUP BY g;\n");
my $bench = start_pgbench([ $node, 'other' ], 100, '-C', '-c', '4', '-T', '6', '-f', $script);
$node->safe_psql('other', 'CREATE EXTENSION gpuagg; DROP EXTENSION gpuagg') for 1 .. 10;
$node->safe_psql('other', 'CREATE EXTENSION gpuagg');
$node->safe_psql('other', 'DROP EXTENSION gpuagg; CREATE EXTENSION gpuagg') for 1 .. 10;
finish_pgbench($bench);
ok($bench->{ok}, 'queries go on while it is dropped and created');
unlike($bench->{stderr}, qr/ERROR|FATAL/, 'and none fails');
$node->safe_psql('other', 'DROP EXTENSION gpuagg');

# Other encodings: characters are those of the database.
foreach my $encoding ('LATIN1', 'EUC_JP', 'SQL_ASCII')
{
	my $db = lc $encoding;

	$node->safe_psql('postgres',
		"CREATE DATABASE $db TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'"
	);
	$node->safe_psql(
		$db, q{
		CREATE EXTENSION gpuagg;
		CREATE TABLE t (id int, s text, c char(5));
		INSERT INTO t SELECT i, convert_from(decode(substr('61a4a2a4a462e9616263', 1, 2 * (1 + i % 10)), 'hex'), getdatabaseencoding()), 'c' || i % 3
		FROM generate_series(1, 1000) i WHERE i % 10 NOT IN (1, 3, 6) AND (getdatabaseencoding() <> 'EUC_JP' OR i % 10 < 6);
		ANALYZE t;});
	foreach my $query (
		'SELECT s, count(*), sum(id) FROM t GROUP BY s ORDER BY s',
		'SELECT c, length(s), octet_length(s), substr(s, 2, 2), count(*) FROM t GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4',
		q{SELECT count(*) FILTER (WHERE s LIKE '__'), count(*) FILTER (WHERE s LIKE '_%b%'), min(s), max(s), count(*) FILTER (WHERE s LIKE 'a%') FROM t})
	{
		is( $node->safe_psql($db, "SET client_encoding = '$encoding'; SET jit = off; SET gpuagg.debug_require = prefer; $query"),
			$node->safe_psql($db, "SET client_encoding = '$encoding'; SET gpuagg.enable = off; $query"),
			"$encoding: $query");
	}
}

# More than there is: who sets it is told, once, and so is the log when the server starts
my %beyond = (
	'gpuagg.device_memory' => [ '1000TB', qr/is 1048576000 MB, more than there is: \d+ MB \(memory of the device\)/ ],
	'gpuagg.cache_size' => [ '1000TB', qr/is 1048576000 MB, more than there is: \d+ MB \(memory of the device\)/ ],
	'gpuagg.kernel_cache_size' => [ '2000TB', qr/is 2097152000 MB, more than there is: \d+ MB \(disk of the data directory\)/ ],
	'gpuagg.scope_size' => [ '1900GB', qr/is 1992294400 kB, more than there is: \d+ kB \(memory of the device\)/ ],
	'gpuagg.host_threads' => [ '1024', qr/is 1024, more than there is: \d+ \(cores that the server may use\)/ ]);
my $idle = $node->background_psql('postgres');
$idle->query('SELECT 1');
foreach my $name (sort keys %beyond)
{
	my ($value, $message) = @{ $beyond{$name} };

	(undef, undef, $err) = $node->psql('postgres', "ALTER SYSTEM SET $name = '$value'");
	like($err, qr/^\S*\s*WARNING:  $name $message$/, "$name = $value warns who sets it");
}
(undef, undef, $err) = $node->psql('postgres', "SET gpuagg.scope_size = '1900GB'");
like($err, qr/WARNING:  gpuagg\.scope_size $beyond{'gpuagg.scope_size'}[1]/, 'a session, too');
(undef, undef, $err) = $node->psql('postgres', "SET gpuagg.scope_size = '1MB'; SET gpuagg.lookup_memory = 64; ALTER SYSTEM SET gpuagg.max_tasks = 65");
is($err, '', 'what there is warns nobody');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET gpuagg.host_threads');    # so many need not start
$node->reload;
$idle->query('SELECT pg_sleep(1)');
unlike($idle->{stderr}, qr/more than there is/, 'nor does a reload warn those who have set nothing');
$idle->quit;
my $log_end = -s $node->logfile;
$node->restart;
wait_ready($node);
my $started = slurp_file($node->logfile, $log_end);
foreach my $name (grep { $_ ne 'gpuagg.host_threads' } sort keys %beyond)
{
	is(scalar(() = $started =~ /WARNING:  $name $beyond{$name}[1]/g), 1, "a start says of $name once in the log");
}
$node->safe_psql('postgres', 'ALTER SYSTEM RESET ALL');
$node->restart;

# Dump and restore.
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION gpuagg.stat_reset() TO pg_monitor');
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$node->command_ok(
	[ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
like(slurp_file($dump), qr/CREATE EXTENSION IF NOT EXISTS gpuagg/,
	'the dump holds the extension by name');
unlike(slurp_file($dump), qr/CREATE (FUNCTION|VIEW) gpuagg\./,
	'and not its parts');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok(
	[ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', $dump ],
	'restore');
is( $node->safe_psql(
		'restored',
		"SET gpuagg.debug_require = 'require'; SELECT count(*) FROM t; SELECT has_function_privilege('pg_monitor', 'gpuagg.stat_reset()', 'EXECUTE')"
	),
	"20000\nt",
	'the restored database groups, with the granted privilege');
$node->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE restored');
is( $node->safe_psql(
		'copied',
		"SET gpuagg.debug_require = 'require'; SELECT count(*) FROM t"),
	'20000',
	'and so does a copy');
crash_free($node, 'no crash');
$node->stop;
done_testing();
