# Writers of every kind on the largest table and on what is joined with it, beside
# readers at every isolation level, with columns of both sides kept: what a query reads
# of its tables is of one snapshot.  Two kinds of questions: ones whose answer every
# committed state fixes, because writers change both sides in one transaction, and ones
# that PostgreSQL answers under the same snapshot.  Serializable transactions keep a rule
# over two tables that each of them alone would keep.
#
# GPUAGG_STRESS_SECONDS: for how long.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 20;
my $node = new_node(
	'join_stress',
	'shared_buffers = 48MB',
	'autovacuum = off',
	'vacuum_freeze_min_age = 0',
	'synchronous_commit = off',
	'gpuagg.cache_size = 16MB');

# f: entries of accounts a, whose total they add up to; of regions g, of days d that come
# and go, of h, which is larger than lookup_memory at its least, and of m, whose keys are
# there several times; nobody changes calm.  r and rd are emptied and rewritten.  shifts and people: everybody's
# ward has somebody on duty.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE a (id int PRIMARY KEY, region int, name text, total int8 NOT NULL) WITH (fillfactor = 80);
	INSERT INTO a SELECT i, i % 12, 'name ' || i % 30, 60 FROM generate_series(1, 1500) i;
	CREATE TABLE f (a int NOT NULL, d int, h int, m int, amount int8 NOT NULL, t text, pad text) WITH (fillfactor = 80);
	INSERT INTO f SELECT (i - 1) / 20 + 1, i % 210, i % 33000, nullif(i % 40, 0), 3, 't' || i % 9, repeat('x', 60)
	FROM generate_series(1, 30000) i;
	CREATE INDEX f_a ON f (a);
	CREATE TABLE g (id int PRIMARY KEY, name text);
	INSERT INTO g SELECT i, 'region ' || i FROM generate_series(0, 10) i;
	CREATE TABLE d (id int PRIMARY KEY, year int, label text);
	INSERT INTO d SELECT i, 2000 + i % 5, 'label ' || i % 8 FROM generate_series(0, 199) i;
	CREATE TABLE h (id int PRIMARY KEY, n text, v int);
	INSERT INTO h SELECT i, 'h ' || i % 50, i % 7 FROM generate_series(0, 30000) i;
	CREATE TABLE m (k int, v int);
	INSERT INTO m SELECT nullif(i % 31, 0), i FROM generate_series(1, 90) i;
	CREATE TABLE calm (id int PRIMARY KEY, n text);
	INSERT INTO calm SELECT i, 'calm ' || i % 7 FROM generate_series(0, 30) i;
	CREATE TABLE r AS SELECT i AS id, i % 300 AS k, 10::int8 AS v, repeat('y', 30) AS pad FROM generate_series(1, 8000) i;
	CREATE TABLE rd (k int PRIMARY KEY, n text);
	INSERT INTO rd SELECT i, 'n' || i % 7 FROM generate_series(0, 250) i;
	CREATE TABLE people (id int PRIMARY KEY, ward int);
	INSERT INTO people SELECT i, i % 3 FROM generate_series(0, 11) i;
	CREATE TABLE shifts (person int PRIMARY KEY, on_duty bool, pad text);
	INSERT INTO shifts SELECT i, i < 6, repeat('z', 1500) FROM generate_series(0, 11) i;});
