# LiveScripts.pm
#		What 079_live_stress.pl runs: tables that are written all the time, the queries that are
#		asked of them, and scripts of pgbench that write in every way, or read and compare.
#
# Rows of h and f have classes, the last digit of their id.  Who holds locks for long has a class
# of its own, so that pages are shared and nobody waits.  Of m and n, the primary's alone, locks
# are taken that a standby's readers would wait for while its recovery waits for them.
package LiveScripts;

use strict;
use warnings;

use Exporter 'import';
use GpuAggTest;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(live_functions live_tables live_names live_queries live_number live_scripts);

# Several of a table ask for the same columns, so that each may use what another has left.
my @shared = (
	'SELECT g, count(*), sum(v), max(id) FROM h GROUP BY g',
	'SELECT count(*), min(v), max(v), min(id), max(g) FROM h',
	'SELECT t, count(*), sum(v), max(id) FROM h GROUP BY t',
	'SELECT count(DISTINCT t), sum(v), min(id) FROM h WHERE id > 3000',
	'SELECT g, count(*), sum(v), min(id) FROM f GROUP BY g',
	'SELECT count(*), sum(v), min(id), max(g) FROM f WHERE v > 103',
	'SELECT t, count(*), max(v) FROM f WHERE id > 4000 GROUP BY t',
	'SELECT count(*) FROM f',
	'SELECT count(*), sum(v) FROM f TABLESAMPLE BERNOULLI (30) REPEATABLE (1)',
	'SELECT g, count(*), sum(v), min(id) FROM u GROUP BY g',
	'SELECT count(*), min(id), max(id), sum(v), min(g) FROM u',
	'SELECT g, count(*), sum(v), max(id) FROM k GROUP BY g',
	'SELECT p.g, count(*), sum(k.v + p.v) FROM k JOIN p ON p.id = k.p GROUP BY p.g',
	'SELECT g, count(*), sum(v) FROM p GROUP BY g',
	'SELECT g, count(*), sum(v) FROM b GROUP BY g',
	'SELECT count(*), max(v), min(g) FROM b WHERE v > 0',
	'SELECT t, count(*), sum(v), max(id) FROM h TABLESAMPLE BERNOULLI (20) REPEATABLE (2) GROUP BY t',
	'SELECT g, count(*), sum(v), min(id) FROM h TABLESAMPLE SYSTEM (40) REPEATABLE (3) GROUP BY g');
my @all = (
	@shared,
	'SELECT g, count(*), sum(v), max(id) FROM m GROUP BY g',
	'SELECT count(*), min(v), max(v), max(g), min(id) FROM m WHERE v > 3',
	'SELECT g, count(*), sum(v), max(id) FROM n GROUP BY g');

sub live_names { return qw(h f u k p b m n); }

# All queries, or the 'shared' ones, which the standby is asked, too
sub live_queries
{
	my ($which) = @_;

	return $which eq 'shared' ? @shared : @all;
}

# The number of one of those that may be asked twice in one snapshot, by which live_query() of
# the database knows it: what n was is gone once it has been truncated or made anew.
sub live_number { return 1 + int(rand(@shared)); }

