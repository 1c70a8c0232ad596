# The column cache over restarts, crashes and lost workers, its limit, tables of
# several extents, hot standby and promotion, and files that were not logged.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $query = 'SELECT g, count(*), sum(v), max(id) FROM t GROUP BY g ORDER BY g';

# Pages that a query read, that the device had, and that it kept
sub pages
{
	my ($node, $q) = @_;
	my $plan = $node->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) $q");

	return map { $plan =~ /"$_": (\d+)/ ? $1 : -1 } ('Pages', 'Cached Pages', 'Pages Kept');
}

# Pages at a table's end that nobody has written to: since 16 COPY adds many at once.
# No page of these tables is empty otherwise.
sub new_pages
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		q{SET gpuagg.enable = off; SELECT pg_relation_size('t') / 8192 - count(DISTINCT (ctid::text::point)[0]) FROM t});
}

# The query reads nothing, or as many pages as said, and its answer is right.
sub warm
{
	my ($node, $q, $name, $new) = @_;
	my ($read, $cached) = pages($node, $q);

	is($read, $new // 0, "$name: no page is read that somebody has written to");
	cmp_ok($cached, '>', 0, "$name: the device has them ($cached)");
	return same_answer($node, $q, "$name: the answer");
}

# It reads all pages and keeps them.
sub cold
{
	my ($node, $q, $name) = @_;
	my ($read, $cached, $kept) = pages($node, $q);

	is($cached, 0, "$name: the device has nothing");
	cmp_ok($read, '>', 0, "$name: pages are read ($read)");
	return cmp_ok($kept, '>', 0, "$name: and kept ($kept)");
}

sub cache_bytes
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		'SELECT coalesce(sum(bytes), 0) FROM gpuagg.cache');
}

# Stripes, dictionaries and directory
sub cache_used
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		"SELECT cache_used FROM gpuagg.devices WHERE state = 'ready'");
}

my $node = new_node('cache', 'shared_buffers = 256MB', 'autovacuum = off',
	'gpuagg.cache_size = 8MB');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g, i::int8 AS v, 't' || i % 7 AS t FROM generate_series(1, 20000) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) t');

# restart, crash, a worker that goes
cold($node, $query, 'first');
warm($node, $query, 'then');
cmp_ok(counter($node, 'pages_cached'), '>', 0, 'counted');
$node->restart;
wait_ready($node);
is(cache_bytes($node), 0, 'empty after a restart');
cold($node, $query, 'restarted');
warm($node, $query, 'restarted');
$node->safe_psql('postgres', 'UPDATE t SET v = v + 1 WHERE id < 10');
$node->stop('immediate');
$node->start;
wait_ready($node);
cold($node, $query, 'after a crash');
$node->safe_psql('postgres', 'VACUUM t');
same_answer($node, $query, 'after a crash and VACUUM');
warm($node, $query, 'after a crash and VACUUM');
warm($node, 'SELECT g, count(*) FROM t WHERE v > 50 AND id > 10000 GROUP BY g ORDER BY g', 'some of the columns');
my $worker = worker_pid($node);
kill 'TERM', $worker;
$node->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM gpuagg.devices WHERE state = 'ready' AND pid <> $worker");
is(cache_bytes($node), 0, 'empty after the worker was restarted');
cold($node, $query, 'after the worker was restarted');
warm($node, $query, 'after the worker was restarted');

# the worker goes while columns are filled in
slow_table($node, 3000);
my $slow = slow_query(10, $node);
my $reference = $node->safe_psql('postgres', "SET gpuagg.enable = off; $slow");
$node->safe_psql('postgres', "SELECT gpuagg.unload('slow')");
my $psql = start_psql($node,
	"SET jit = off; SET gpuagg.debug_require = prefer; $slow;");
