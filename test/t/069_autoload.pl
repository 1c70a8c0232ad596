# What stayed on the device is loaded again after a restart (gpuagg.autoload), and what
# is pinned (gpuagg.pin) is not displaced: restarts, crashes, damaged and foreign files,
# tables, columns and databases that have gone, no place for a worker, a standby.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

sub ask
{
	my ($node, $sql, $db) = @_;

	return $node->safe_psql($db // 'postgres', $sql);
}

# A query of a device, whose columns are then kept
sub use_columns
{
	my ($node, $query, $db) = @_;

	return ask($node, "SET gpuagg.debug_require = 'require'; $query", $db);
}

# Columns that are kept, with how many pages: 'table.column:pages', with '!' if pinned
sub kept
{
	my ($node, $db) = @_;

	return ask($node, q{SELECT string_agg(format('%s.%s:%s%s', relation, column_name, pages, CASE WHEN pinned THEN '!' END),
		' ' ORDER BY relation::text, attnum) FROM gpuagg.cache
		WHERE attnum > 0 AND pages > 0 AND datname = current_database()}, $db);
}

sub kept_file { return $_[0]->data_dir . '/gpuagg.autoload' }

# Waits for what the log says from a place on.
sub logged
{
	my ($node, $log, $pattern, $name) = @_;

	return ok($node->wait_for_log($pattern, $log), $name);
}

# Restarts it; what is kept in the end without any query.
sub restarted
{
	my ($node, $expected, $name) = @_;
	my $log = -s $node->logfile;

	$node->restart;
	logged($node, $log, qr/of \d+ tables of database "postgres".*were loaded again/, "$name: something was loaded");
	return is(kept($node), $expected, "$name: what is kept");
}

# Starts a server that was stopped; nothing is loaded, which the log gives a reason for.
sub started_cold
{
	my ($node, $pattern, $name) = @_;
	my $log = -s $node->logfile;

	$node->start;
	logged($node, $log, $pattern, "$name: the log says why");
	wait_ready($node);
	return is(kept($node), '', "$name: nothing is kept");
}

sub write_file
{
	my ($path, $text) = @_;

	open my $out, '>', $path or die "$path: $!";
	print $out $text;
	return close $out;
}

my $node = new_node('autoload', 'autovacuum = off', 'gpuagg.autoload = on', 'gpuagg.cache_size = 64MB');
ask($node, q{
	CREATE TABLE a AS SELECT i % 10 AS g, i::int8 AS v, 'n' || i % 7 AS t, i AS unused FROM generate_series(1, 20000) i;
	CREATE TABLE b AS SELECT i % 10 AS g, i::int8 AS v FROM generate_series(1, 20000) i;
	CREATE TABLE rows_only AS SELECT i FROM generate_series(1, 20000) i;
	CREATE DATABASE other;});
ask($node, 'CREATE EXTENSION gpuagg; CREATE TABLE o AS SELECT i % 10 AS g, i::int8 AS v FROM generate_series(1, 20000) i', 'other');
ask($node, 'VACUUM (FREEZE, ANALYZE)');
ask($node, 'VACUUM (FREEZE, ANALYZE) o', 'other');

# ---------------------------------------------------------------- restarts ---

use_columns($node, 'SELECT t, sum(v) FROM a GROUP BY t');
use_columns($node, 'SELECT g, sum(v) FROM b GROUP BY g') foreach (1 .. 3);
use_columns($node, 'SELECT count(*) FROM rows_only');
use_columns($node, 'SELECT g, sum(v) FROM o GROUP BY g', 'other');
my $all = kept($node);
my $other = kept($node, 'other');
like($all, qr/^a\.v:\d+ a\.t:\d+ b\.g:\d+ b\.v:\d+$/, "kept: $all");
my $rows_only = q{SELECT pages FROM gpuagg.cache WHERE relation = 'rows_only'::regclass};
my $rows_pages = ask($node, $rows_only);
restarted($node, $all, 'restart');
is(ask($node, $rows_only), $rows_pages, 'restart: which rows there are of a table without columns');
$node->poll_query_until('other', q{SELECT count(*) = 3 FROM gpuagg.cache WHERE datname = 'other' AND pages > 0});
is(kept($node, 'other'), $other, 'restart: of the other database');
same_answer($node, 'SELECT t, sum(v) FROM a GROUP BY t ORDER BY t', 'restart: the answer');
my ($read) = use_columns($node, 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT g, sum(v) FROM b GROUP BY g')
  =~ /"Pages": (\d+)/;
is($read, 0, 'restart: a query reads no page');
restarted($node, $all, 'once more');

# other files of the same table, and a worker that goes
ask($node, 'VACUUM FULL b');
ask($node, 'VACUUM (FREEZE, ANALYZE) b');
use_columns($node, 'SELECT g, sum(v) FROM b GROUP BY g');
$all = kept($node);
# the keeper may just have looked when b was not there
ok($node->poll_query_until('postgres', q{SELECT pg_read_file('gpuagg.autoload') ~ format('\m%s\M', 'b'::regclass::oid)}),
	'the list has them');
ask($node, 'SELECT gpuagg.reset_device()');
ok($node->poll_query_until('postgres', "SELECT count(*) >= 4 FROM gpuagg.cache WHERE attnum > 0 AND pages > 0 AND datname = 'postgres'"),
	'a worker that was started anew has them again');
is(kept($node), $all, 'the same');

# a crash: what was written before it
my $oid = ask($node, q{SELECT 'a'::regclass::oid});
use_columns($node, 'SELECT g, sum(v) FROM a GROUP BY g');
$all = kept($node);
like($all, qr/a\.g:/, "one more is kept: $all");
for (1 .. 300)
{
	last if slurp_file(kept_file($node)) =~ /^\d+ $oid 1 0 \d+$/m;
	Time::HiRes::sleep(0.1);
}
$node->stop('immediate');
my $log = -s $node->logfile;
$node->start;
logged($node, $log, qr/database "postgres".*were loaded again/, 'crash: loaded');
is(kept($node), $all, 'crash: what is kept');

# ------------------------------------------------------- files, and no file ---

sub damaged
{
	my ($text, $pattern, $name) = @_;

	$node->stop;
	write_file(kept_file($node), $text);
	started_cold($node, $pattern, $name);
	use_columns($node, 'SELECT g, sum(v) FROM b GROUP BY g');
	return;
}
$node->stop;
my $file = slurp_file(kept_file($node));
$node->start;
wait_ready($node);
damaged(substr($file, 0, length($file) - 20), qr/"gpuagg.autoload" is ignored: it is damaged/, 'truncated');
(my $changed = $file) =~ s/ (\d)(\d*) 0 / 9$2 0 /;
damaged($changed, qr/"gpuagg.autoload" is ignored: it is damaged/, 'changed');
damaged("\0\1\2" x 1000, qr/"gpuagg.autoload" is ignored: its version is another one/, 'garbage');
damaged('', qr/"gpuagg.autoload" is ignored: its version is another one/, 'empty');
($changed = $file) =~ s/^system \d+/system 1234567/m;
damaged($changed, qr/"gpuagg.autoload" is ignored: it is of another database cluster/, 'another cluster');
$node->stop;
unlink kept_file($node);
$node->start;
wait_ready($node);
is(kept($node), '', 'no file: nothing is kept');
crash_free($node, 'no crash of any file');

# ------------------------------------------------------------ what has gone ---

use_columns($node, 'SELECT t, sum(v) FROM a GROUP BY t');
use_columns($node, 'SELECT g, sum(v) FROM b GROUP BY g');
use_columns($node, 'SELECT g, sum(v) FROM o GROUP BY g', 'other');
# a shutdown before the keeper has looked for the file leaves none
for (1 .. 300)
{
	last if -e kept_file($node);
	Time::HiRes::sleep(0.1);
}
$node->stop;
$file = slurp_file(kept_file($node));
$node->start;
wait_ready($node);
ask($node, 'DROP TABLE b; ALTER TABLE a DROP COLUMN t');
ok( $node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = 'other'}),
	'nobody is in the other database');
