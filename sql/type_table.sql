--
-- Which uses of a column of which type run on the device: the table of doc/supported.md
-- (test/lib/documents compares them).  A dash: PostgreSQL has no such thing, or keeps it.
--
\a
\t on
CREATE TYPE tb_mood AS ENUM ('sad', 'ok');
CREATE TYPE tb_pair AS (a int4, b int4);
CREATE DOMAIN tb_small AS int4 CHECK (VALUE < 10);
CREATE COLLATION tb_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT prefer_device(false);
SET client_min_messages = error;

CREATE TABLE tb_types (n int4 GENERATED ALWAYS AS IDENTITY, type text, name text);
INSERT INTO tb_types (type, name) VALUES
	('boolean', NULL), ('smallint', NULL), ('integer', NULL), ('bigint', NULL), ('numeric(15, 2)', 'numeric(p, s)'), ('numeric', NULL),
	('real', NULL), ('double precision', NULL), ('money', NULL),
	('date', NULL), ('timestamp', NULL), ('timestamptz', NULL), ('time', NULL), ('timetz', NULL), ('interval', NULL),
	('text COLLATE "C"', 'text, collation C'), ('text COLLATE "en-x-icu"', 'text, other collations'), ('text COLLATE tb_case', 'text, not deterministic'), ('varchar(10) COLLATE "C"', 'varchar, collation C'),
	('char(6) COLLATE "C"', 'char(n), collation C'), ('name', NULL), ('"char"', NULL), ('bytea', NULL), ('bit(8)', 'bit'), ('varbit', NULL), ('uuid', NULL),
	('tb_mood', 'enums'), ('oid', NULL), ('regclass', 'regclass and its like'), ('xid', NULL), ('xid8', NULL), ('pg_lsn', NULL),
	('inet', NULL), ('cidr', NULL), ('macaddr', NULL), ('macaddr8', NULL),
	('json', NULL), ('jsonb', NULL), ('xml', NULL), ('int4[]', 'arrays'), ('int4range', 'ranges'), ('tb_pair', 'composites'),
	('point', 'geometric types'), ('tsvector', NULL), ('tb_small', 'domains: as their type');
SELECT format('CREATE TABLE tb_%s (id int4, a %s, b %2$s) WITH (autovacuum_enabled = off)', n, type) FROM tb_types ORDER BY n \gexec
SELECT format('INSERT INTO tb_%s (id) SELECT generate_series(1, 1000)', n) FROM tb_types ORDER BY n \gexec
SELECT format('VACUUM ANALYZE tb_%s', n) FROM tb_types ORDER BY n \gexec

-- Does the device take the query?  It may be dearer there.
CREATE FUNCTION runs(query text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	RETURN NOT EXISTS (SELECT FROM gpuagg.why_not(query) w WHERE w::text NOT LIKE '%is estimated to be cheaper%');
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END
$$;
-- Does the column stay on the device?
CREATE FUNCTION stays(n int4) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	RETURN gpuagg.load(format('tb_%s', n), '{a}') > 0;
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END
$$;
CREATE FUNCTION uses(n int4) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(CASE WHEN CASE WHEN q = '' THEN stays(n) ELSE runs(replace(q, 'tb', 'tb_' || n)) END THEN 'yes' ELSE '-' END, ' | ' ORDER BY o)
	FROM unnest(ARRAY[
		'SELECT a, sum(id) FROM tb GROUP BY a',
		'SELECT sum(id) FROM tb WHERE a = b',
		'SELECT sum(id) FROM tb WHERE a < b',
		'SELECT count(a) FROM tb',
		'SELECT sum(a) FROM tb',
		'SELECT avg(a) FROM tb',
		'SELECT min(a), max(a) FROM tb',
		'']) WITH ORDINALITY x(q, o)
$$;
SELECT format('| %s | %s |', coalesce(name, type), uses(n)) FROM tb_types ORDER BY n;

-- what is not taken names the type
CREATE TABLE tb (id int4, j jsonb, js json, x xml, a int4[], r int4range, p tb_pair, pt point, ts tsvector, xi xid, bi bit(3), tid tid);
SELECT e, why_not.* FROM unnest(ARRAY['ts', 'xi', 'tid']) e,
	gpuagg.why_not(format('SELECT %I, count(*) FROM tb GROUP BY 1', e)) why_not;
SELECT e, why_not.* FROM unnest(ARRAY['pt << point ''(1,1)''', 'xi = ''5''', 'j::text = tid::text']) e,
	gpuagg.why_not(format('SELECT count(*) FROM tb WHERE %s', e)) why_not;
SELECT e, why_not.* FROM unnest(ARRAY['json_agg(j)', 'bit_and(bi)', 'array_agg(x)', 'min(tid)']) e,
	gpuagg.why_not(format('SELECT %s FROM tb', e)) why_not;
DROP TABLE tb;
SELECT format('DROP TABLE tb_%s', n) FROM tb_types ORDER BY n \gexec
DROP TABLE tb_types;
DROP FUNCTION runs, stays, uses;
DROP TYPE tb_mood, tb_pair;
DROP DOMAIN tb_small;
DROP COLLATION tb_case;
