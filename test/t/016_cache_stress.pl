# Writers of every kind beside readers at every isolation level, with the
# column cache on: each answer of the device is PostgreSQL's, in the same
# snapshot.  GPUAGG_STRESS_SECONDS: for how long.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 60;
my $node = new_node(
	'cache_stress',
	'shared_buffers = 48MB',
	'autovacuum = off',
	'vacuum_freeze_min_age = 0',
	'synchronous_commit = off',
	'gpuagg.cache_size = 8MB',
	'max_prepared_transactions = 4');

# w is written by many small transactions, r rewritten and altered as a whole,
# c, of two zones, changed now and then.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE w (id int PRIMARY KEY, g int, v int8, f float8, t text, c char(4), d date, b bool) WITH (fillfactor = 80);
	INSERT INTO w SELECT i, i % 20, 100, i, 't' || i % 11, 'c' || i % 5, date '2020-01-01' + i % 30, i % 3 = 0
	FROM generate_series(1, 20000) i;
	CREATE TABLE r AS SELECT i AS id, i % 7 AS g, 10::int8 AS v, 'r' || i % 3 AS t FROM generate_series(1, 8000) i;
	CREATE TABLE c AS SELECT i AS id, i % 100 AS g, i::int8 AS v, 'c' || i % 1000 AS t FROM generate_series(1, 100000) i;});
make_compared($node, "gpuagg.debug_require = 'prefer'", 'cpu_tuple_cost = 10', 'cpu_operator_cost = 100');
$node->safe_psql('postgres', "VACUUM (FREEZE, ANALYZE) $_") foreach qw(w r c);

my %script = (
	write => q{
\set a random(1, 20000)
\set b random(1, 20000)
\set r random(1, 12)
\if :r <= 4
UPDATE w SET v = v + 1, f = f + 0.5 WHERE id = :a;
\elif :r = 5
BEGIN;
UPDATE w SET v = v - 1 WHERE id = least(:a, :b);
SAVEPOINT x;
UPDATE w SET v = v + 5, t = 'new' || :r WHERE id = :b;
ROLLBACK TO x;
UPDATE w SET v = v + 1 WHERE id = greatest(:a, :b);
COMMIT;
\elif :r = 6
DELETE FROM w WHERE id = :a;
\elif :r = 7
INSERT INTO w SELECT :a, :a % 20, 7, :a, NULL, 'x', NULL, NULL ON CONFLICT DO NOTHING;
\elif :r = 8
BEGIN;
DELETE FROM w WHERE id BETWEEN :a AND :a + 20;
INSERT INTO w SELECT i, i % 20, 3, i, 'again' || i % 5, 'y', date '2021-01-01', true FROM generate_series(:a, :a + 10) i ON CONFLICT DO NOTHING;
ROLLBACK;
\elif :r = 9
BEGIN;
SAVEPOINT x;
INSERT INTO w SELECT i, i % 20, 4, i, 'sub', 'z', date '2022-01-01', false FROM generate_series(:a, :a + 10) i ON CONFLICT DO NOTHING;
RELEASE x;
SELECT compared('SELECT g, count(*), sum(v), max(t COLLATE "C") FROM w GROUP BY g');
COMMIT;
\elif :r = 10
SELECT count(*) FROM (SELECT FROM w WHERE id BETWEEN :a AND :a + 5 FOR UPDATE) x;
\elif :r = 11
UPDATE w SET g = (g + 1) % 20, t = 't' || :a % 13 WHERE id BETWEEN :a AND :a + 3;
\else
UPDATE w SET b = NOT b, c = 'u' || :a % 4 WHERE id = :b;
\endif
},
	rewrite => q{
\set r random(1, 13)
\sleep 60 ms
\if :r = 1
BEGIN;
TRUNCATE r;
INSERT INTO r (id, g, v, t) SELECT i, i % 5, 3, 'n' || i % 4 FROM generate_series(1, 6000) i;
SELECT compared('SELECT g, count(*), sum(v), max(id) FROM r GROUP BY g');
COMMIT;
\elif :r = 2
BEGIN;
TRUNCATE r;
INSERT INTO r (id, g, v, t) SELECT i, i % 5, 4, 'm' || i % 4 FROM generate_series(1, 3000) i;
ROLLBACK;
\elif :r = 3
ALTER TABLE r ALTER g TYPE int8;
\elif :r = 4
ALTER TABLE r ALTER g TYPE int4;
\elif :r = 5
VACUUM FULL r;
\elif :r = 6
BEGIN;
ALTER TABLE r DROP COLUMN t;
ALTER TABLE r ADD COLUMN t text DEFAULT 'default' || (random() * 5)::int;
SELECT compared('SELECT t, count(*), sum(v) FROM r GROUP BY t');
COMMIT;
\elif :r = 7
BEGIN;
ALTER TABLE r ADD COLUMN extra int DEFAULT 11;
SELECT compared('SELECT extra, count(*), sum(v) FROM r GROUP BY extra');
ROLLBACK;
BEGIN;
ALTER TABLE r ADD COLUMN extra int DEFAULT 12;
SELECT compared('SELECT extra, count(*), sum(v) FROM r GROUP BY extra');
COMMIT;
SELECT compared('SELECT extra, count(*), sum(v) FROM r GROUP BY extra');
ALTER TABLE r DROP COLUMN extra;
\elif :r = 8
DELETE FROM r WHERE id > 2000;
VACUUM r;
\elif :r = 9
INSERT INTO r (id, g, v, t) SELECT i, i % 6, 5, 'i' || i % 4 FROM generate_series(3000, 5000) i;
\elif :r = 10
BEGIN;
CREATE INDEX r_v ON r (v, id);
CLUSTER r USING r_v;
DROP INDEX r_v;
COMMIT;
\elif :r = 11
BEGIN;
UPDATE r SET v = v + 1 WHERE id % 50 = 0;
SAVEPOINT a;
TRUNCATE r;
ROLLBACK TO a;
SELECT compared('SELECT g, count(*), sum(v), max(id) FROM r GROUP BY g');
COMMIT;
\elif :r = 12
BEGIN;
LOCK r;
CREATE TABLE r_next AS SELECT id, g, v, t FROM r;
DROP TABLE r;
ALTER TABLE r_next RENAME TO r;
COMMIT;
\else
VACUUM r;
\endif
},
	vacuum => q{
\set r random(1, 6)
\sleep 40 ms
\if :r = 1
VACUUM (FREEZE) w;
\elif :r = 2
VACUUM c;
\elif :r = 3
\set a random(1, 100000)
UPDATE c SET v = -v, id = CASE WHEN id = 1 THEN 200000 ELSE id END WHERE id IN (:a, 1);
DELETE FROM c WHERE id = :a + 5;
VACUUM c;
\else
VACUUM w;
\endif
});

