# A task over kept columns that needs one exchange of messages with the worker, for its client
# has looked at the visibility map before: when it does, when not, and that it answers right
# and waits as long as it must in either case.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = need_fake_cards($tmp);

fake_does('cards 1');
my $node = new_node(
	'exchange',
	'shared_buffers = 32MB',
	"gpuagg.device = 'cuda:0'",
	$fake,
	'gpuagg.host_threads = 1',
	'gpuagg.device_memory = 64MB',
	'gpuagg.cache_size = 32MB',
	'jit = off',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

our $require = "SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;";
my $query = 'SELECT g, count(*), sum(v), min(v) FROM t GROUP BY g ORDER BY g';

# So many tasks were foreseen while the query ran, whose answer is PostgreSQL's
sub foreseen
{
	my ($expected, $name, $what) = @_;
	$what //= $query;
	my $stock = sql("SET gpuagg.enable = off; $what");
	my $before = counter($node, 'tasks_foreseen');

	is(sql("$require $what"), $stock, "$name: the answer");
	is(counter($node, 'tasks_foreseen') - $before, $expected, "$name: foreseen");
	return;
}

wait_cards($node, 1);
sql(q{
	CREATE TABLE t (g int, v int, s text COLLATE "C") WITH (autovacuum_enabled = off);
	INSERT INTO t SELECT i % 40, i, 's' || i % 9 FROM generate_series(1, 30000) i;
	VACUUM (FREEZE, ANALYZE) t;
	CREATE TABLE dim (g int PRIMARY KEY, w int);
	INSERT INTO dim SELECT i, i % 3 FROM generate_series(0, 20) i;
	ANALYZE dim;
	CREATE TABLE other (v int) WITH (autovacuum_enabled = off);
	INSERT INTO other SELECT generate_series(1, 5000);
	VACUUM (FREEZE, ANALYZE) other;
});

# ------------------------------------------------------------------ when ---
foreseen(0, 'nothing is kept yet');
foreseen(1, 'all is kept');
foreseen(0, 'a column more', 'SELECT s, count(*), sum(v) FROM t GROUP BY s ORDER BY s');
foreseen(1, 'strings', 'SELECT s, count(*), sum(v) FROM t GROUP BY s ORDER BY s');
foreseen(1, 'no column', 'SELECT count(*) FROM t');
foreseen(1, 'a condition that zones answer', 'SELECT count(*) FROM t WHERE v < 0');
foreseen(1, 'a join', 'SELECT w, count(*) FROM t JOIN dim ON t.g = dim.g GROUP BY w ORDER BY w');
my $before = counter($node, 'tasks_foreseen');
like(sql("$require EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query"), qr/Cached Pages: [1-9]/, 'stages that are timed');
is(counter($node, 'tasks_foreseen'), $before, 'begin by themselves');

# Kept pages of another table do not disturb whoever looks at the map afterwards.
sql("$require SELECT count(*) FROM other");
foreseen(1, 'other tables');

# --------------------------------------------------------------- changes ---
sql('UPDATE t SET v = v + 1 WHERE v = 17');
foreseen(0, 'a page has changed');
foreseen(1, 'and is kept');
sql('VACUUM t');
foreseen(1, 'the map has changed, which tells nothing new');
# where the WAL does not tell, the map has to
{
	local $require = "$require SET gpuagg.debug_wal = off;";

	foreseen(0, 'the map is another one than that by which pages were kept');
	foreseen(1, 'and is known again');
	sql('UPDATE t SET v = v + 1 WHERE v = 19');
	foreseen(0, 'by the map: a page has changed');
	sql('VACUUM t');
	foreseen(0, 'by the map: it has changed');
	foreseen(1, 'by the map: and is known again');
}
sql('DELETE FROM t WHERE v > 29000; VACUUM t');
foreseen(0, 'a shorter table');
foreseen(1, 'is kept again');
sql('INSERT INTO t SELECT i % 40, i, NULL FROM generate_series(1, 5000) i');
foreseen(0, 'rows that are not all-visible');
sql('VACUUM t');
foreseen(1, 'are, and were kept');
sql("SELECT gpuagg.unload('t')");
foreseen(0, 'nothing is kept any more');
foreseen(1, 'all is kept once more');

# An older snapshot sees what it saw, and its own changes.
{
	my $old = $node->background_psql('postgres');

	$old->query_safe("$require BEGIN ISOLATION LEVEL REPEATABLE READ");
	my $was = $old->query_safe($query);
	sql('UPDATE t SET g = g + 100 WHERE g < 3');
	isnt(sql("SET gpuagg.enable = off; $query"), $was, 'others see the change');
	is($old->query_safe($query), $was, 'an older snapshot does not');
	sql('VACUUM t');
	is($old->query_safe($query), $was, 'nor after VACUUM');
	foreseen(0, 'what cannot be all-visible');
	is($old->query_safe($query), $was, 'nor when others have read it');
	$old->query_safe('COMMIT');
	$old->quit;
}
sql('VACUUM t');
foreseen(1, 'its pages are kept');
is(sql("$require BEGIN; DELETE FROM t WHERE g = 5; $query; ROLLBACK"),
	sql("SET gpuagg.enable = off; BEGIN; DELETE FROM t WHERE g = 5; $query; ROLLBACK"), 'own changes');
sql('VACUUM t');
sql("$require $query");

# --------------------------------------------------------------- waiting ---
my $stock = sql("SET gpuagg.enable = off; $query");

# READY comes with the groups: that has nothing to do with the time to wait for a place.
fake_does('cards 1', 'hang 1');
my $psql = start_psql($node, "$require SET gpuagg.queue_timeout = '1s'; $query;");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.tasks WHERE state = 'running' AND pages_done > 0"),
	'a task tells its progress');
