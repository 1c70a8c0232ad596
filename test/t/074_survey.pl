# gpuagg.survey(): a row for each statement that pg_stat_statements has met, whatever its text, its
# tables, its role and its search_path have come to; whether the device takes it, and why not.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('survey', 'autovacuum = off', 'gpuagg.device = host', 'gpuagg.cost_scale = 0.001',
	'max_parallel_workers_per_gather = 0');

sub sql { return $node->safe_psql('postgres', $_[0]); }

# Its row: the columns, of the statement whose text begins so
sub surveyed
{
	my ($text, $columns, $role) = @_;
	my $as = $role ? "SET ROLE $role;" : '';

	return sql("$as SELECT $columns FROM gpuagg.survey(NULL) WHERE query LIKE \$x\$$text%\$x\$");
}

my ($rc, $out, $err) = $node->psql('postgres', 'SELECT * FROM gpuagg.survey(5)');
isnt($rc, 0, 'without pg_stat_statements');
like($err, qr/ERROR:  gpuagg.survey\(\) needs pg_stat_statements\n.*HINT:  Add it to shared_preload_libraries/s, 'an error that says what to do');
sql('CREATE EXTENSION pg_stat_statements');
($rc, $out, $err) = $node->psql('postgres', 'SELECT * FROM gpuagg.survey(5)');
like($err, qr/HINT:  Add it to shared_preload_libraries/, 'nor where it is not preloaded');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_stat_statements, gpuagg'\npg_stat_statements.track_utility = on\n");
$node->restart;
wait_ready($node);

sql(q{
	CREATE TABLE orders (customer int, placed timestamp, day date, cents int, price numeric(10, 2), note text, tags text[], doc jsonb);
	INSERT INTO orders SELECT i % 50, timestamp '2026-01-01' + i * interval '1 minute', date '2026-01-01' + i % 300, i,
		i / 4.0, 'note ' || i % 7, '{a,b}', '{"a": 1}' FROM generate_series(1, 50000) i;
	CREATE TABLE gone (id int, g int); INSERT INTO gone SELECT i, i % 3 FROM generate_series(1, 50000) i;
	CREATE SCHEMA app; CREATE TABLE app.events (id int, g int); INSERT INTO app.events SELECT i, i % 3 FROM generate_series(1, 50000) i;
	CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TABLE moods AS SELECT CASE WHEN i % 3 = 0 THEN 'sad' ELSE 'glad' END::mood AS m, i AS v FROM generate_series(1, 50000) i;
	VACUUM ANALYZE;
	CREATE ROLE clerk; GRANT SELECT ON orders TO clerk; GRANT USAGE ON SCHEMA app TO clerk; GRANT SELECT ON app.events TO clerk;
	ALTER ROLE clerk SET search_path = app, public;
	CREATE ROLE watcher; GRANT pg_read_all_stats TO watcher; CREATE ROLE nobody; CREATE ROLE former;
	GRANT USAGE ON SCHEMA gpuagg TO PUBLIC; GRANT SELECT ON orders TO former;
	SELECT pg_stat_statements_reset()});