wait_task($node);
kill 'TERM', worker_pid($node);
finish_psql($psql);
is($psql->{stdout}, $reference, 'a worker that goes while it fills: the query answers');
ok(wait_ready($node), 'it comes back');
same_answer($node, $slow, 'and fills');
same_answer($node, $slow, 'and uses');
# so does a query that is cancelled meanwhile
$node->safe_psql('postgres', "SELECT gpuagg.unload('slow')");
$psql = start_psql($node,
	"SET gpuagg.debug_require = require; $slow;");
my $pid = wait_task($node);
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
finish_psql($psql);
like($psql->{stderr}, qr/canceling statement/, 'a query is cancelled while it fills');
no_tasks($node, 'its task goes');
same_answer($node, $slow, 'the next fills');
same_answer($node, $slow, 'and uses');
$node->safe_psql('postgres', 'DROP TABLE slow');

# the limit, with more tables than fit, in any order
my ($limit, $most) = (8 * 1024 * 1024, 0);
foreach my $i (1 .. 8)
{
	$node->safe_psql('postgres',
		"CREATE TABLE l$i AS SELECT i AS id, i % $i AS g, i::int8 AS v, i % 1000 AS k FROM generate_series(1, 60000) i");
	$node->safe_psql('postgres', "VACUUM (FREEZE, ANALYZE) l$i");
}
srand(1);
foreach my $round (1 .. 40)
{
	my $i = 1 + int(rand(8));
	my $sum = (qw(v id g))[ int(rand(3)) ];

	same_answer($node, "SELECT g, k, count(*), sum($sum) FROM l$i GROUP BY g, k ORDER BY g, k", "round $round");
	my $bytes = cache_used($node);
	$most = $bytes if $bytes > $most;
}
cmp_ok($most, '>', $limit / 4, 'the cache was filled');
cmp_ok($most, '<=', $limit, "its limit was kept ($most bytes at most)");
$node->safe_psql('postgres', "DROP TABLE l$_") foreach (1 .. 8);

