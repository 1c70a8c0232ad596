--
-- search_path: operators, functions, types and tables ahead of PostgreSQL's own ones are run by no function or view of
-- gpuagg, whoever calls it, and by no check of its tables, even if they were in its schema before it.
--
\a
\t on
SET client_min_messages = warning;
CREATE TABLE sp (id int4, g int4, v float8) WITH (autovacuum_enabled = off);
INSERT INTO sp SELECT i, i % 10, i FROM generate_series(1, 1000) i;
VACUUM (FREEZE, ANALYZE) sp;

-- what the functions and views of gpuagg call
CREATE TABLE sp_text AS
	SELECT pg_get_functiondef(p.oid) AS body FROM pg_proc p JOIN pg_language l ON l.oid = prolang
	WHERE pronamespace = 'gpuagg'::regnamespace AND lanname IN ('sql', 'plpgsql')
	UNION ALL SELECT pg_get_viewdef(oid) FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace AND relkind = 'v';
-- a trap for every operator of some types, and for every function of PostgreSQL's of these names
CREATE PROCEDURE sp_plant(place name) LANGUAGE plpgsql AS $$
DECLARE
	types regtype[] := '{bool,int4,int8,float4,float8,numeric,text,name,oid,regclass,jsonb}';
	raise text := 'LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''a trap''''; END''';
	l regtype;
	r regtype;
	op text;
	args text;
	name text;
BEGIN
	FOREACH l IN ARRAY types LOOP
		FOREACH r IN ARRAY types LOOP
			EXECUTE format('CREATE FUNCTION %I.sp_test(%s, %s) RETURNS bool %s', place, l, r, raise);
			EXECUTE format('CREATE FUNCTION %I.sp_make(%s, %s) RETURNS %2$s %4$s', place, l, r, raise);
			FOREACH op IN ARRAY '{=,<>,<,>,<=,>=,~,!~,~~}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR %I.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %1$I.sp_test)', place, op, l, r);
			END LOOP;
			FOREACH op IN ARRAY '{+,-,*,/,^,%,||,->,->>,#>>}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR %I.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %1$I.sp_make)', place, op, l, r);
			END LOOP;
		END LOOP;
	END LOOP;
	FOR args, name, r IN
		SELECT DISTINCT pg_get_function_identity_arguments(oid), proname, prorettype FROM pg_proc
		WHERE pronamespace = 'pg_catalog'::regnamespace
			AND proname IN (SELECT (regexp_matches(body, '([a-z_0-9]+)\(', 'g'))[1] FROM sp_text)
			AND NOT '{"\"any\"",internal,cstring}'::regtype[] && (prorettype || proargtypes::oid[])::regtype[] LOOP
		EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s %s', place, name,
			regexp_replace(regexp_replace(args, '^ORDER BY ', ''), ' ORDER BY ', ', '), r, raise);
	END LOOP;
	FOREACH args IN ARRAY '{text,"text, text","text, text, text"}'::text[] LOOP
		EXECUTE format('CREATE OR REPLACE FUNCTION %I.format(%s) RETURNS text %s', place, args, raise);
		EXECUTE format('CREATE OR REPLACE FUNCTION %I.concat(%s) RETURNS text %s', place, args, raise);
	END LOOP;
	FOREACH name IN ARRAY '{bool,int4,int8,float8,text,name,oid,regclass,jsonb,record}'::text[] LOOP
		EXECUTE format('CREATE DOMAIN %I.%I AS pg_catalog.text CHECK (false)', place, name);
	END LOOP;
END $$;
CREATE SCHEMA sp_trap;
CALL sp_plant('sp_trap');
CREATE TABLE sp_trap.pg_class ();
CREATE TABLE sp_trap.pg_database ();
CREATE TABLE sp_trap.profile ();
CREATE TABLE sp_trap.memory_level ();