# Texts as their constants leave them, each to be planned on the device
my @taken = (
	q{SELECT customer, sum(cents) FROM orders WHERE day >= date '2026-03-01' GROUP BY customer},
	q{SELECT customer, 2 * sum(cents) FROM orders WHERE placed < timestamp '2026-05-01' - interval '1' day GROUP BY customer},
	q{SELECT customer, 3 * sum(cents) FROM orders WHERE placed > timestamp(3) without time zone '2026-01-02' + interval '2 hours' GROUP BY 1},
	q{SELECT customer, 4 * sum(cents) FROM orders WHERE placed > timestamp with time zone '2026-01-02 00:00+00' GROUP BY 1},
	q{SELECT customer, 5 * sum(cents) FROM orders WHERE placed > pg_catalog.timestamp '2026-01-02' AND cents > double precision '2' GROUP BY 1},
	q{SELECT customer, 6 * sum(cents) FROM orders WHERE day > date '2026-01-01' + 7 GROUP BY 1},
	q{SELECT customer, sum(price) FROM orders WHERE price > numeric(10, 2) '1.5' AND customer IN (1, 2, 3, 4, 5) GROUP BY customer},
	q{SELECT customer + 1, count(*) FROM orders GROUP BY customer + 1 ORDER BY customer + 1},
	q{SELECT CASE WHEN cents > 100 THEN 'much' ELSE 'little' END, count(*) FROM orders GROUP BY CASE WHEN cents > 100 THEN 'much' ELSE 'little' END},
	q{SELECT customer, count(*), 'constant', NULL, 7 FROM orders WHERE note LIKE 'note%' GROUP BY customer HAVING count(*) > 2 LIMIT 3},
	q{SELECT m, sum(v) FROM moods WHERE m = mood 'glad' GROUP BY m},
	q{SELECT customer / 2, sum(5 - cents) FROM orders WHERE (cents > 3) = true GROUP BY customer / 2},
	q{SELECT date_trunc('month', placed), extract(year FROM day) - 2000, count(*) FROM orders
		GROUP BY date_trunc('month', placed), extract(year FROM day) - 2000 HAVING date_trunc('month', placed) > timestamp '2026-01-15' ORDER BY date_trunc('month', placed) DESC},
	q{SELECT customer, count(*) FILTER (WHERE extract(month FROM placed) = 3) FROM orders GROUP BY customer},
	q{SELECT DISTINCT customer + -3 FROM orders ORDER BY customer + -3});

sql($_) foreach @taken;
my $unlike_taken = sql(q{SELECT string_agg(status || ': ' || coalesce(reason, '-') || ': ' || query, E'\n') FROM gpuagg.survey(NULL)
	WHERE (query LIKE '%orders%' OR query LIKE '%moods%') AND NOT (status = 'taken' AND taken AND predicted_ms > 0 AND gain > 0)});
is($unlike_taken, '', 'all texts with constants taken out of them are planned on the device');
is(sql(q{SELECT count(*) FROM gpuagg.survey(NULL) WHERE status = 'taken'}), scalar @taken, 'each has a row');
is(surveyed('SELECT customer, sum(cents) FROM', 'role = current_user, calls, total_ms > 0, mean_ms = total_ms, reason IS NULL'),
	't|1|t|t|t', 'columns');

# others
$node->psql('postgres', $_)
  foreach (
	q{SELECT string_agg(note, ',' ORDER BY cents) FROM orders},
	q{SELECT cents FROM orders WHERE cents = 17},
	q{SELECT g, count(*) FROM gone WHERE id > 5 GROUP BY g},
	q{CREATE TABLE made AS SELECT customer, count(*) FROM orders WHERE cents > 9 GROUP BY customer},
	q{EXPLAIN SELECT customer, min(cents) FROM orders GROUP BY customer},
	q{SET work_mem = '5MB'}, q{VACUUM orders}, q{BEGIN; DECLARE c CURSOR FOR SELECT max(cents) FROM orders; FETCH 1 FROM c; COMMIT},
	q{CREATE TEMP TABLE tt AS SELECT 1 AS a; SELECT a, count(*) FROM tt GROUP BY a},
	q{SELECT doc ->> 'a', count(*) FROM orders WHERE doc @> '{"a": 1}' AND tags && ARRAY['a'] GROUP BY 1},
	q{SELECT xmlelement(name foo), $$dollars$$, E'\\n', B'101', U&'d' || 'x', count(*) FILTER (WHERE cents > 3) OVER () FROM orders LIMIT 1},
	q{INSERT INTO orders (customer, cents) SELECT customer, sum(cents) FROM orders WHERE cents < -7 GROUP BY customer},
	q{UPDATE orders SET cents = cents + 1 WHERE cents = -5}, q{DELETE FROM orders WHERE cents = -6},
	q{SET search_path = app; SELECT g, sum(id) FROM events GROUP BY g},
	q{SET ROLE clerk; SET search_path = app; SELECT g, 1 + sum(id) FROM events GROUP BY g},
	q{SET ROLE clerk; SELECT customer, 9 + max(cents) FROM orders GROUP BY customer},
	q{SET ROLE former; SELECT customer, 10 + max(cents) FROM orders GROUP BY customer},
	q{PREPARE p AS SELECT customer, 12 + sum(cents) FROM orders WHERE note <> $1 AND placed < timestamp '2026-09-01' GROUP BY 1; EXECUTE p('x')},
	q{COPY (SELECT customer, 13 * sum(cents) FROM orders WHERE day > date '2026-02-02' GROUP BY customer) TO STDOUT},
	q{WITH a AS (SELECT customer, sum(cents) AS s FROM orders WHERE day < date '2026-09-01' GROUP BY customer) SELECT 8 * sum(s) FROM a});