# several extents: a page for each row
$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 64MB');
$node->restart;
wait_ready($node);
$node->safe_psql(
	'postgres', q{
	CREATE TABLE wide (id int, g int, v int8, pad text);
	ALTER TABLE wide ALTER pad SET STORAGE PLAIN;
	INSERT INTO wide SELECT i, i % 10, i, repeat('x', 7000) FROM generate_series(1, 34000) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) wide');
my $wide = 'SELECT g, count(*), sum(v), min(id) FROM wide GROUP BY g ORDER BY g';
cold($node, $wide, 'two extents');
warm($node, $wide, 'two extents');
$node->safe_psql('postgres', 'UPDATE wide SET v = v + 1 WHERE id = 100');
my ($read, $cached) = pages($node, $wide);
cmp_ok($read, '<=', 3, "an update: only its pages are read ($read)");
cmp_ok($cached, '>', 33990, "the others are there ($cached)");
$node->safe_psql('postgres', 'VACUUM wide');
($read, $cached) = pages($node, $wide);
cmp_ok($read, '<=', 3, "VACUUM: only these are read again ($read)");
cmp_ok($cached, '>', 33990, "the others are there ($cached)");
warm($node, $wide, 'two extents, vacuumed');
$node->safe_psql('postgres', 'DELETE FROM wide WHERE id > 33000');
$node->safe_psql('postgres', 'VACUUM wide');
same_answer($node, $wide, 'the last extent is cut off');
$node->safe_psql('postgres', q{INSERT INTO wide SELECT i, i % 3, 1, repeat('y', 7000) FROM generate_series(40001, 41000) i});
same_answer($node, $wide, 'and grows again');
$node->safe_psql('postgres', 'VACUUM wide');
same_answer($node, $wide, 'and is vacuumed');
warm($node, $wide, 'and is warm');

# A card keeps room for all strings of batches under way, which are long.
$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 512MB');
$node->restart;
wait_ready($node);

# More groups than a dictionary has strings, by two keys of which one has few: columns are used all the same
$node->safe_psql(
	'postgres', q{
	CREATE TABLE many (id int, t text);
	INSERT INTO many SELECT i, 't' || i % 7 FROM generate_series(1, 2200000) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) many');
my $many = 'SELECT id, t, count(*) FROM many GROUP BY id, t HAVING count(*) > 1';
cold($node, $many, 'many groups');
warm($node, $many, 'many groups');
$node->safe_psql('postgres', 'DROP TABLE many');

# load() tells how many pages are not there, of those with rows: since 16 tables grow by many at once
$node->safe_psql('postgres', q{
	CREATE TABLE grown (id int, pad text);
	ALTER TABLE grown ALTER pad SET STORAGE PLAIN;
	INSERT INTO grown SELECT i, repeat('x', 7000) FROM generate_series(1, 1000) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) grown');
my ($rc, $out, $notice) = $node->psql('postgres', q{SELECT gpuagg.load('grown') > 0});
is("$out$notice", 't', 'load() of all pages has nothing to tell');
$node->safe_psql('postgres', 'UPDATE grown SET id = -id WHERE id IN (7, 500, 993)');
($rc, $out, $notice) = $node->psql('postgres', q{SELECT gpuagg.load('grown') > 0});
like($notice, qr/NOTICE:  997 of 1003 pages of table "grown"/, 'it counts pages of old and new versions');
$node->safe_psql('postgres', 'VACUUM grown');
($rc, $out, $notice) = $node->psql('postgres', q{SELECT gpuagg.load('grown') > 0});
is("$out$notice", 't', 'until these are vacuumed, too');
$node->safe_psql('postgres', 'DROP TABLE grown');

# where the directory takes as much as the columns, it counts as they do
$node->append_conf('postgresql.conf', 'gpuagg.cache_size = 1MB');
$node->restart;
wait_ready($node);
($limit, $most) = (1024 * 1024, 0);
foreach my $round (1 .. 3)
{
	foreach my $q ($wide, 'SELECT count(*) FROM wide', 'SELECT sum(id) FROM wide', $query)
	{
		same_answer($node, $q, "a small cache, round $round");
		my $bytes = cache_used($node);
		$most = $bytes if $bytes > $most;
	}
}
cmp_ok($most, '>', $limit / 4, 'a small cache was filled');
cmp_ok($most, '<=', $limit, "its limit was kept, directory included ($most bytes at most)");
# tables of which nothing is held take nothing for long
$node->safe_psql('postgres', "CREATE TABLE e$_ AS SELECT i AS a FROM generate_series(1, 10) i") foreach (1 .. 50);
$node->safe_psql('postgres', join('', map { "SET gpuagg.debug_require = 'require'; SELECT sum(a) FROM e$_;" } (1 .. 50)));
cmp_ok(cache_used($node), '<=', $limit, 'so it is with many tables');
crash_free($node, 'no crash');
$node->stop;

# hot standby
my $primary = new_node('primary', 'shared_buffers = 64MB', 'autovacuum = off');
$primary->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g, i::int8 AS v, 't' || i % 7 AS t FROM generate_series(1, 20000) i;});
$primary->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) t');
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf',
	"max_standby_streaming_delay = -1\nhot_standby_feedback = off\n");
$standby->start;
wait_ready($standby);