ask($node, 'DROP DATABASE other');
$node->stop;
write_file(kept_file($node), $file);
$log = -s $node->logfile;
$node->start;
logged($node, $log, qr/of 2 tables of database "postgres".*, 1 were loaded again/, 'a dropped table: the others');
like(kept($node), qr/^a\.v:\d+$/, 'a dropped column: the others');
unlike(substr(slurp_file($node->logfile), $log), qr/FATAL|ERROR/, 'nothing else is in the log');

# ------------------------------------------------------- off, and no place ---

$node->append_conf('postgresql.conf', 'gpuagg.autoload = off');
$node->restart;
wait_ready($node);
is(ask($node, q{SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'gpuagg autoload%'}), 0, 'off: no worker');
is(kept($node), '', 'off: nothing is loaded');
$node->append_conf('postgresql.conf', "gpuagg.autoload = on\nmax_worker_processes = 3");	# the launcher's, two of ours
$log = -s $node->logfile;
$node->restart;
logged($node, $log, qr/columns of database \d+ are not loaded now: there is no place among max_worker_processes/,
	'no place: the log says so');
use_columns($node, 'SELECT g, sum(v) FROM a GROUP BY g');
like(kept($node), qr/^a\.g:\d+ a\.v:\d+$/, 'no place: queries keep what they read');
$node->append_conf('postgresql.conf', "max_worker_processes = 8\ngpuagg.enable = off");
$node->restart;
wait_ready($node);
is(kept($node), '', 'gpuagg.enable = off: nothing is loaded');
$node->append_conf('postgresql.conf', 'gpuagg.enable = on');
$node->reload;
ok( $node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM gpuagg.cache WHERE attnum > 0 AND pages > 0}),
	'and when it is on again, what the file has');