make_compared($node, "gpuagg.debug_require = 'require'");
$node->safe_psql(
	'postgres', q{
	-- the query has no rows in any state that was ever committed
	CREATE FUNCTION empty(q text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		answer text[];
	BEGIN
		SELECT device(q) INTO answer;
		IF answer <> '{}' THEN
			RAISE WARNING 'INVARIANT: % gives %', q, left(answer::text, 1500);
		END IF;
	END $$;
	CREATE VIEW invariants AS
	SELECT row_number() OVER () AS n, q FROM (VALUES
	('SELECT a.id, a.total, sum(amount) FROM f JOIN a ON f.a = a.id GROUP BY a.id, a.total HAVING sum(amount) <> a.total'),
	('SELECT f.a, count(*) FROM f WHERE NOT EXISTS (SELECT FROM a WHERE a.id = f.a) GROUP BY f.a'),
	('SELECT f.a, count(*) FROM f LEFT JOIN a ON f.a = a.id WHERE a.id IS NULL GROUP BY f.a'),
	('SELECT f.a, min(a.total), max(a.total) FROM f JOIN a ON f.a = a.id GROUP BY f.a HAVING min(a.total) <> max(a.total)'),
	('SELECT f.a FROM f JOIN a ON f.a = a.id WHERE a.total < amount GROUP BY f.a'),
	('SELECT f.a, count(*) FROM f WHERE f.a NOT IN (SELECT id FROM a) GROUP BY f.a')) x (q);
	CREATE VIEW questions AS
	SELECT row_number() OVER () AS n, q FROM (VALUES
	('SELECT a.name, count(*), sum(amount) FROM f JOIN a ON f.a = a.id GROUP BY 1'),
	('SELECT g.name, count(*), sum(amount) FROM f JOIN a ON f.a = a.id JOIN g ON region = g.id GROUP BY 1'),
	('SELECT label, year, count(*), sum(amount) FROM f JOIN d ON f.d = d.id GROUP BY 1, 2'),
	('SELECT label, count(*), count(d.id) FROM f LEFT JOIN d ON f.d = d.id AND year > 2001 GROUP BY 1'),
	('SELECT f.t, count(*) FROM f WHERE EXISTS (SELECT FROM d WHERE d.id = f.d AND label > ''label 3'' COLLATE "C") GROUP BY 1'),
	('SELECT f.t, count(*) FROM f WHERE NOT EXISTS (SELECT FROM d WHERE d.id = f.d) GROUP BY 1'),
	('SELECT f.t, count(*) FROM f WHERE f.d NOT IN (SELECT id FROM d WHERE year = 2003) GROUP BY 1'),
	('SELECT f.t, count(*), sum(m.v) FROM f JOIN m ON f.m = m.k GROUP BY 1'),
	('SELECT f.t, count(*), count(m.k) FROM f LEFT JOIN m ON f.m = m.k GROUP BY 1'),
	('SELECT h.n, count(*), sum(amount) FROM f JOIN h ON f.h = h.id GROUP BY 1'),
	('SELECT h.v, count(*) FROM f LEFT JOIN h ON f.h = h.id GROUP BY 1'),
	('SELECT a.name, label, count(*), sum(amount) FROM f JOIN a ON f.a = a.id JOIN d ON f.d = d.id WHERE region < 6 AND year = 2002 GROUP BY 1, 2'),
	('SELECT x.label, y.label, count(*) FROM f JOIN d x ON f.d = x.id JOIN d y ON f.m = y.id GROUP BY 1, 2'),
	('SELECT rd.n, count(*), sum(v), max(id) FROM r JOIN rd ON r.k = rd.k GROUP BY 1'),
	('SELECT rd.n, count(*), sum(v) FROM r LEFT JOIN rd ON r.k = rd.k WHERE v < 12 GROUP BY 1'),
	('SELECT v, count(*) FROM r WHERE NOT EXISTS (SELECT FROM rd WHERE rd.k = r.k) GROUP BY 1'),
	('SELECT calm.n, count(*), sum(amount) FROM f LEFT JOIN calm ON f.m = calm.id GROUP BY 1')) x (q);
	CREATE FUNCTION ask(which int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		asked text;
	BEGIN
		IF random() < 0.2 THEN
			PERFORM set_config('gpuagg.lookup_memory', '1MB', true);
		END IF;
		IF random() < 0.4 THEN
			SELECT q INTO asked FROM invariants WHERE n = which % (SELECT count(*) FROM invariants) + 1;
			PERFORM empty(asked);
		ELSE
			SELECT q INTO asked FROM questions WHERE n = which % (SELECT count(*) FROM questions) + 1;
			PERFORM compared(asked);
		END IF;
		PERFORM set_config('gpuagg.lookup_memory', '256MB', true);
	END $$;
	CREATE FUNCTION device_rows(q text, OUT kept int) LANGUAGE plpgsql
	SET gpuagg.debug_require = 'require' AS $$
	DECLARE
		plan jsonb;
	BEGIN
		EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || q INTO plan;
		SELECT count(*) INTO kept FROM jsonb_path_query(plan, 'strict $.**?(@."From Kept Columns" == true)');
	END $$;
	CREATE FUNCTION kept(which int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		asked text;
	BEGIN
		SELECT q INTO asked FROM questions WHERE n = which;
		IF (SELECT kept FROM device_rows(asked)) > 0 THEN
			RAISE WARNING 'MADE of kept columns';
		END IF;
	END $$;

	-- What changes f and a: whoever changes an account's entries has its row locked.
	CREATE FUNCTION enter(account int, x int) RETURNS void LANGUAGE sql AS $$
		WITH changed AS (UPDATE a SET total = total + 2 * x WHERE id = account RETURNING id)
		INSERT INTO f SELECT id, x * 17 % 220, account * 11 % 33000, x % 45, x, 'new ' || x % 3, repeat('n', 60)
		FROM changed, generate_series(1, 2);
	$$;
	CREATE FUNCTION leave(account int, x int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM FROM a WHERE id = account FOR UPDATE;
		WITH gone AS (DELETE FROM f WHERE f.a = account AND f.d % 5 = x % 5 RETURNING amount)
		UPDATE a SET total = total - (SELECT coalesce(sum(amount), 0) FROM gone) WHERE id = account;
	END $$;
	CREATE FUNCTION move(one int, other int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		moved int8;
	BEGIN
		IF (SELECT count(*) FROM (SELECT FROM a WHERE id IN (one, other) ORDER BY id FOR UPDATE) x) < 2 THEN
			RETURN;
		END IF;
		WITH gone AS (UPDATE f SET a = other WHERE f.a = one AND f.d % 3 = 0 RETURNING amount)
		SELECT coalesce(sum(amount), 0) INTO moved FROM gone;
		UPDATE a SET total = total + CASE id WHEN one THEN - moved ELSE moved END WHERE id IN (one, other);
	END $$;
	CREATE FUNCTION appear(account int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO a VALUES (account, account % 13, 'again ' || account % 5, 0) ON CONFLICT DO NOTHING;
		PERFORM enter(account, 4);
	END $$;
	CREATE FUNCTION vanish(account int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM FROM a WHERE id = account FOR UPDATE;
		DELETE FROM f WHERE f.a = account;
		DELETE FROM a WHERE id = account;
	END $$;
	-- subtransactions that end otherwise, and what the transaction sees of itself
	CREATE FUNCTION partly(account int, x int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM enter(account, x);
		BEGIN
			UPDATE a SET total = total + 1000, region = 5 WHERE id BETWEEN account AND account + 3;
			DELETE FROM f WHERE f.a = account;
			RAISE EXCEPTION 'not this';
		EXCEPTION WHEN raise_exception THEN
		END;
		BEGIN
			PERFORM enter(account, x + 1);
		EXCEPTION WHEN raise_exception THEN
		END;
		PERFORM ask(x);
	END $$;

	-- One of a ward goes off duty, or to another ward, if that leaves somebody there.
	CREATE FUNCTION duty(who int, to_ward int) RETURNS void LANGUAGE plpgsql
	SET gpuagg.debug_require = 'require' AS $$
	DECLARE
		his int := (SELECT ward FROM people WHERE id = who);
		others int8;
	BEGIN
		SELECT count(*) INTO others FROM shifts JOIN people ON person = id WHERE on_duty AND ward = his AND id <> who;
		IF others = 0 THEN
			UPDATE shifts SET on_duty = true WHERE person = who;
		ELSIF random() < 0.5 THEN
			UPDATE shifts SET on_duty = NOT on_duty WHERE person = who;
		ELSE
			UPDATE people SET ward = to_ward WHERE id = who;
		END IF;
	END $$;
	CREATE FUNCTION wards() RETURNS int8 STABLE LANGUAGE sql
	SET gpuagg.enable = off
	RETURN (SELECT count(DISTINCT ward) FROM shifts JOIN people ON person = id WHERE on_duty);});
my @tables = qw(a f g d h m calm r rd people shifts);
$node->safe_psql('postgres', "VACUUM (FREEZE, ANALYZE) $_") foreach @tables;

# The questions can be answered otherwise: a query that tells who answers is different, and an
# account whose total is wrong, or that is not there, is found by every invariant that it breaks.
sub warnings_of
{
	my ($sql) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', $sql);

	is($rc, 0, 'runs') or diag($err);
	return join ' ', $err =~ /WARNING:  (DIFFERENT|INVARIANT|MADE)/g;
}
is(warnings_of(q{SELECT compared($q$SELECT a.name, count(*), current_setting('gpuagg.enable') FROM f JOIN a ON f.a = a.id GROUP BY 1$q$)}),
	'DIFFERENT', 'another answer is found');
is(warnings_of('SELECT empty(q) FROM invariants'), '', 'all invariants hold');
is(warnings_of('BEGIN; UPDATE a SET total = 2 WHERE id = 7; SELECT empty(q) FROM invariants; ROLLBACK'),
	'INVARIANT INVARIANT', 'a wrong total is found');
is(warnings_of('BEGIN; DELETE FROM a WHERE id = 7; SELECT empty(q) FROM invariants; ROLLBACK'),
	'INVARIANT INVARIANT INVARIANT', 'a lost account is found');
is(warnings_of('SELECT compared(q) FROM questions'), '', 'all questions are answered alike');
$node->safe_psql('postgres', 'VACUUM a');
is(warnings_of('SELECT kept(1)'), 'MADE', 'and an input is made of kept columns');
is($node->safe_psql('postgres', 'SELECT wards()'), '3', 'each ward has somebody');

my %script = (
	# some accounts far more than others, so that there are pages without changes
	write => q{
\set a random_zipfian(1, 1500, 1.1)
\set b random_zipfian(1, 1500, 1.1)
\set x random(1, 40)
\set r random(1, 12)
\if :r <= 4
SELECT enter(:a, :x);
\elif :r = 5
SELECT leave(:a, :x);
\elif :r <= 7
SELECT move(:a, :b);
\elif :r = 8
SELECT vanish(:a);
\elif :r <= 10
SELECT appear(:a);
\elif :r = 11
SELECT partly(:a, :x);
\else
BEGIN;
SELECT enter(:a, :x);
SELECT vanish(:b);
ROLLBACK;
\endif
},
	# what is looked up, with no word to the other side
	dimensions => q{
\set a random(1, 1500)
\set x random(0, 199)
\set r random(1, 9)
\sleep 50 ms
\if :r = 1
UPDATE a SET region = (region + 1) % 13, name = 'name ' || :x % 33 WHERE id BETWEEN :a AND :a + 20;
\elif :r = 2
UPDATE d SET id = -id - 1000 WHERE id BETWEEN :x AND :x + 3;
\elif :r = 3
UPDATE d SET id = -id - 1000 WHERE id < 0 AND id % 2 = :x % 2;
\elif :r = 4
UPDATE d SET label = 'label ' || :x % 9, year = 2000 + :x % 6 WHERE id % 40 = :x % 40;
\elif :r = 5
DELETE FROM h WHERE id = :a;
INSERT INTO h VALUES (:a + 30000, 'more', 8) ON CONFLICT DO NOTHING;
\elif :r = 6
DELETE FROM m WHERE v % 30 = :x % 30;
\elif :r = 7
INSERT INTO m SELECT nullif(:x % 35, 0), i FROM generate_series(1, 3) i;
\elif :r = 8
DELETE FROM g WHERE id = :x % 13;
\else
INSERT INTO g VALUES (:x % 13, 'region ' || :a) ON CONFLICT DO NOTHING;
\endif
},
	rewrite => q{
\set r random(1, 10)
\sleep 40 ms
\if :r = 1
BEGIN;
TRUNCATE r;
INSERT INTO r SELECT i, i % 280, 3, repeat('r', 30) FROM generate_series(1, 6000) i;
SELECT compared(q) FROM questions WHERE n BETWEEN 14 AND 16;
COMMIT;
\elif :r = 2
BEGIN;
TRUNCATE r, rd;
INSERT INTO rd SELECT i, 'never ' || i FROM generate_series(0, 300) i;
SELECT compared(q) FROM questions WHERE n BETWEEN 14 AND 16;
ROLLBACK;
\elif :r = 3
BEGIN;
TRUNCATE rd;
INSERT INTO rd SELECT i, 'n' || i % 5 FROM generate_series(0, 270) i;
COMMIT;
\elif :r = 4
VACUUM FULL rd;
\elif :r = 5
VACUUM FULL r;
\elif :r = 6
DELETE FROM r WHERE id > 3000;
VACUUM (FREEZE) r, rd;
\elif :r = 7
INSERT INTO r SELECT i, i % 310, 5, repeat('r', 30) FROM generate_series(3000, 6000) i;
\elif :r = 8
BEGIN;
DELETE FROM rd WHERE k % 10 = 3;
SAVEPOINT x;
TRUNCATE rd;
ROLLBACK TO x;
SELECT compared(q) FROM questions WHERE n BETWEEN 14 AND 16;
COMMIT;
\elif :r = 9
BEGIN;
ALTER TABLE rd ALTER n SET DEFAULT 'n', ADD COLUMN more int DEFAULT 12;
INSERT INTO rd SELECT i, 'more', i FROM generate_series(0, 270) i ON CONFLICT DO NOTHING;
SELECT compared('SELECT more, count(*), sum(v) FROM r JOIN rd ON r.k = rd.k GROUP BY 1');
ALTER TABLE rd DROP COLUMN more;
COMMIT;
\else
VACUUM r, rd;
\endif
},
	vacuum => q{
\set r random(1, 8)
\sleep 20 ms
\if :r = 1
VACUUM (FREEZE) f, a;
\elif :r = 2
VACUUM (FREEZE, ANALYZE) d, h, m, g;
\elif :r = 3
SELECT gpuagg.load('a'), gpuagg.load('d', '{id,label}');
\elif :r = 4
SELECT gpuagg.load('f', '{a,amount,d}');
\elif :r = 5
SELECT gpuagg.unload('a', '{id}'), gpuagg.unload('h');
\elif :r = 6
SELECT gpuagg.unload('f');
\else
VACUUM f, a, d, h, m, g, people, shifts;
\endif
},
	duty => q{
\set p random(0, 11)
\set w random(0, 2)
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT duty(:p, :w);
COMMIT;
\sleep 5 ms
});

# Readers ask in a transaction of each level; three times, with pauses in which others
# write.
foreach my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	$script{ lc($level =~ s/ /_/r) } = "\\set q random(0, 10000)\n\\set k random(1, 34)\nBEGIN ISOLATION LEVEL $level;\n"
	  . "SELECT ask(:q);\n\\sleep 20 ms\nSELECT ask(:q / 7);\n\\sleep 20 ms\nSELECT ask(:q), kept(least(:k, 17));\nCOMMIT;\n";
}
my $said = finish_scripts(start_scripts($node, $seconds, \%script, [ 'write', 2 ], [ 'dimensions', 1 ], [ 'rewrite', 1 ],
	[ 'vacuum', 1 ], [ 'duty', 2 ], [ 'read_committed', 2 ], [ 'repeatable_read', 2 ], [ 'serializable', 1 ]));
my $made = () = $said =~ /MADE of kept columns/g;

cmp_ok($made, '>', 3, "meanwhile, too, inputs were made of kept columns ($made times)");
cmp_ok(counter($node, 'pages_cached'), '>', 500,
	'the cache was used: ' . counter($node, 'pages_cached') . ' of ' . counter($node, 'pages') . ' pages read');
is($node->safe_psql('postgres', 'SELECT wards()'), '3', 'each ward has still somebody');
is(warnings_of('SELECT empty(q) FROM invariants; SELECT compared(q) FROM questions'), '', 'at rest');
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