# VACUUM does not wait for its records to be flushed.
sub both
{
	my ($what) = @_;

	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
	same_answer($standby, $query, "standby: $what");
	is( $standby->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; $query"),
		$primary->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; $query"),
		"primary and standby agree: $what");
	return;
}
both('cold');
warm($standby, $query, 'standby');
$primary->safe_psql('postgres', 'UPDATE t SET v = v + 1 WHERE id < 50');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
($read, $cached) = pages($standby, $query);
cmp_ok($cached, '>', 0, "standby: most are used ($cached)");
cmp_ok($read, '>', 0, "standby: changed pages are read ($read)");
both('updated');
($read, $cached) = pages($standby, $query);
is($read, 0, 'standby: once');
$primary->safe_psql('postgres', 'VACUUM t');
both('vacuumed');
both('vacuumed, again');
warm($standby, $query, 'standby, vacuumed');
$primary->safe_psql('postgres', 'DELETE FROM t WHERE id % 100 = 1');
both('deleted');
# a snapshot of the standby that is older than a VACUUM
my $reader = $standby->background_psql('postgres');
$reader->query_safe("SET gpuagg.debug_require = 'require'");
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
my $seen = $reader->query_safe($query);
$primary->safe_psql('postgres', 'UPDATE t SET v = 7 WHERE id % 50 = 3');
$primary->safe_psql('postgres', 'INSERT INTO t SELECT i, 3, 1 FROM generate_series(30001, 31000) i');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
is($reader->query_safe($query), $seen, 'an old snapshot stays as it was');
same_answer($standby, $query, 'standby: a new one beside it');
is($reader->query_safe($query), $seen, 'and stays');
$reader->query_safe('COMMIT');
$reader->quit;
both('after it');
$primary->safe_psql('postgres', 'VACUUM t');
both('vacuumed');
warm($standby, $query, 'standby, before promotion');
$primary->safe_psql('postgres', 'TRUNCATE t; INSERT INTO t SELECT i, i % 3, 2 FROM generate_series(1, 5000) i');
both('truncated');
$primary->safe_psql('postgres', 'VACUUM (FREEZE) t');
both('truncated and vacuumed');
warm($standby, $query, 'standby, truncated and vacuumed');
$standby->promote;
warm($standby, $query, 'promoted');
$standby->safe_psql('postgres', 'UPDATE t SET v = v + 1 WHERE id < 10; DELETE FROM t WHERE id BETWEEN 100 AND 110');
same_answer($standby, $query, 'promoted, changed');
$standby->safe_psql('postgres', 'VACUUM t');
same_answer($standby, $query, 'promoted, vacuumed');
warm($standby, $query, 'promoted, vacuumed');
crash_free($_, 'no crash') foreach ($primary, $standby);
$standby->stop;
$primary->stop;

# what is not logged: map pages without an LSN are logged, once; LSNs of 0 are
# not compared
my $minimal = new_node('minimal', 'shared_buffers = 64MB', 'autovacuum = off',
	'wal_level = minimal', 'max_wal_senders = 0', 'archive_mode = off',
	'wal_skip_threshold = 0');
my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/rows", join('', map { my $g = $_ % 10; "$_\t$g\t$_\n" } 1 .. 20000));
chmod 0644, "$dir/rows";
$minimal->safe_psql('postgres', "BEGIN; CREATE TABLE t (id int, g int, v int8); COPY t FROM '$dir/rows' WITH (FREEZE); COMMIT");
cold($minimal, $query, 'wal_level = minimal: frozen by COPY');
warm($minimal, $query, 'wal_level = minimal: frozen by COPY', new_pages($minimal));
$minimal->safe_psql('postgres', "SELECT gpuagg.unload('t')");
my (undef, undef, $notice) = $minimal->psql('postgres', "SELECT gpuagg.load('t')");
is($notice, '', 'wal_level = minimal: load() keeps all of it');
$minimal->restart;
wait_ready($minimal);
cold($minimal, $query, 'wal_level = minimal: restarted');
warm($minimal, $query, 'wal_level = minimal: restarted', new_pages($minimal));
same_answer($minimal, $query, 'wal_level = minimal: frozen by COPY');
foreach my $round (1 .. 3)
{
	$minimal->safe_psql('postgres', "UPDATE t SET v = v + 1 WHERE id = $round * 5000");
	same_answer($minimal, $query, "wal_level = minimal: update $round");
	$minimal->safe_psql('postgres', 'VACUUM t');
	same_answer($minimal, $query, "wal_level = minimal: vacuum $round");
	warm($minimal, $query, "wal_level = minimal: round $round", new_pages($minimal));
}
$minimal->safe_psql('postgres', "BEGIN; TRUNCATE t; COPY t FROM '$dir/rows' WITH (FREEZE); DELETE FROM t WHERE g = 3; COMMIT");
same_answer($minimal, $query, 'wal_level = minimal: truncated and copied');
$minimal->safe_psql('postgres', "BEGIN; SAVEPOINT a; TRUNCATE t; COPY t FROM '$dir/rows' WITH (FREEZE); ROLLBACK TO a; DELETE FROM t WHERE g = 4; COMMIT");
same_answer($minimal, $query, 'wal_level = minimal: rolled back');
$minimal->safe_psql('postgres', 'VACUUM (FREEZE) t');
same_answer($minimal, $query, 'wal_level = minimal: vacuumed');
warm($minimal, $query, 'wal_level = minimal: vacuumed', new_pages($minimal));