sql('DROP TABLE gone; REVOKE SELECT ON orders FROM former; DROP TABLE made');
is(sql(q{SELECT (SELECT count(*) FROM gpuagg.survey(NULL)) = (SELECT count(DISTINCT (userid, queryid)) FROM pg_stat_statements
	WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()))}), 't', 'a row for each statement');
foreach my $case (
	[ 'SELECT string_agg', 'not taken', qr/string_agg/ ],
	[ 'SELECT cents FROM', 'nothing to group', qr/no GROUP BY/ ],
	[ 'SELECT g, count(*) FROM gone', 'not planned', qr/relation "gone" does not exist \(dropped since/ ],
	[ 'SET work_mem', 'nothing to group', qr/a command/ ],
	[ 'VACUUM orders', 'nothing to group', qr/a command/ ],
	[ 'EXPLAIN SELECT customer', 'taken', qr/^$/ ],
	[ 'SELECT a, count(*) FROM tt', 'not planned', qr/relation "tt" does not exist/ ],
	[ 'SELECT g, sum(id) FROM events', 'not planned', qr/another search_path/ ],
	[ 'INSERT INTO orders (customer', 'taken', qr/^$/ ],
	[ 'PREPARE p AS', 'taken', qr/^$/ ],
	[ 'COPY (SELECT', 'taken', qr/^$/ ],
	[ 'WITH a AS', 'partly', qr/subquery/ ],
	[ 'UPDATE orders', 'nothing to group', qr/no GROUP BY/ ],
	[ 'SELECT g, $1 + sum(id) FROM events', 'taken', qr/^$/ ],
	[ 'SELECT customer, $1 + max(cents)', 'not planned', qr/permission denied for table orders/, 'former' ])
{
	my ($text, $status, $reason, $role) = @$case;
	my ($is, $why) = split /\|/, surveyed($text, 'status, coalesce(reason, $$$$)', $role), 2;

	is($is, $status, "$text: status") unless $role;
	like($role ? sql("SELECT reason FROM gpuagg.survey(NULL) WHERE role = '$role' AND query LIKE '%max(cents)%'") : $why,
		$reason, "$text: reason");
}

# whose texts may be seen, and planned
is(sql(q{SET ROLE nobody; SELECT count(*) > 0, bool_and(status = 'hidden' AND query = '<insufficient privilege>') FROM gpuagg.survey(NULL) WHERE role <> 'nobody'}),
	't|t', 'a role without rights sees no text of others');
is(sql(q{SET ROLE watcher; SELECT count(*) > 0, bool_and(status = 'not planned' AND reason LIKE '%rights of the role%'), bool_and(query <> '<insufficient privilege>')
	FROM gpuagg.survey(NULL) WHERE role <> 'watcher'}), 't|t|t', 'pg_read_all_stats sees texts, and plans none of roles that it is not');
# what planning evaluates has its author's rights
sql(q{
	CREATE TABLE secret (who text); GRANT INSERT, SELECT ON secret TO PUBLIC; GRANT CREATE ON SCHEMA public TO clerk;
	SET ROLE clerk;
	CREATE FUNCTION public.trap() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
		IF current_user <> 'clerk' THEN RAISE EXCEPTION 'trap ran as %', current_user; END IF; RETURN 1; END $$;
	SELECT customer, 11 + sum(cents) FROM public.orders WHERE cents > public.trap() GROUP BY customer});
is(surveyed('SELECT customer, $1 + sum(cents) FROM public.orders WHERE cents > public.trap', 'status, reason'), 'taken|',
	'an immutable function of another role runs as that role');
is(sql('SELECT current_user = session_user'), 't', 'and the user is who it was');
sql('BEGIN READ ONLY; SELECT count(*) FROM gpuagg.survey(); COMMIT');
is(sql('SELECT count(*) FROM gpuagg.survey(3)'), '3', 'as many as asked for');
is(sql('SET gpuagg.enable = off; SELECT count(*) > 5 FROM gpuagg.survey(NULL) WHERE taken'), 't', 'it tells what would be where gpuagg is off');
is(sql('SELECT bool_and(total_ms <= before) FROM (SELECT total_ms, coalesce(lag(total_ms) OVER (), total_ms) AS before FROM gpuagg.survey(NULL)) q'),
	't', 'the dearest first');

# nothing of its own is looked up by the caller's search_path
sql(q{
	CREATE SCHEMA trap;
	DO $$ DECLARE t text; o text; BEGIN
		FOREACH t IN ARRAY '{text,name,oid,float8,int8,int4}'::text[] LOOP
			EXECUTE format('CREATE FUNCTION trap.no(%1$s, %1$s) RETURNS bool LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''a trap''''; END''', t);
			FOREACH o IN ARRAY '{=,<>,+,/}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR trap.%s (LEFTARG = %s, RIGHTARG = %2$s, FUNCTION = trap.no)', o, t);
			END LOOP;
		END LOOP;
	END $$});