# Readers: what they ask, in a transaction of each level; twice, with a pause
# in which others write.
my $ask = q{
\if :q = 1
SELECT compared('SELECT g, count(*), sum(v), min(id), max(f) FROM w GROUP BY g');
\elif :q = 2
SELECT compared('SELECT t, count(*), sum(v) FROM w GROUP BY t');
\elif :q = 3
SELECT compared('SELECT c, d, count(*), max(v) FROM w WHERE t = ''t3'' OR b GROUP BY c, d');
\elif :q = 4
SELECT compared('SELECT count(*), sum(v), count(b), count(t) FROM w');
\elif :q = 5
SELECT compared('SELECT g, count(*), sum(v), max(id) FROM r GROUP BY g');
\elif :q = 6
SELECT compared('SELECT t, count(*), sum(v) FROM r WHERE id > 100 GROUP BY t');
\elif :q = 7
SELECT compared('SELECT g, count(*), sum(v) FROM c GROUP BY g');
\elif :q = 8
SELECT compared('SELECT t, count(*), sum(v) FROM c WHERE g < 50 GROUP BY t');
\elif :q = 9
SELECT compared('SELECT count(*) FROM w');
\elif :q = 10
SELECT compared('SELECT count(*), count(t), min(id), max(id), min(v), max(v) FROM c');
\elif :q = 11
SELECT compared('SELECT count(*), min(v), max(id) FROM c WHERE id > 10000');
\elif :q = 12
SELECT compared('SELECT g, count(*), sum(v) FROM c WHERE v < 0 OR id > 99990 GROUP BY g');
\elif :q = 13
SELECT compared('SELECT count(*), count(b), min(v), max(f), min(d), max(d) FROM w WHERE id > 0');
\elif :q = 14
SELECT compared('SELECT g, count(*) FROM w WHERE d > date ''2020-12-31'' AND v < 10 GROUP BY g');
\elif :q = 15
SELECT compared('SELECT count(*), min(id), max(v), count(t) FROM r WHERE v BETWEEN 3 AND 20');
\else
SELECT compared('SELECT count(*) FROM r');
\endif
};
foreach my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	$script{ lc($level =~ s/ /_/r) } =
	  "\\set q random(1, 16)\nBEGIN ISOLATION LEVEL $level;\n$ask\\sleep 20 ms\n\\set q random(1, 16)\n${ask}COMMIT;\n";
}
my @runs = start_scripts($node, $seconds, \%script, [ 'write', 2 ], [ 'rewrite', 1 ], [ 'vacuum', 1 ],
	[ 'read_committed', 2 ], [ 'repeatable_read', 2 ], [ 'serializable', 1 ]);

# meanwhile the cache keeps to its limit
my ($looks, $most, $deadline) = (0, 0, time + $seconds - 2);
while (time < $deadline)
{
	my $bytes = $node->safe_psql('postgres',
		'SELECT max(cache_used) FROM gpuagg.devices');

	$most = $bytes if $bytes > $most;
	$looks++;
	Time::HiRes::sleep(0.5);
}
finish_scripts(@runs);
cmp_ok($looks, '>', 0, 'looked at the cache');
cmp_ok($most, '<=', 8 * 1024 * 1024, "the cache's limit was kept ($most bytes at most)");
cmp_ok(counter($node, 'pages_cached'), '>', 1000,
	'the cache was used: ' . counter($node, 'pages_cached') . ' of ' . counter($node, 'pages') . ' pages read');
cmp_ok(counter($node, 'pages_kept'), '>', 500, 'and filled: ' . counter($node, 'pages_kept'));
cmp_ok(counter($node, "zones_$_"), '>', 0, "zones $_: " . counter($node, "zones_$_"))
  foreach qw(skipped answered);
same_answer($node, 'SELECT g, count(*), sum(v) FROM w GROUP BY g ORDER BY g', 'at rest');
same_answer($node, 'SELECT t, count(*), sum(v) FROM r GROUP BY t ORDER BY t', 'at rest');
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