CREATE TABLE sp_calls (n serial, call text);
INSERT INTO sp_calls (call) VALUES
	('SELECT pg_catalog.count(e) FROM gpuagg.estimate(''SELECT v FROM public.sp TABLESAMPLE gpuagg.random_rows (100) REPEATABLE (1)'') e'),
	('SELECT pg_catalog.count(e) FROM gpuagg.estimate(''SELECT v FROM public.sp TABLESAMPLE gpuagg.random_rows (0)'', total => 5) e'),
	('SELECT pg_catalog.count(e) FROM gpuagg.estimate(''SELECT v FROM public.sp TABLESAMPLE gpuagg.random_rows (100); '', 0.5, ''{0.1,0.9}'', 1000) e'),
	('SELECT pg_catalog.count(e) FROM gpuagg.estimate_draws(''SELECT v FROM public.sp TABLESAMPLE gpuagg.random_rows (100)'') e'),
	('SELECT pg_catalog.count(e) FROM gpuagg.estimate_intervals(100, 50, 1, 1, ''{0.5}'', ''{1,2,3}'', 1.6, 1000) e'),
	('SELECT gpuagg.estimate_ranks(10, ''{0.5}'', 0)'),
	('SELECT gpuagg.normal_quantile(0.5) IS NULL'),
	('SELECT gpuagg.machine() IS NULL'),
	('SELECT gpuagg.ping(1) IS NULL'),
	('SELECT gpuagg.load(''public.sp'') IS NULL'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.cache v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_cache() v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.kernels v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_kernels() v'),
	('SELECT gpuagg.pin(''public.sp'', ''{v}'') IS NULL'),
	('SELECT gpuagg.unpin(''public.sp'', ''{v}'') IS NULL'),
	('SELECT gpuagg.unload(''public.sp'', ''{v}'') IS NULL'),
	('SELECT pg_catalog.count(v) FROM gpuagg.why_not(''SELECT g, pg_catalog.max(g) FROM public.sp GROUP BY id, g'') v WHERE false'),
	('SELECT gpuagg.what_if(''SELECT g, pg_catalog.max(g) FROM public.sp GROUP BY id, g'') WHERE false'),
	('SELECT gpuagg.survey_statement(''SELECT 1'', 10, NULL) IS NULL'),
	('SELECT g, pg_catalog.sum(v) FROM public.sp GROUP BY g ORDER BY g LIMIT 1'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.devices v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_devices() v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.tasks v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_tasks() v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.stat_cost v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_stat_cost() v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.learned v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_learned() v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.stat_tables v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.stat_databases v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_stat_tables() v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.metrics v'),
	('SELECT gpuagg.metrics_text() IS NULL'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.stat v'),
	('SELECT pg_catalog.count(v) IS NULL FROM gpuagg.get_stat() v'),
	('SELECT gpuagg.stat_reset()'),
	('BEGIN'),
	('INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, origin, seconds, clock_ghz, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns) VALUES (990001, ''host'', ''sp'', ''measured'', 1, 2, 2, 100, 1000, 3000, 30, 20, 400) RETURNING busy'),
	('INSERT INTO gpuagg.memory_level (profile_id, kind, level, reach_bytes) VALUES (990001, ''tlb'', 1, 4096), (990001, ''tlb'', 2, 8192)'),
	('INSERT INTO gpuagg.ceiling (profile_id, name, per_second) VALUES (990001, ''x'', 1)'),
	('SET CONSTRAINTS ALL IMMEDIATE'),
	('UPDATE gpuagg.ceiling SET spread = 1'),
	('UPDATE gpuagg.profile SET units = 4'),
	('SELECT pg_catalog.count(p) IS NULL FROM gpuagg.profile p'),
	('TRUNCATE gpuagg.profile'),
	('SELECT pg_catalog.count(*) FROM gpuagg.memory_level'),
	('ROLLBACK'),
	('BEGIN'),
	('SELECT gpuagg.calibrate(''host'', ''low'') IS NULL'),
	('ROLLBACK');
-- every function and view is among them, but those that have no SQL and would disturb others, and survey(), which needs
-- pg_stat_statements (t/068_survey.pl)
SELECT p.oid::regprocedure FROM pg_proc p WHERE pronamespace = 'gpuagg'::regnamespace AND prorettype <> 'trigger'::regtype
	AND NOT EXISTS (SELECT 1 FROM sp_calls WHERE call LIKE '%gpuagg.' || proname || '(%') ORDER BY 1;
SELECT relname FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace AND relkind = 'v'
	AND NOT EXISTS (SELECT 1 FROM sp_calls WHERE call LIKE '%gpuagg.' || relname || ' %') ORDER BY 1;
-- the traps are there
SET search_path = sp_trap, pg_catalog, public;
SELECT 1 < 1.5::pg_catalog.float8;
SELECT 1 + 1;
SELECT sqrt(2);
SELECT 'a'::float8;
-- and nobody steps on them; clients get errors alone
SET client_min_messages = error;
SELECT call FROM public.sp_calls ORDER BY n \gexec
RESET search_path;
SET client_min_messages = warning;

-- where an extension is made in a schema that somebody had made before
BEGIN;
DROP EXTENSION gpuagg;
CALL sp_plant('gpuagg');
CREATE EXTENSION gpuagg;
SHOW search_path;
SET LOCAL client_min_messages = error;
SELECT call FROM sp_calls WHERE call !~ 'BEGIN|ROLLBACK|calibrate' ORDER BY n \gexec
ROLLBACK;
DROP SCHEMA sp_trap CASCADE;
DROP PROCEDURE sp_plant;
DROP TABLE sp, sp_calls, sp_text;