($rc, $out, $err) = $node->psql('postgres', q{SET search_path = trap, pg_catalog, public; SELECT 1 = 1});
like($err, qr/a trap/, 'a trap is there');
is(sql(q{SET search_path = trap, pg_catalog, public; SELECT count(*) > 20 FROM gpuagg.survey(NULL)}), 't', 'nobody steps on it');

# texts that end anywhere, or are none
is(sql(q{SELECT count(*) > 500, count(*) - count(status) FROM (SELECT DISTINCT query FROM gpuagg.survey(NULL)) s,
	generate_series(0, length(query), 5) n, gpuagg.survey_statement(left(query, n), current_user::text::regrole, NULL)}), 't|0', 'each has an answer');
is(sql(q{SELECT string_agg(status, ',') FROM unnest(ARRAY['', ' ; ', 'SELECT 1; SELECT 2', 'date $1', 'SELECT ($1', 'x) date $1', '"', 'SELECT ä $1 FROM ö',
	'SELECT extract($1 FROM $2)', repeat('SELECT (', 20000)]) q, gpuagg.survey_statement(q, current_user::text::regrole, 'a, "b')}),
	join(',', ('not planned') x 10), 'nor do texts that are none end it');
is(sql(q{SELECT string_agg(DISTINCT status || ': ' || reason, ',') FROM unnest(ARRAY['SET work_mem = $1', 'SAVEPOINT $1', 'PREPARE TRANSACTION $1', 'set x to $1']) q,
	gpuagg.survey_statement(q, current_user::text::regrole, NULL)}), 'nothing to group: the statement is a command, which is not planned',
	'commands as later versions keep them');

# a lock that somebody holds keeps nobody waiting for long
my $owner = start_psql($node, 'BEGIN; LOCK TABLE moods; SELECT pg_sleep(20)');
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE relation = 'moods'::regclass AND mode = 'AccessExclusiveLock' AND granted}), 'a table is locked');
like(surveyed('SELECT m, sum(v)', 'status, reason'), qr/^not planned\|canceling statement due to lock timeout/, 'its statement has a row, too');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'moods'::regclass AND mode = 'AccessExclusiveLock'});
finish_psql($owner);

# a standby
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('survey_standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$standby->psql('postgres', $taken[0]);
is($standby->safe_psql('postgres', q{SELECT status FROM gpuagg.survey(NULL) WHERE query LIKE 'SELECT customer, sum(cents) FROM%'}), 'taken', 'on a standby');
$standby->stop;
crash_free($node, 'no crash');
$node->stop;
done_testing();
