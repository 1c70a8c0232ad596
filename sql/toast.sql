--
-- Values that a device cannot read where they lie: compressed in line, moved
-- out, moved out and compressed; as keys, filters and arguments.
--
\a
\t on
CREATE TABLE toa (n int4, kind text, v text, w text COLLATE "C", c char(4000));
ALTER TABLE toa ALTER COLUMN w SET STORAGE EXTERNAL;
-- short, long in line, compressed in line, external compressed, external plain; few and many of each
INSERT INTO toa
SELECT i, k, x, x, left(x, 100)
FROM generate_series(1, 600) i,
	 LATERAL (SELECT (ARRAY['short', 'inline', 'compressed', 'external', 'null'])[i % 5 + 1] AS k) a,
	 LATERAL (SELECT CASE k WHEN 'short' THEN 's' || i % 3
							WHEN 'inline' THEN repeat('i' || i % 2, 200)
							WHEN 'compressed' THEN repeat('c' || i % 3, 3000)
							WHEN 'external' THEN (SELECT string_agg(md5((i % 4 * 1000 + j)::text), '') FROM generate_series(1, 200) j) END AS x) b;
ANALYZE toa;
SELECT count(*) FILTER (WHERE pg_column_size(v) < octet_length(v)) > 0 AS compressed,
	   pg_relation_size(reltoastrelid) > 0 AS external
FROM toa, pg_class WHERE pg_class.oid = 'toa'::regclass GROUP BY reltoastrelid;
SELECT k, compare(format('SELECT md5(%I), n, s FROM (SELECT %1$I, count(*) AS n, sum(n) AS s FROM toa GROUP BY %1$I) x', k))
FROM unnest(ARRAY['v', 'w', 'c']) k;
SELECT compare('SELECT kind, count(*), sum(n), count(v), count(w) FROM toa GROUP BY kind');
SELECT compare('SELECT kind, md5(min(w)), md5(max(w)), max(length(v)), sum(length(w)), max(octet_length(v)) FROM toa GROUP BY kind');
SELECT compare('SELECT kind, count(*) FROM toa WHERE v = repeat(''c1'', 3000) GROUP BY kind');
SELECT compare('SELECT kind, count(*) FROM toa WHERE w LIKE ''i%'' OR w LIKE ''c2%'' GROUP BY kind');
SELECT compare('SELECT kind, count(*) FROM toa WHERE v <> ''s1'' AND length(v) > 5000 GROUP BY kind');
SELECT compare('SELECT substr(v, 1, 2), count(*), sum(n) FILTER (WHERE w = v) FROM toa GROUP BY 1');
SELECT compare('SELECT kind, count(*) FILTER (WHERE v LIKE ''%2c2%''), min(CASE WHEN length(w) > 100 THEN substr(w, 50, 7) ELSE w END COLLATE "C") FROM toa GROUP BY kind');
SELECT compare('SELECT count(*), sum(n) FROM toa WHERE n < 100 AND v IN (''s0'', repeat(''i1'', 200), repeat(''c0'', 3000))');
-- what PostgreSQL evaluates for the device raises PostgreSQL's errors, and only its errors
SELECT compare('SELECT kind, sum(1 / (length(v) - 6000)) FROM toa GROUP BY kind');
SELECT compare('SELECT kind, sum(1 / (length(v) - 6000)) FILTER (WHERE kind <> ''compressed'') FROM toa GROUP BY kind');
SELECT compare('SELECT kind, sum(CASE WHEN length(v) <> 6000 THEN 10000 / (length(v) - 6000) END) FROM toa GROUP BY kind');
-- rows that nobody sees stay unseen
BEGIN;
DELETE FROM toa WHERE n % 2 = 0;
UPDATE toa SET v = v || 'u' WHERE n % 3 = 0;
SELECT compare('SELECT md5(v), count(*), sum(n) FROM (SELECT v, count(*), sum(n) AS n FROM toa GROUP BY v) x GROUP BY 1', 'any');
SELECT compare('SELECT kind, count(v), sum(length(v)) FROM toa GROUP BY kind');
ROLLBACK;
SELECT compare('SELECT kind, count(v), sum(length(v)) FROM toa GROUP BY kind');
-- dropped and added columns among them
ALTER TABLE toa DROP COLUMN c, ADD COLUMN z text DEFAULT repeat('default', 1000);
SELECT compare('SELECT md5(z), n, s FROM (SELECT z, count(*) AS n, sum(length(v)) AS s FROM toa GROUP BY z) x');
DROP TABLE toa;
-- every row is one for PostgreSQL, on many pages
CREATE TABLE toa_all AS SELECT i AS n, repeat((i % 50)::text || ' ', 2000) AS v FROM generate_series(1, 5000) i;
SELECT compare('SELECT md5(v), n, s FROM (SELECT v, count(*) AS n, sum(n) AS s FROM toa_all GROUP BY v) x');
SELECT compare('SELECT length(v), count(*), sum(n) FROM toa_all WHERE v LIKE ''1%'' GROUP BY 1');
SELECT compare('SELECT n % 3, count(v) FROM toa_all GROUP BY 1');
DROP TABLE toa_all;
-- other compression
SET default_toast_compression = 'lz4';
CREATE TABLE toa_lz4 AS SELECT i AS n, repeat((i % 5)::text || ' ', 2000) AS v FROM generate_series(1, 500) i;
SELECT compare('SELECT substr(v, 1, 3), count(*), sum(n), max(length(v)) FROM toa_lz4 GROUP BY 1');
RESET default_toast_compression;
DROP TABLE toa_lz4;
