--
-- Privileges, row security, barriers, names that mean something else.
--
\a
\t on
CREATE ROLE gpuagg_alice;
CREATE ROLE gpuagg_bob;
GRANT CREATE ON SCHEMA public TO gpuagg_alice, gpuagg_bob;
CREATE TABLE se (id int4, owner name, g int4, v int4, secret text);
INSERT INTO se SELECT i, CASE i % 3 WHEN 0 THEN 'gpuagg_alice' WHEN 1 THEN 'gpuagg_bob' ELSE 'nobody' END, i % 5, i, 'secret ' || i % 7 FROM generate_series(1, 3000) i;
ANALYZE se;
ALTER TABLE se OWNER TO gpuagg_alice;
-- table and column privileges
SET ROLE gpuagg_bob;
SELECT compare('SELECT g, count(*) FROM se GROUP BY g');
RESET ROLE;
GRANT SELECT (g, v) ON se TO gpuagg_bob;
SET ROLE gpuagg_bob;
SELECT compare('SELECT g, sum(v) FROM se GROUP BY g');
SELECT compare('SELECT g, count(*) FROM se GROUP BY g');
SELECT compare('SELECT g, count(secret) FROM se GROUP BY g');
SELECT compare('SELECT g, count(*) FROM se WHERE secret = ''x'' GROUP BY g');
SELECT compare('SELECT g, count(*) FILTER (WHERE id > 0) FROM se GROUP BY g');
SELECT compare('SELECT count(*) FROM se');
RESET ROLE;
-- a view's owner reads for its users; security_invoker does not
CREATE VIEW se_view AS SELECT g, secret, count(*) AS n FROM se GROUP BY g, secret;
ALTER VIEW se_view OWNER TO gpuagg_alice;
GRANT SELECT ON se_view TO gpuagg_bob;
SET ROLE gpuagg_bob;
SELECT compare('SELECT * FROM se_view');
RESET ROLE;
ALTER VIEW se_view SET (security_invoker = true);
SET ROLE gpuagg_bob;
SELECT compare('SELECT * FROM se_view');
RESET ROLE;
DROP VIEW se_view;
-- a prepared plan is checked for who runs it
GRANT SELECT ON se TO gpuagg_bob;
SET ROLE gpuagg_bob;
SET plan_cache_mode = force_generic_plan;
PREPARE se_plan AS SELECT g, count(*) FROM se GROUP BY g ORDER BY g;
EXECUTE se_plan;
RESET ROLE;
REVOKE SELECT ON se FROM gpuagg_bob;
SET ROLE gpuagg_bob;
EXECUTE se_plan;
RESET ROLE;
DEALLOCATE se_plan;
RESET plan_cache_mode;
-- gpuagg.why_not needs no more rights than planning, and runs nothing
GRANT SELECT ON se TO gpuagg_bob;

-- row security: rows of others are never seen, whatever is evaluated
CREATE FUNCTION se_leak(text) RETURNS bool COST 0.0000001 LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'leak: %', $1;
	RETURN true;
END $$;
ALTER TABLE se ENABLE ROW LEVEL SECURITY;
CREATE POLICY se_own ON se USING (owner = current_user);
SET ROLE gpuagg_bob;
SELECT q, compare(q, 'try') FROM unnest(ARRAY[
	'SELECT g, count(*), sum(v) FROM se GROUP BY g',
	'SELECT secret, count(*) FROM se GROUP BY secret',
	'SELECT count(*) FROM se',
	'SELECT count(*) FROM se WHERE v > 100',
	-- errors of rows that policies hide must not show
	'SELECT sum(1 / (v - 3)) FROM se',
	'SELECT sum(1 / (v - 1)) FROM se',
	'SELECT count(*) FROM se WHERE 1 / (v - 3) = 0',
	'SELECT g, count(*) FILTER (WHERE 10 / (v % 3) > 1) FROM se GROUP BY g',
	'SELECT count(*) FROM se WHERE 10 / (v % 3) > 1 AND secret LIKE ''secret 1%''']) q;