my $tables = q{
	CREATE EXTENSION amcheck;
	CREATE EXTENSION pg_visibility;
	CREATE TABLE h (id int PRIMARY KEY, g int, v int8, t text, pad text) WITH (vacuum_truncate = off);
	CREATE TABLE f (id int PRIMARY KEY, g int, v int8, t text, pad text) WITH (fillfactor = 50, vacuum_truncate = off);
	INSERT INTO h SELECT i, i % 8, 100, 't' || i % 7, repeat('p', 60) FROM generate_series(0, 7999) i;
	INSERT INTO f SELECT * FROM h;
	CREATE INDEX h_g ON h (g);
	CREATE TABLE u (id int PRIMARY KEY, g int, v int8) WITH (vacuum_truncate = off);
	INSERT INTO u SELECT i, i % 8, 1 FROM generate_series(1, 3000) i;
	CREATE TABLE p (id int PRIMARY KEY, g int, v int8) WITH (fillfactor = 80, vacuum_truncate = off);
	INSERT INTO p SELECT i, i % 8, 1 FROM generate_series(1, 3000) i;
	CREATE TABLE k (id int, p int REFERENCES p, g int, v int8) WITH (vacuum_truncate = off);
	INSERT INTO k SELECT i, i, i % 8, i FROM generate_series(1, 3000) i;
	CREATE TABLE b (id int, g int, v int8) WITH (vacuum_truncate = off);
	INSERT INTO b SELECT i, i % 8, 1 FROM generate_series(1, 4000) i;
	CREATE TABLE m (id int, g int, v int8);
	INSERT INTO m SELECT i, i % 8, 1 FROM generate_series(1, 4000) i;
	CREATE TABLE n AS TABLE m;
	-- n subtransactions that change rows of a class from the start on; some are undone
	CREATE FUNCTION subtransactions(start int, n int, class int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN start .. start + n - 1 LOOP
			BEGIN
				UPDATE h SET v = v + 1 WHERE id = i % 800 * 10 + class;
				UPDATE f SET v = v + 1, t = 's' || i % 5 WHERE id = (i * 7) % 800 * 10 + class;
				IF i % 3 = 0 THEN
					RAISE EXCEPTION 'undone';
				END IF;
			EXCEPTION WHEN raise_exception THEN NULL;
			END;
		END LOOP;
	END $$;};

# Of device() and stock(), which GpuAggTest makes, in the snapshot of the statement that calls:
# live_answer(q) has a digest of the answer, or tells how they differ, and half of the times has what
# is kept compared with the table page by page; live(q) warns if they do;
# held(q) warns, too, if the transaction has had another answer before.  changed() opens a cursor,
# changes rows itself, and looks whether the cursor still shows what was there.
my $functions = q{
	CREATE FUNCTION live_answer(q text) RETURNS text STABLE LANGUAGE plpgsql AS $$
	DECLARE
		first text[] := device(q);
		stock text[] := stock(q);
		again text[] := (SELECT device(q) FROM set_config('gpuagg.debug_compare', (random() < 0.5)::text, false));
		told text := '';
	BEGIN
		IF first IS NOT DISTINCT FROM stock AND again IS NOT DISTINCT FROM stock THEN
			RETURN md5(stock::text);
		END IF;
		SELECT string_agg(who || ' ' || x, ' ') INTO told FROM (
			(SELECT 'first', x FROM unnest(first) x EXCEPT ALL SELECT 'first', x FROM unnest(stock) x) UNION ALL
			(SELECT 'again', x FROM unnest(again) x EXCEPT ALL SELECT 'again', x FROM unnest(stock) x) UNION ALL
			(SELECT 'stock', x FROM unnest(stock) x EXCEPT ALL SELECT 'stock', x FROM unnest(first) x)) d (who, x);
		RETURN format('DIFFERENT: %s, snapshot %s of %s, %s: %s', q, pg_current_snapshot(),
			current_setting('transaction_isolation'), clock_timestamp(), left(told, 1500));
	END $$;
	CREATE FUNCTION live(q text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		answer text := live_answer(q);
	BEGIN
		IF answer LIKE 'DIFFERENT%' THEN
			RAISE WARNING '%', answer;
		END IF;
	END $$;
	CREATE FUNCTION held(q text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		name text := 'live.q' || md5(q);
		before text := nullif(current_setting(name, true), '');
		answer text := live_answer(q);
	BEGIN
		IF answer LIKE 'DIFFERENT%' THEN
			RAISE WARNING '%', answer;
		ELSIF before IS NULL THEN
			PERFORM set_config(name, answer, true);
		ELSIF before <> answer THEN
			RAISE WARNING 'DIFFERENT from what was seen first: %, snapshot %', q, pg_current_snapshot();
		END IF;
	END $$;
	CREATE FUNCTION changed(q text, change text) RETURNS void LANGUAGE plpgsql
		SET gpuagg.debug_require = 'prefer' SET cpu_tuple_cost = 10 SET cpu_operator_cost = 100 AS $$
	DECLARE
		before text[] := stock(q);
		seen text[] := '{}';
		c refcursor;
		r record;
	BEGIN
		OPEN c FOR EXECUTE q;
		EXECUTE change;
		LOOP
			FETCH c INTO r;
			EXIT WHEN NOT FOUND;
			seen := seen || r::text;
		END LOOP;
		CLOSE c;
		IF ARRAY(SELECT x FROM unnest(seen) x ORDER BY 1) <> ARRAY(SELECT x FROM unnest(before) x ORDER BY 1) THEN
			RAISE WARNING 'DIFFERENT by a cursor: % gave % instead of %', q, seen, before;
		END IF;
	END $$;};

# The functions alone; REQUIRED: gpuagg.debug_require of what they run on the device
sub live_functions
{
	my ($node, $required) = @_;

	make_compared($node, "gpuagg.debug_require = '$required'", 'cpu_tuple_cost = 10', 'cpu_operator_cost = 100');
	$node->safe_psql('postgres', $functions);
	return;
}

# Makes all of it on a server, with files for COPY in a directory.
sub live_tables
{
	my ($node, $dir) = @_;
	my $number = 0;
	my $case = join ' ', map { $number++; "WHEN $number THEN '$_'" } @all;

	append_to_file("$dir/f", join('', map { my $g = $_ % 8; "$_\t$g\t5\tcopied\tpad\n" } 20001 .. 20200));
	append_to_file("$dir/n", join('', map { my $g = $_ % 5; "$_\t$g\t3\n" } 1 .. 3000));
	chmod 0644, "$dir/f", "$dir/n";
	$node->safe_psql('postgres', $tables);
	live_functions($node, 'prefer');
	$node->safe_psql('postgres', "CREATE FUNCTION live_query(n int) RETURNS text IMMUTABLE LANGUAGE sql AS \$\$ SELECT CASE n $case END \$\$");
	$node->safe_psql('postgres', "VACUUM (FREEZE, ANALYZE) $_") foreach live_names();
	return;
}

my %writers = (
	# single rows, by one session that waits for its commits and by others that do not
	update => q{
\set row random(0, 799) * 10 + random(0, 3)
\set r random(1, 10)
\set pause random(5, 40)
\sleep :pause ms
\if :r <= 2
UPDATE h SET v = v + 1 WHERE id = :row;
\elif :r <= 4
UPDATE f SET v = v + 1 WHERE id = :row;
\elif :r = 5
SET synchronous_commit = off;
\elif :r = 6
RESET synchronous_commit;
\elif :r = 7
UPDATE h SET g = (g + 1) % 8 WHERE id = :row;
\elif :r = 8
UPDATE f SET t = 'u' || :row % 7, pad = repeat('q', :row % 90) WHERE id = :row;
\elif :r = 9
BEGIN;
DELETE FROM h WHERE id = :row;
INSERT INTO h VALUES (:row, :row % 8, 100, NULL, 'again') ON CONFLICT DO NOTHING;
COMMIT;
\else
BEGIN;
DELETE FROM f WHERE id = :row;
ROLLBACK;
\endif
},
	# own changes, which nobody else sees, taken back in part
	own => q{
\set row random(0, 700) * 10 + 5
\set q random(1, 9)
\set r random(1, 3)
BEGIN;
UPDATE h SET v = v + 10 WHERE id BETWEEN :row AND :row + 200 AND id % 10 = 5;
SELECT live(live_query(:q));
SAVEPOINT a;
DELETE FROM f WHERE id BETWEEN :row AND :row + 300 AND id % 10 = 5;
INSERT INTO f VALUES (30000 + :row, 1, 100, 'own', '') ON CONFLICT DO NOTHING;
SELECT live(live_query(:q));
\if :r < 3
ROLLBACK TO a;
SELECT live(live_query(:q));
\endif
\sleep 30 ms
SELECT live(live_query(:q));
\if :r = 1
ROLLBACK;
\else
COMMIT;
\endif
\sleep 100 ms
},
	subtransactions => q{
\set start random(0, 799)
\set n random(1, 110)
\set r random(1, 4)
\set pause random(20, 250)
BEGIN;
SELECT subtransactions(:start, :n, 6);
\sleep :pause ms
SELECT subtransactions(:start + 50, :n / 4, 6);
\if :r = 1
ROLLBACK;
\else
COMMIT;
\endif
\sleep :pause ms
},
	prepared => q{
\set row random(0, 799) * 10 + 7
\set q random(1, 9)
\set r random(1, 5)
\set pause random(50, 600)
BEGIN;
UPDATE h SET v = v + 1 WHERE id IN (:row, (:row + 3000) % 8000);
SAVEPOINT a;
UPDATE f SET v = v + 1 WHERE id BETWEEN :row AND :row + 100 AND id % 10 = 7;
\if :r = 3
ROLLBACK TO a;
\endif
PREPARE TRANSACTION 'live:client_id';
\sleep :pause ms
SELECT live(live_query(:q));
\if :r = 1
ROLLBACK PREPARED 'live:client_id';
\else
COMMIT PREPARED 'live:client_id';
\endif
SELECT live(live_query(:q));
\sleep 50 ms
},
	# a few rows that several lock at once and one of them changes
	locks => q{
\set row random(0, 11) * 600 + 8
\set r random(1, 9)
\set pause random(5, 120)
BEGIN;
\if :r = 1
SELECT FROM h WHERE id = :row FOR KEY SHARE;
\elif :r = 2
SELECT FROM h WHERE id = :row FOR SHARE;
\elif :r = 3
SELECT FROM h WHERE id = :row FOR UPDATE;
UPDATE h SET v = v + 1 WHERE id = :row;
\elif :r = 4
SELECT FROM h WHERE id = :row FOR KEY SHARE;
SAVEPOINT a;
UPDATE h SET v = v + 1 WHERE id = :row;
ROLLBACK TO a;
\elif :r = 5
UPDATE h SET v = v + 1 WHERE id = :row;
SAVEPOINT a;
SELECT FROM h WHERE id = :row FOR UPDATE;
RELEASE a;
\elif :r = 6
SELECT FROM h WHERE id = :row FOR NO KEY UPDATE;
\elif :r = 7
SELECT count(*) FROM (SELECT FROM f WHERE id BETWEEN :row AND :row + 900 AND id % 10 = 8 FOR KEY SHARE) x;
\elif :r = 8
SELECT FROM h WHERE id = :row FOR KEY SHARE;
SAVEPOINT a;
UPDATE h SET v = v + 1 WHERE id = :row;
RELEASE a;
\else
UPDATE f SET v = v + 1 WHERE id = :row;
\endif
\sleep :pause ms
\if :pause % 3 = 0
ROLLBACK;
\else
COMMIT;
\endif
},
	# foreign keys lock the rows that they name
	keys => q{
\set p random(1, 30) * 100
\set r random(1, 5)
\set pause random(5, 80)
BEGIN;
\if :r <= 2
INSERT INTO k VALUES (:p, :p, :p % 8, 1), (:p + 1, :p, :p % 8, 2);
\elif :r = 3
UPDATE p SET v = v + 1 WHERE id = :p;
\elif :r = 4
SAVEPOINT a;
INSERT INTO k VALUES (:p, :p, :p % 8, 1);
ROLLBACK TO a;
UPDATE p SET g = (g + 1) % 8 WHERE id = :p;
\else
DELETE FROM k WHERE p = :p AND v < 3;
\endif
\sleep :pause ms
\if :pause % 4 = 0
ROLLBACK;
\else
COMMIT;
\endif
},
	upsert => q{
\set a random_exponential(1, 2000, 5)
\set r random(1, 6)
\set pause random(5, 60)
\if :r <= 2
INSERT INTO u SELECT i, i % 8, 1 FROM generate_series(:a, :a + 4) i ON CONFLICT (id) DO UPDATE SET v = u.v + excluded.v;
\elif :r = 3
INSERT INTO u VALUES (:a, 1, 1) ON CONFLICT DO NOTHING;
\elif :r = 4
DELETE FROM u WHERE id = :a;
\elif :r = 5
BEGIN;
SAVEPOINT a;
INSERT INTO u VALUES (:a, 1, 1) ON CONFLICT (id) DO UPDATE SET v = u.v + 1, g = (u.g + 1) % 8;
ROLLBACK TO a;
INSERT INTO u VALUES (:a, 2, 2) ON CONFLICT DO NOTHING;
\sleep :pause ms
COMMIT;
\else
BEGIN;
INSERT INTO u VALUES (:a, 1, 1) ON CONFLICT (id) DO UPDATE SET v = 0;
\sleep :pause ms
ROLLBACK;
\endif
\sleep :pause ms
},
	copy => q{
\set r random(1, 3)
\set pause random(20, 200)
BEGIN;
COPY f FROM ':dir/f';
\sleep :pause ms
\if :r = 1
ROLLBACK;
\else
COMMIT;
\sleep :pause ms
\if :r = 2
DELETE FROM f WHERE id > 20000 AND id < 30000;
\else
BEGIN;
DELETE FROM f WHERE id > 20000 AND id % 2 = 0 AND id < 30000;
ROLLBACK;
DELETE FROM f WHERE id > 20000 AND id < 30000;
\endif
\endif
\sleep :pause ms
},
	bulk => q{
\set r random(0, 5)
\set q random(15, 16)
BEGIN;
UPDATE b SET v = v + 1 WHERE id % 6 <> :r;
\sleep 60 ms
SELECT live(live_query(:q));
\if :r = 0
COMMIT;
\else
ROLLBACK;
\endif
\sleep 400 ms
\if :r % 2 = 0
VACUUM b;
\else
UPDATE b SET v = v - 1 WHERE id % 200 = :r;
\endif
\sleep 200 ms
},
	# transactions that stay open while others come and go
	long => q{
\set row random(0, 799) * 10 + 9
\set r random(1, 3)
\set pause random(300, 1800)
BEGIN;
\if :r = 1
SELECT pg_current_xact_id();
\else
UPDATE f SET v = v + 1 WHERE id = :row;
\endif
\sleep :pause ms
UPDATE h SET v = v + 1 WHERE id = (:row / 20 * 20 + 9 + :client_id % 2 * 10) % 8000;
\sleep 200 ms
\if :r = 2
ROLLBACK;
\else
COMMIT;
\endif
},
	serial => q{
\set row random(0, 799) * 10 + 4
\set pause random(5, 60)
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT sum(v) FROM h WHERE id BETWEEN :row AND :row + 40;
UPDATE h SET v = v + 1 WHERE id = :row;
SELECT live('SELECT g, count(*), sum(v), max(id) FROM h GROUP BY g');
\sleep :pause ms
COMMIT;
\sleep 100 ms
},
	rewrite => q{
\set r random(1, 11)
\set a random(1, 4000)
\sleep 80 ms
\if :r = 1
BEGIN;
TRUNCATE n;
COPY n FROM ':dir/n' (FREEZE);
SELECT live('SELECT g, count(*), sum(v), max(id) FROM n GROUP BY g');
COMMIT;
\elif :r = 2
BEGIN;
TRUNCATE n;
COPY n FROM ':dir/n' (FREEZE);
ROLLBACK;
\elif :r = 3
BEGIN;
LOCK n;
CREATE TABLE n_next (LIKE n);
COPY n_next FROM ':dir/n' (FREEZE);
UPDATE n_next SET v = v + 1 WHERE id % 500 = 1;
DROP TABLE n;
ALTER TABLE n_next RENAME TO n;
COMMIT;
\elif :r = 4
SELECT pg_truncate_visibility_map('m');
\elif :r = 5
DELETE FROM m WHERE id > 2000;
VACUUM m;
\elif :r = 6
INSERT INTO m SELECT i, i % 8, 2 FROM generate_series(2001, 4000) i;
\elif :r = 7
CREATE INDEX m_v ON m (v);
DROP INDEX m_v;
\elif :r = 8
VACUUM FULL m;
\elif :r = 9
UPDATE n SET v = v + 1 WHERE id % 100 = 3;
UPDATE m SET v = v + 1 WHERE id % 200 = 3;
\elif :r = 10
BEGIN;
UPDATE m SET v = v + 100 WHERE id = :a;
SAVEPOINT a;
TRUNCATE m;
ROLLBACK TO a;
SELECT live('SELECT g, count(*), sum(v), max(id) FROM m GROUP BY g');
COMMIT;
\else
UPDATE m SET v = -v WHERE id = :a;
DELETE FROM n WHERE id = :a;
\endif
},
	vacuum => q{
\set r random(1, 10)
\set pause random(50, 400)
\sleep :pause ms
\if :r = 1
VACUUM h;
\elif :r = 2
VACUUM (INDEX_CLEANUP off) h;
\elif :r = 3
VACUUM (INDEX_CLEANUP on) f;
\elif :r = 4
SET vacuum_freeze_min_age = 20;
SET vacuum_freeze_table_age = 50;
SET vacuum_multixact_freeze_min_age = 5;
SET vacuum_multixact_freeze_table_age = 10;
VACUUM f;
VACUUM h;
RESET ALL;
\elif :r = 5
VACUUM (FREEZE) h;
\elif :r = 6
VACUUM (INDEX_CLEANUP off, FREEZE) f;
\elif :r = 7
VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) p;
VACUUM k;
\elif :r = 8
VACUUM (INDEX_CLEANUP off) u;
\elif :r = 9
VACUUM (FREEZE) u;
VACUUM n;
\else
VACUUM m;
VACUUM (ANALYZE) u;
CHECKPOINT;
\endif
});

# Readers; QUERY is the last number of those that they may ask, SHARED that of those that they may
# ask twice in one snapshot.
my %readers = (
	read_committed => q{
\set q random(1, QUERY)
\set pause random(5, 60)
SELECT live(live_query(:q));
\sleep :pause ms
SELECT live(live_query(:q));
},
	held => q{
\set a random(1, SHARED)
\set b random(1, SHARED)
\set c random(1, QUERY)
\set pause random(10, 500)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT held(live_query(:a));
\sleep :pause ms
SELECT held(live_query(:b));
SELECT held(live_query(:a));
\sleep :pause ms
SELECT live(live_query(:c));
SELECT held(live_query(:b));
SELECT held(live_query(:a));
COMMIT;
},
	serializable => q{
\set a random(1, SHARED)
\set b random(1, SHARED)
\set r random(1, 3)
\set pause random(10, 100)
\if :r = 1
BEGIN ISOLATION LEVEL SERIALIZABLE;
\else
BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY;
\endif
SELECT held(live_query(:a));
\sleep :pause ms
SELECT held(live_query(:b));
SELECT held(live_query(:a));
COMMIT;
\sleep 100 ms
},
	deferrable => q{
\set a random(1, SHARED)
\set b random(1, SHARED)
\set pause random(10, 100)
BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE;
SELECT held(live_query(:a));
\sleep :pause ms
SELECT held(live_query(:b));
SELECT held(live_query(:a));
COMMIT;
\sleep 100 ms
},
	# in its own snapshot, or, as in cursors of applications, before changes of its own
	cursor => q{
\set q random(5, 8)
\set row random(0, 799) * 10 + 4
\set pause random(10, 100)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT changed(live_query(:q), 'SELECT pg_sleep(0.05)');
\sleep :pause ms
SELECT changed(live_query(:q), 'UPDATE f SET v = v + 1 WHERE id = :row');
SELECT changed(live_query(:q), 'DELETE FROM f WHERE id = :row');
SELECT live(live_query(:q));
ROLLBACK;
\sleep 50 ms
});

# All scripts, by name; files for COPY are in a directory
sub live_scripts
{
	my ($dir) = @_;
	my %scripts = (%writers, %readers, standby_read => $readers{read_committed}, standby_held => $readers{held});
	my ($shared, $all) = (scalar @shared, scalar @all);

	foreach my $name (keys %scripts)
	{
		my $last = $name =~ /^standby/ ? $shared : $all;

		$scripts{$name} =~ s/\bQUERY\b/$last/g;
		$scripts{$name} =~ s/\bSHARED\b/$shared/g;
		$scripts{$name} =~ s/:dir\b/$dir/g;
	}
	return \%scripts;
}

1;