sleep 2.5;
fake_does('cards 1');
is(finish_psql($psql)->{stdout}, $stock, 'longer than gpuagg.queue_timeout');
no_tasks($node, 'nothing is left');

fake_does('cards 1', 'hang 1');
$psql = start_psql($node, "$require SET statement_timeout = '1s'; $query;");
like(finish_psql($psql)->{stderr}, qr/canceling statement due to statement timeout/, 'cancelled');
fake_does('cards 1');
no_tasks($node, 'nothing is left');
foreseen(1, 'after that');

# What fails, fails as it does otherwise.
foreach my $what ('fault 1', 'lost 1', 'memory 1')
{
	fake_does('cards 1', $what);
	is(sql("SET gpuagg.debug_require = 'require'; $query"), $stock, "$what: another device answers");
	fake_does('cards 1');
	wait_cards($node, 1);
	is(sql("$require $query"), $stock, 'and this one again');
}
no_tasks($node, 'nothing is left');

# Many at once, while the table changes.
my $rows = sql('SELECT count(*) FROM t');
my $script = "$tmp/clients.sql";
append_to_file($script, "SELECT 1 / (sum(n) = $rows)::int FROM (SELECT g, count(*) AS n FROM t GROUP BY g) x;\n$query;\n");
my $pgbench = start_pgbench($node, 100, '-M', 'prepared', '-c', 16, '-j', 2, '-T', 8, '-f', $script);
foreach my $i (1 .. 20)
{
	sql("UPDATE t SET v = v + 1 WHERE g = $i; " . ($i % 2 ? 'VACUUM t' : 'SELECT 1'));
	sleep 0.2;
}
my $ran = finish_pgbench($pgbench);
is($ran->{stderr}, '', 'clients saw all rows');
cmp_ok($ran->{transactions}, '>', 20, 'often');
sql('VACUUM t');
sql("$require $query");
foreseen(1, 'at the end');
no_tasks($node, 'nothing is left');

$node->stop;

# ----------------------------------------------------------------- cards ---
# Each card of a spread task has extents of its own, all of which must be all-visible.
fake_does('cards 2');
$node = new_node(
	'parts',
	'shared_buffers = 64MB',
	'wal_level = minimal',
	'max_wal_senders = 0',
	"gpuagg.device = 'cuda:0,cuda:1'",
	$fake,
	'gpuagg.host_threads = 1',
	'gpuagg.device_memory = 64MB',
	'gpuagg.cache_size = 32MB',
	'gpuagg.spread = always',
	'jit = off',
	'autovacuum = off');
wait_cards($node, 2);
# a page for each row
sql(q{
	CREATE TABLE t (g int, v int, pad text) WITH (autovacuum_enabled = off, fillfactor = 10);
	ALTER TABLE t ALTER pad SET STORAGE PLAIN;
	INSERT INTO t SELECT i % 40, i, repeat('x', 1000) FROM generate_series(1, 66000) i;
	VACUUM (FREEZE, ANALYZE) t;
});
foreseen(0, 'nothing is kept by two cards');
foreseen(2, 'each has its part');
sql('UPDATE t SET v = v + 1 WHERE v = 17');
foreseen(1, 'a page of one part has changed');
sql('VACUUM t');
foreseen(2, 'its map has, which tells nothing new');
no_tasks($node, 'nothing is left');

$node->stop;
done_testing();