SELECT count(*) FROM se WHERE se_leak(secret) AND v < 10;
RESET ROLE;
-- the owner is exempt unless forced
SET ROLE gpuagg_alice;
SELECT compare('SELECT g, count(*), sum(v) FROM se GROUP BY g');
SELECT compare('SELECT owner, count(*) FROM se GROUP BY owner', 'try');
RESET ROLE;
ALTER TABLE se FORCE ROW LEVEL SECURITY;
SET ROLE gpuagg_alice;
SELECT compare('SELECT g, count(*), sum(v) FROM se GROUP BY g', 'try');
RESET ROLE;
-- restrictive policies, several, with subqueries
CREATE TABLE se_acl (who name, g int4);
INSERT INTO se_acl VALUES ('gpuagg_bob', 1), ('gpuagg_bob', 2), ('gpuagg_alice', 3);
GRANT SELECT ON se_acl TO gpuagg_alice, gpuagg_bob;
CREATE POLICY se_range ON se AS RESTRICTIVE USING (v < 1000);
CREATE POLICY se_sub ON se AS RESTRICTIVE USING (g IN (SELECT a.g FROM se_acl a WHERE a.who = current_user));
SET ROLE gpuagg_bob;
SELECT compare('SELECT g, count(*), max(v) FROM se GROUP BY g', 'try');
SELECT g, count(*), max(v) FROM se GROUP BY g ORDER BY g;
SET row_security = off;
SELECT compare('SELECT g, count(*) FROM se GROUP BY g', 'try');
RESET row_security;
RESET ROLE;
-- one prepared plan, two roles
DROP POLICY se_sub ON se;
SET plan_cache_mode = force_generic_plan;
PREPARE se_rls AS SELECT count(*), max(v) FROM se;
EXECUTE se_rls;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
SET ROLE gpuagg_alice;
EXECUTE se_rls;
RESET ROLE;
EXECUTE se_rls;
DEALLOCATE se_rls;
RESET plan_cache_mode;
-- no policy at all: no row
DROP POLICY se_own ON se;
DROP POLICY se_range ON se;
SET ROLE gpuagg_bob;
SELECT compare('SELECT count(*), sum(v) FROM se', 'try');
RESET ROLE;
ALTER TABLE se NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;

-- policies over integers, on the device: permissive ones, one of them a role's, then a restrictive one
CREATE TABLE se_dev (id int4, who int4, g int4, v int4);
INSERT INTO se_dev SELECT i, i % 3, i % 5, i FROM generate_series(1, 3000) i;
ANALYZE se_dev;
ALTER TABLE se_dev OWNER TO gpuagg_alice;
GRANT SELECT ON se_dev TO gpuagg_bob;
ALTER TABLE se_dev ENABLE ROW LEVEL SECURITY;
CREATE POLICY se_one ON se_dev USING (who = 1);
CREATE POLICY se_two ON se_dev TO gpuagg_bob USING (v > 2900);
CREATE TABLE se_queries (what text, q text);
GRANT SELECT ON se_queries TO gpuagg_bob;
INSERT INTO se_queries VALUES
	('groups', 'SELECT g, count(*), sum(v), min(id), max(id) FROM se_dev GROUP BY g'),
	('who', 'SELECT who, count(*) FROM se_dev GROUP BY who'),
	('count', 'SELECT count(*) FROM se_dev'),
	('sums', 'SELECT sum(v), avg(v) FROM se_dev WHERE v % 2 = 0'),
	('sample, grouped', 'SELECT who, count(*) FROM se_dev TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY who'),
	('sample', 'SELECT who, id FROM se_dev TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE v % 2 = 0');
