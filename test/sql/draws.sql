--
-- Random draws on the device, from columns that stay there: the rows of PostgreSQL's executor.
--
\a
\t on
CREATE TABLE dw (id int4, g int4, v int8, f float8, w int4) WITH (autovacuum_enabled = off, fillfactor = 60);
INSERT INTO dw SELECT i, i % 7, i * 3, sin(i), nullif(i % 5, 0) FROM generate_series(1, 20000) i;
DELETE FROM dw WHERE id % 3 = 0 OR id BETWEEN 5000 AND 6500;
UPDATE dw SET v = v + 1 WHERE id % 11 = 0;
VACUUM (ANALYZE) dw;
SELECT gpuagg.why_not('SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (10) GROUP BY g');
SELECT gpuagg.load('dw', '{id,g,v,f,w}') >= 0;
SELECT gpuagg.why_not('SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (10) GROUP BY g');
SELECT q, n, s, compare(format(q, n, s), 'require') FROM
	unnest(ARRAY['SELECT g, count(*), sum(v), min(id), max(w) FROM dw TABLESAMPLE gpuagg.random_rows (%s) REPEATABLE (%s) GROUP BY g',
		'SELECT id, count(*), count(w) FROM dw TABLESAMPLE gpuagg.random_rows (%s) REPEATABLE (%s) WHERE g < 3 GROUP BY id']) q,
	unnest('{0,1,1000,200000}'::int8[]) n, unnest('{1,42}'::float8[]) s;
