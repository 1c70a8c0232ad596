--
-- Numbers and shapes of groups: one, many, skewed, misestimated, wide.
--
\a
\t on
CREATE TABLE gr AS
SELECT i AS id, i % 1000 AS k1000, 7 AS one, (i / 2)::int4 AS half, (hashint8extended(i, 1) & 65535)::int4 AS h16,
	   CASE WHEN i % 100 < 95 THEN 1 ELSE i END AS skew, ('key number ' || i % 25000) AS txt, i::int8 * 4294967296 AS high,
	   (i % 17000)::float8 / 8 AS f, md5((i % 10000)::text)::uuid AS u
FROM generate_series(1, 100000) i;
-- never analysed: PostgreSQL guesses 200 groups
SELECT k, compare(format('SELECT %I, count(*), sum(id), min(id), max(half) FROM gr GROUP BY %1$I', k))
FROM unnest(ARRAY['id', 'half', 'txt', 'high', 'skew', 'u']) k;
ANALYZE gr;
SELECT k, compare(format('SELECT %I, count(*), sum(id), min(id), max(half) FROM gr GROUP BY %1$I', k))
FROM unnest(ARRAY['id', 'half', 'k1000', 'one', 'h16', 'skew', 'txt', 'high', 'f', 'u']) k;
SELECT compare('SELECT k1000, one, h16 % 7, count(*) FROM gr GROUP BY 1, 2, 3');
SELECT compare('SELECT txt, u, count(*), min(txt COLLATE "C") FROM gr GROUP BY txt, u');
SELECT compare('SELECT count(*), sum(id), max(txt COLLATE "C") FROM gr');
SELECT compare('SELECT id % 2 = 0, count(*) FROM gr GROUP BY 1');
-- work_mem bounds what stays in memory of the answer, not whether it is right
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id, count(*), min(txt COLLATE "C") FROM gr GROUP BY id');
RESET work_mem;
RESET hash_mem_multiplier;
-- after the rows go away the estimates are the old ones
DELETE FROM gr WHERE id > 10;
SELECT compare('SELECT id, count(*) FROM gr GROUP BY id');
TRUNCATE gr;
SELECT compare('SELECT id, count(*) FROM gr GROUP BY id');
SELECT compare('SELECT count(*), sum(id) FROM gr');
INSERT INTO gr (id, txt) SELECT i, 'late ' || i FROM generate_series(1, 50000) i;
SELECT compare('SELECT id, txt, count(*) FROM gr GROUP BY id, txt');

-- many more groups than anybody expected
CREATE TABLE gr_many AS SELECT i * 3 AS k, i AS v FROM generate_series(1, 300000) i;
SELECT compare('SELECT k, count(*), sum(v) FROM gr_many GROUP BY k');
CREATE FUNCTION gr_splits(query text) RETURNS bool LANGUAGE plpgsql SET gpuagg.debug_require = 'prefer' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, 'strict $.**."Window Splits"')::int > 0;
END $$;
-- an answer of many blocks: all in memory, the rest in a file; read twice
ANALYZE gr_many;
SET enable_material = off;
SELECT m, set_config('work_mem', m, false) = m AS set,
	   compare('SELECT k, count(*), sum(v), min(v), max(v) FROM gr_many GROUP BY k'),
	   compare('SELECT d.i, x.k, x.n FROM generate_series(1, 2) d(i) LEFT JOIN (SELECT k, count(*) AS n, sum(v), max(v) FROM gr_many GROUP BY k OFFSET 0) x ON x.k < d.i * 1000', 'prefer')
FROM unnest(ARRAY['64MB', '2MB', '64kB']) m;
-- windows that failed: before they had groups, and with groups in the store, in memory or in its file
SET gpuagg.fallback = off;
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '3MB';
CREATE VIEW gr_some AS SELECT k, count(*), sum(v), min(v), max(v) FROM gr_many WHERE v <= 100000 GROUP BY k;
SET gpuagg.debug_fault = 'memory';
SET gpuagg.debug_fault_pass = 3;
SELECT compare('SELECT * FROM gr_some', 'prefer'), gr_splits('SELECT * FROM gr_some');
SET gpuagg.debug_fault = 'memory-late';
SELECT m, pass, set_config('work_mem', m, false) = m AND set_config('gpuagg.debug_fault_pass', pass::text, false) = pass::text AS set,
	   compare('SELECT * FROM gr_some', 'prefer'), gr_splits('SELECT * FROM gr_some')
FROM unnest(ARRAY['64MB', '1MB', '64kB']) m, unnest(ARRAY[1, 3]) pass;
DROP VIEW gr_some;
RESET gpuagg.fallback;
RESET gpuagg.debug_fault;
RESET gpuagg.debug_fault_pass;
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
RESET work_mem;
RESET enable_material;
DROP FUNCTION gr_splits;
DROP TABLE gr_many;

-- keys that agree in low bits, in high bits, in long prefixes or long suffixes
CREATE TABLE gr_adv AS
SELECT (i << 13)::int4 AS low4, i::int8 << 40 AS low8, i::int8 AS seq8, -i::int8 AS neg8,
	   repeat('common prefix ', 30) || i AS pre, i || repeat(' common suffix', 30) AS suf,
	   i::float8 * 1099511627776 AS f, ('00000000-0000-0000-0000-' || lpad(to_hex(i), 12, '0'))::uuid AS u
FROM generate_series(1, 20000) i;
ANALYZE gr_adv;
SELECT k, compare(format('SELECT %I, count(*), sum(seq8) FROM gr_adv GROUP BY %1$I', k))
FROM unnest(ARRAY['low4', 'low8', 'seq8', 'neg8', 'pre', 'suf', 'f', 'u']) k;
DROP TABLE gr, gr_adv;

-- as many keys as a program holds, and one more; as many aggregates, and more
CREATE TABLE gr_wide AS
SELECT i AS id, i % 2 AS a, i % 3 AS b, (i % 5)::int8 AS c, 't' || i % 7 AS t FROM generate_series(1, 2000) i;
ANALYZE gr_wide;
CREATE FUNCTION gr_keys(n int4) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT %1$s, count(*) FROM gr_wide GROUP BY %1$s',
				  string_agg(format((ARRAY['a + %s', 'b + %s', 'c + %s', 'CASE WHEN a = %s THEN t END'])[i % 4 + 1], i), ', ' ORDER BY i))
	FROM generate_series(1, n) i $$;
SELECT n, compare(gr_keys(n)) FROM unnest(ARRAY[2, 8, 16, 30, 31]) n;
SELECT n, compare(gr_keys(n), 'try') FROM unnest(ARRAY[32, 33, 64]) n;
SELECT n, compare(format('SELECT t, %s FROM gr_wide GROUP BY t', (SELECT string_agg(format('min(id + %s)', i), ', ') FROM generate_series(1, n) i)), 'try')
FROM unnest(ARRAY[1, 10, 31, 32, 60, 64, 65, 200]) n;
DROP FUNCTION gr_keys;
DROP TABLE gr_wide;