SET ROLE gpuagg_bob;
SELECT what, compare(q) FROM se_queries;
BEGIN;
SELECT prefer_device();
EXPLAIN (COSTS OFF) SELECT g, count(*), sum(v) FROM se_dev WHERE v % 2 = 0 GROUP BY g;
COMMIT;
RESET ROLE;
CREATE POLICY se_three ON se_dev AS RESTRICTIVE USING (g <> 3);
SET ROLE gpuagg_bob;
SELECT what, compare(q) FROM se_queries;
SET ROLE gpuagg_alice;
SELECT compare('SELECT who, g, count(*) FROM se_dev GROUP BY who, g');
ALTER TABLE se_dev FORCE ROW LEVEL SECURITY;
SELECT compare('SELECT who, g, count(*) FROM se_dev GROUP BY who, g');
-- one prepared plan on the device: roles, policies, settings and privileges that change
SET gpuagg.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
SET ROLE gpuagg_bob;
PREPARE se_rls AS SELECT who, count(*), sum(v) FROM se_dev GROUP BY who ORDER BY who;
EXECUTE se_rls;
SET ROLE gpuagg_alice;
EXECUTE se_rls;
ALTER TABLE se_dev NO FORCE ROW LEVEL SECURITY;
EXECUTE se_rls;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
ALTER POLICY se_one ON se_dev USING (who = 2);
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
ALTER POLICY se_one ON se_dev USING (who = (SELECT current_setting('se.who')::int4));
DROP POLICY se_two ON se_dev;
SET ROLE gpuagg_bob;
SET se.who = 0;
EXECUTE se_rls;
SET se.who = 2;
EXECUTE se_rls;
RESET se.who;
EXECUTE se_rls;
SET se.who = 2;
SET row_security = off;
EXECUTE se_rls;
RESET row_security;
-- the policies that are left are another's: no row
RESET ROLE;
ALTER POLICY se_one ON se_dev TO gpuagg_alice;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
ALTER POLICY se_one ON se_dev TO PUBLIC;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
REVOKE SELECT ON se_dev FROM gpuagg_bob;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
GRANT SELECT (who) ON se_dev TO gpuagg_bob;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
GRANT SELECT (v) ON se_dev TO gpuagg_bob;
SET ROLE gpuagg_bob;
EXECUTE se_rls;
RESET ROLE;
DEALLOCATE se_rls;
RESET plan_cache_mode;
RESET gpuagg.debug_require;
-- a policy comes before conditions that fail on hidden rows, whichever is the cheaper one: nothing
-- fails, so that the device need not fall back
GRANT SELECT ON se_dev TO gpuagg_bob;
DROP POLICY se_one ON se_dev;
DROP POLICY se_three ON se_dev;
DELETE FROM se_queries;
INSERT INTO se_queries VALUES
	('where', 'SELECT count(*), sum(v) FROM se_dev WHERE 10 / (v % 3) > 1'),
	('where, cheap', 'SELECT count(*), sum(v) FROM se_dev WHERE 10 / who > 1'),
	('where, dear', 'SELECT count(*), sum(v) FROM se_dev WHERE abs(abs(abs(10 / (v % 3)))) + 0 > 1'),
	('case', 'SELECT count(*) FROM se_dev WHERE CASE WHEN g < 3 THEN 10 / who > 1 ELSE 10 / (v % 3) > 5 END'),
	('filter', 'SELECT g, count(*) FILTER (WHERE 10 / (v % 3) > 1), sum(v) FILTER (WHERE 10 / who > 5) FROM se_dev GROUP BY g'),
	('key', 'SELECT 10 / (v % 3), 10 / who, count(*) FROM se_dev GROUP BY 1, 2'),
	('sum', 'SELECT count(*), sum(10 / (v % 3)), max(10 / who) FROM se_dev'),
	('sum, grouped', 'SELECT g, sum(10 / (v % 3)), count(10 / who) FROM se_dev GROUP BY g'),
	('having', 'SELECT g FROM se_dev GROUP BY g HAVING sum(10 / (v % 3)) > 1'),
	('sample, grouped', 'SELECT g, sum(10 / who) FROM se_dev TABLESAMPLE BERNOULLI (90) REPEATABLE (1) WHERE 10 / (v % 3) > 1 GROUP BY g'),
	('sample', 'SELECT id FROM se_dev TABLESAMPLE BERNOULLI (90) REPEATABLE (1) WHERE 10 / (v % 3) > 5 AND 10 / who > 1');