# what is kept of a dropped database goes with it, and nothing else does
my $held = 'SELECT count(*), sum(bytes) FROM gpuagg.cache';
my $before = $minimal->safe_psql('postgres', $held);
foreach my $database ('gone', 'gone_too')
{
	$minimal->safe_psql('postgres', "CREATE DATABASE $database");
	$minimal->safe_psql($database, q{
		CREATE EXTENSION gpuagg;
		CREATE TABLE d AS SELECT i AS id, i % 10 AS g, 'key ' || i % 7 AS k FROM generate_series(1, 100000) i;
		VACUUM (FREEZE) d;
		SELECT gpuagg.load('d');});
}
my $all = '(SELECT c.*, d.datname FROM gpuagg.get_cache() c LEFT JOIN pg_database d ON d.oid = c.datid) x';
my $gone = "SELECT count(*), sum(bytes) FROM $all WHERE datname IS NULL OR datname LIKE 'gone%'";
like($minimal->safe_psql('postgres', $gone), qr/^8\|/, 'columns of two databases, and what they share');
$minimal->psql('gone', 'DROP DATABASE gone');
$minimal->psql('postgres', 'BEGIN; DROP DATABASE gone');
like($minimal->safe_psql('postgres', $gone), qr/^8\|/, 'a DROP DATABASE that fails changes nothing');
# while somebody is there, who fills
my $there = start_psql($minimal, "\\c gone_too\nSELECT gpuagg.load('d');\nSELECT pg_sleep(60);");
$minimal->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = 'gone_too' AND query LIKE '%pg_sleep%'");
$minimal->safe_psql('postgres', 'DROP DATABASE gone');
ok($minimal->poll_query_until('postgres', "SELECT count(*) = 4 FROM $all WHERE datname IS NULL OR datname LIKE 'gone%'"), 'columns of a dropped database go');
$minimal->safe_psql('postgres', 'DROP DATABASE gone_too WITH (FORCE)');
finish_psql($there);
ok($minimal->poll_query_until('postgres', "SELECT count(*) = 0 FROM $all WHERE datname IS NULL OR datname LIKE 'gone%'"), 'and those of another');
is($minimal->safe_psql('postgres', $held), $before, 'all others stay');
# more than the worker can be told of at once
$worker = worker_pid($minimal);
kill 'STOP', $worker;
$minimal->safe_psql('postgres', $_) foreach map { ("CREATE DATABASE many_$_", "DROP DATABASE many_$_") } 1 .. 17;
kill 'CONT', $worker;
ok($minimal->poll_query_until('postgres', 'SELECT count(*) = 0 FROM gpuagg.get_cache()'), 'too many to be told apart: all go');
same_answer($minimal, $query, 'and come again');
warm($minimal, $query, 'and come again', new_pages($minimal));
crash_free($minimal, 'no crash');
$minimal->stop;
done_testing();