# --------------------------------------------------------------------- pins ---

my ($rc, $out, $err);
$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 2MB');
ask($node, q{
	CREATE TABLE small AS SELECT i AS k, i::int8 AS v FROM generate_series(1, 20000) i;
	CREATE TABLE large AS SELECT i % 10 AS g, i::int8 AS v, i::int8 AS w, i::float8 AS x FROM generate_series(1, 300000) i;
	CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN;
	ALTER TABLE small OWNER TO owner; GRANT SELECT ON small, large TO reader;});
ask($node, 'VACUUM (FREEZE, ANALYZE)');
$node->restart;
wait_ready($node);
($rc, $out, $err) = $node->psql('postgres', 'SET ROLE reader; SELECT gpuagg.pin($$small$$)');
like($err, qr/must be owner of table small/, 'pin: not for who may read');
($rc, $out, $err) = $node->psql('postgres', 'SELECT gpuagg.pin($$large$$)');
like($err, qr/pinned columns would take \d+ kB of the 1024 kB that they may.*HINT:  Name fewer columns/s, 'pin: too much');
is(ask($node, 'SELECT count(*) FROM gpuagg.cache WHERE pinned'), 0, 'pin: then nothing is pinned');
cmp_ok(ask($node, 'SET ROLE owner; SELECT gpuagg.pin($$small$$)'), '>', 200000, 'pin: bytes');
my $pinned = kept($node);
like($pinned, qr/^(a\S+ )*small\.k:\d+! small\.v:\d+!$/, "pinned: $pinned");
$pinned =~ s/^(a\S+ )*//;
for my $i (1 .. 4)
{
	use_columns($node, 'SELECT g, sum(v), sum(w), sum(x) FROM large GROUP BY g') foreach (1 .. 3);
	use_columns($node, 'SELECT g, sum(v) FROM a GROUP BY g');
}
my $now = kept($node);
ok(index($now, $pinned) >= 0, 'pinned columns stay beside a larger table') or diag($now);
ask($node, 'UPDATE small SET v = v + 1 WHERE k % 1000 = 0');
same_answer($node, 'SELECT count(*), sum(k), sum(v) FROM small', 'pinned: changed');
ask($node, 'VACUUM small');
same_answer($node, 'SELECT count(*), sum(k), sum(v) FROM small', 'pinned: vacuumed');
like(kept($node), qr/small\.k:\d+! small\.v:\d+!/, 'pinned: they still are');
$log = -s $node->logfile;
$node->restart;
logged($node, $log, qr/database "postgres".*were loaded again/, 'pinned: loaded after a restart');
like(kept($node), qr/small\.k:\d+! small\.v:\d+!/, 'pinned: and pinned');
ask($node, 'VACUUM FULL small');
ask($node, 'VACUUM (FREEZE, ANALYZE) small');
use_columns($node, 'SELECT count(*), sum(k), sum(v) FROM small');
like(kept($node), qr/small\.k:\d+! small\.v:\d+!/, 'pinned: other files');
is(ask($node, 'SELECT gpuagg.unpin($$small$$, $${v}$$)'), 1, 'unpin: one column');
like(kept($node), qr/small\.k:\d+! small\.v:\d+$/, 'unpin: the other one is');
is(ask($node, 'SELECT gpuagg.unpin($$small$$)'), 1, 'unpin: the rest');
$log = -s $node->logfile;
ask($node, 'SELECT gpuagg.reset_device()');
logged($node, $log, qr/database "postgres".*were loaded again/, 'unpin: a worker that was started anew');
is(ask($node, 'SELECT count(*) FROM gpuagg.cache WHERE pinned'), 0, 'unpin: it pins nothing again');
for my $i (1 .. 6)
{
	use_columns($node, 'SELECT g, sum(v), sum(w), sum(x) FROM large GROUP BY g') foreach (1 .. 3);
}
unlike(kept($node), qr/small/, 'unpin: the larger table displaces it');
ask($node, 'SET ROLE owner; SELECT gpuagg.pin($$small$$, $${k}$$); SELECT gpuagg.unload($$small$$)');
is(ask($node, q{SELECT count(*) FROM gpuagg.cache WHERE relation = 'small'::regclass}), 0, 'unload: of what is pinned');
use_columns($node, 'SELECT count(*), sum(k) FROM small');
is(ask($node, 'SELECT count(*) FROM gpuagg.cache WHERE pinned'), 0, 'unload: it is not pinned any more');
ask($node, 'SELECT gpuagg.pin($$small$$)');
ask($node, 'DROP TABLE small');
ask($node, 'SELECT gpuagg.pin($$a$$)');
unlike(do { $node->stop; slurp_file(kept_file($node)) }, qr/ 1 0$/m, 'a pin goes with its table');
crash_free($node, 'no crash');

# ------------------------------------------------------------------ standby ---

$node->start;
wait_ready($node);
use_columns($node, 'SELECT g, sum(v) FROM a GROUP BY g');
$node->restart;
$node->append_conf('pg_hba.conf', 'local replication all trust');
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
ok($standby->wait_for_log(qr/database "postgres".*were loaded again/), 'standby: what the primary had');
like(kept($standby), qr/a\.g:\d+! a\.v:\d+!/, 'standby: is kept, and pinned');
same_answer($standby, 'SELECT g, sum(v) FROM a GROUP BY g ORDER BY g', 'standby: the answer');
$log = -s $standby->logfile;
$standby->restart;
logged($standby, $log, qr/database "postgres".*were loaded again/, 'standby: what it had itself');
crash_free($_, 'no crash') foreach ($node, $standby);
$standby->stop;
$node->stop;
done_testing();