CREATE POLICY se_cheap ON se_dev USING (v % 3 <> 0);
SET ROLE gpuagg_bob;
SELECT what, compare(q) FROM se_queries;
SET gpuagg.fallback = off;
SELECT what, compare(q) FROM se_queries;
RESET gpuagg.fallback;
RESET ROLE;
DROP POLICY se_cheap ON se_dev;
CREATE POLICY se_dear ON se_dev USING (abs(abs(abs(v + 0) + 0) + 0) % 3 <> 0);
SET ROLE gpuagg_bob;
SELECT what, compare(q) FROM se_queries;
SET gpuagg.fallback = off;
SELECT what, compare(q) FROM se_queries;
RESET gpuagg.fallback;
-- rows that are seen do fail
SELECT compare('SELECT count(*) FROM se_dev WHERE 10 / (v - 1) > 1');
SELECT compare('SELECT count(*) FROM se_dev WHERE 10 / (v - 3) > 1');
RESET ROLE;
DROP TABLE se_dev, se_queries;

-- security barriers: the view's condition first
CREATE VIEW se_barrier WITH (security_barrier) AS SELECT id, g, v, secret FROM se WHERE owner = current_user AND v % 3 <> 0;
CREATE VIEW se_barrier_plain WITH (security_barrier) AS SELECT id, g, v, secret FROM se WHERE v % 3 <> 0;
CREATE VIEW se_open AS SELECT id, g, v, secret FROM se WHERE v % 3 <> 0;
GRANT SELECT ON se_barrier, se_barrier_plain, se_open TO gpuagg_bob;
SET ROLE gpuagg_bob;
SELECT q, compare(q, 'try') FROM unnest(ARRAY[
	'SELECT g, count(*), sum(v) FROM se_barrier GROUP BY g',
	'SELECT g, count(*), sum(v) FROM se_barrier_plain GROUP BY g',
	'SELECT g, count(*), sum(v) FROM se_barrier_plain WHERE g = 2 GROUP BY g',
	'SELECT g, count(*), sum(v) FROM se_barrier_plain WHERE 10 / (v % 3) > 1 GROUP BY g',
	'SELECT sum(10 / (v % 3)) FROM se_barrier_plain',
	'SELECT 10 / (v % 3) AS k, count(*) FROM se_barrier_plain GROUP BY 1',
	'SELECT g, count(*) FILTER (WHERE 10 / (v % 3) > 1) FROM se_barrier_plain GROUP BY g',
	'SELECT g, count(*), sum(v) FROM se_open WHERE 10 / (v % 3) > 1 GROUP BY g']) q;
SELECT count(*) FROM se_barrier_plain WHERE se_leak(secret) AND id < 10;
RESET ROLE;
DROP VIEW se_barrier, se_barrier_plain, se_open;
-- conditions keep the order in which they were written
SELECT compare('SELECT count(*) FROM se WHERE v % 3 <> 0 AND 10 / (v % 3) > 1');
SELECT compare('SELECT count(*) FROM se WHERE 10 / (v % 3) > 1 AND v % 3 <> 0');

-- names: sum, +, = of another schema are another's
CREATE SCHEMA se_shadow;
CREATE FUNCTION se_shadow.plus(int4, int4) RETURNS int4 IMMUTABLE LANGUAGE sql AS 'SELECT pg_catalog.int4mul($1, $2)';
CREATE OPERATOR se_shadow.+ (LEFTARG = int4, RIGHTARG = int4, FUNCTION = se_shadow.plus);
CREATE FUNCTION se_shadow.eq(int4, int4) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT pg_catalog.int4ne($1, $2)';
CREATE OPERATOR se_shadow.= (LEFTARG = int4, RIGHTARG = int4, FUNCTION = se_shadow.eq);
CREATE FUNCTION se_shadow.length(text) RETURNS int4 IMMUTABLE LANGUAGE sql AS 'SELECT 42';
CREATE AGGREGATE se_shadow.sum (int4) (SFUNC = int4larger, STYPE = int4);
CREATE AGGREGATE se_shadow.count (*) (SFUNC = int8inc, STYPE = int8, INITCOND = '1000');
CREATE TYPE se_shadow.date AS ENUM ('a', 'b');
SET search_path = se_shadow, pg_catalog, public;
SELECT q, compare(q, 'try') FROM unnest(ARRAY[
	'SELECT g, sum(v) FROM se GROUP BY g',
	'SELECT g, count(*) FROM se GROUP BY g',
	'SELECT g, max(v + 2) FROM se GROUP BY g',
	'SELECT g, max(v) FROM se WHERE g = 2 GROUP BY g',
	'SELECT max(length(secret)) FROM se',
	'SELECT g, pg_catalog.sum(v OPERATOR(pg_catalog.+) 2), pg_catalog.count(*) FROM se WHERE g OPERATOR(pg_catalog.=) 2 GROUP BY g']) q;
RESET search_path;
SELECT compare('SELECT g, sum(v), count(*) FROM se WHERE g = 2 GROUP BY g');
-- an extension's function called by another search_path, tables of the names gpuagg uses
SET search_path = se_shadow;
CREATE TABLE se_shadow.stat (name text);
SELECT pg_catalog.count(*) > 0 FROM gpuagg.why_not('SELECT v, pg_catalog.count(*) FROM public.se GROUP BY pg_catalog.random(), v');
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA se_shadow CASCADE;
RESET client_min_messages;

-- who may see and do what
SELECT r, o, p FROM (VALUES
	('gpuagg_bob', 'gpuagg.stat'), ('gpuagg_bob', 'gpuagg.tasks'), ('gpuagg_bob', 'gpuagg.devices'), ('gpuagg_bob', 'gpuagg.kernels'), ('gpuagg_bob', 'gpuagg.stat_tables'), ('gpuagg_bob', 'gpuagg.stat_databases'), ('gpuagg_bob', 'gpuagg.metrics'),
	('pg_monitor', 'gpuagg.stat'), ('pg_monitor', 'gpuagg.tasks'), ('pg_monitor', 'gpuagg.devices'), ('pg_monitor', 'gpuagg.kernels'), ('pg_monitor', 'gpuagg.stat_tables'), ('pg_monitor', 'gpuagg.stat_databases'), ('pg_monitor', 'gpuagg.metrics')) x(r, o),
	LATERAL (SELECT has_table_privilege(r, o, 'SELECT') AS p) y;
SELECT p.oid::regprocedure, has_function_privilege('gpuagg_bob', p.oid, 'EXECUTE') AS anyone, has_function_privilege('pg_monitor', p.oid, 'EXECUTE') AS monitor
FROM pg_proc p WHERE pronamespace = 'gpuagg'::regnamespace ORDER BY p.oid::regprocedure::text COLLATE "C";
-- every object says what it is for
SELECT pg_describe_object(classid, objid, objsubid)
FROM pg_depend d WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg') AND refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND classid IN ('pg_class'::regclass, 'pg_proc'::regclass)
	AND obj_description(objid, classid::regclass::name) IS NULL;
SET ROLE gpuagg_bob;
SELECT * FROM gpuagg.stat;
SELECT gpuagg.stat_reset();
SET gpuagg.debug_fault = 'pages';
RESET ROLE;
DROP TABLE se, se_acl;
DROP FUNCTION se_leak;
REVOKE CREATE ON SCHEMA public FROM gpuagg_alice, gpuagg_bob;
DROP ROLE gpuagg_alice, gpuagg_bob;
