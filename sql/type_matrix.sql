--
-- Every type as key, argument, condition and FILTER, with every aggregate that it has, by every
-- strategy, of pages and of what the device keeps: rows are those of PostgreSQL.  Values are few,
-- so that groups meet; among them the ends of each type, NULL, and what is equal and looks alike.
--
\a
\t on
SELECT prefer_device(false);
SET client_min_messages = error;
SET TimeZone = 'Europe/Berlin';
CREATE TYPE mx_mood AS ENUM ('sad', 'ok', 'happy');
ALTER TYPE mx_mood ADD VALUE 'calm' BEFORE 'ok';
CREATE TABLE mx_types (n int4 GENERATED ALWAYS AS IDENTITY, type text, vals text[]);
INSERT INTO mx_types (type, vals) VALUES
	('bool', '{t,f,t}'), ('int2', '{-32768,32767,0,7}'), ('int4', '{-2147483648,2147483647,0,-1}'), ('int8', '{-9223372036854775808,9223372036854775807,0,12345678901}'),
	('numeric(15,2)', '{-9999999999999.99,9999999999999.99,0.00,0.10,NaN}'), ('numeric', '{-1.5,0.25,10,1234567.125,Infinity}'),
	('float4', '{-1.5,0,3e38,1e-30}'), ('float8', '{-1.5,0,1e140,2.25}'), ('money', '{-1.50,0,99999.99}'),
	('date', '{2020-02-29,-infinity,infinity,"4714-11-24 BC",5874897-12-31,2024-03-31}'),
	('timestamp', '{2020-02-29 23:59:59.999999,-infinity,infinity,"4714-11-24 00:00 BC",294276-12-31 23:59:59,2024-03-31 02:30}'),
	('timestamptz', '{2024-03-31 00:59:59.999999+00,2024-03-31 01:00+00,2024-10-27 00:30+00,2024-10-27 01:30+00,infinity,1890-01-01 00:00+00,"0044-03-15 12:00+00 BC"}'),
	('time', '{00:00,24:00,12:34:56.789}'), ('timetz', '{00:00+15:59,24:00-15:59,12:00+02,11:00+01}'), ('interval', '{1 mon,-1 day,00:00:00.000001,34 years,0}'),
	('text', '{"",a,A,Ä,"a longer string than twelve bytes"}'), ('varchar(9)', '{"",a,"b "}'), ('char(5)', '{"",a,b}'), ('name', '{a,pg_class,""}'), ('"char"', '{a,Z,1}'),
	('bytea', '{"",\\x00,\\xff00ff}'), ('bit(5)', '{00000,10101,11111}'), ('varbit', '{"",1,0,1010101010}'), ('uuid', '{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff}'),
	('mx_mood', '{sad,calm,ok,happy}'), ('oid', '{0,1,4294967295}'), ('regclass', '{pg_class,pg_type}'), ('xid8', '{0,18446744073709551615}'), ('pg_lsn', '{0/0,FFFFFFFF/FFFFFFFF}'),
	('inet', '{0.0.0.0,255.255.255.255/8,::1,10.0.0.1/24}'), ('cidr', '{10.0.0.0/8,::/0}'), ('macaddr', '{00:00:00:00:00:00,ff:ff:ff:ff:ff:ff}'), ('macaddr8', '{00:00:00:00:00:00:00:00,ff:ff:ff:ff:ff:ff:ff:ff}'),
	('jsonb', '{null,1,"{\"a\": [1, 2]}"}');
SELECT format('CREATE TABLE mx_%s (id int4, g int4, a %s, b %2$s) WITH (autovacuum_enabled = off)', n, type) FROM mx_types ORDER BY n \gexec
SELECT format('INSERT INTO mx_%s SELECT i, i %% 3, (%L::text[])[1 + i %% %s]::%s, (%2$L::text[])[1 + i / 5 %% %5$s]::%4$s FROM generate_series(1, 400) i',
			  n, vals, cardinality(vals) + 1, type, cardinality(vals)) FROM mx_types ORDER BY n \gexec
SELECT format('VACUUM ANALYZE mx_%s', n) FROM mx_types ORDER BY n \gexec

-- the queries that PostgreSQL has for a type
CREATE FUNCTION mx_results(mx_types) RETURNS TABLE (query text, result text) LANGUAGE sql AS $$
	SELECT q, r
	FROM unnest(ARRAY['SELECT a, count(*), sum(id) FROM mx GROUP BY a', 'SELECT a, b, g, count(*) FROM mx GROUP BY a, b, g', 'SELECT DISTINCT a FROM mx', 'SELECT g, count(a), count(DISTINCT a) FROM mx GROUP BY g',
		'SELECT g, min(a), max(b) FROM mx GROUP BY g', 'SELECT g, sum(a) FROM mx GROUP BY g', 'SELECT g, avg(a), avg(b) FILTER (WHERE a IS NOT NULL) FROM mx GROUP BY g', 'SELECT g, stddev(a::numeric) FROM mx GROUP BY g',
		'SELECT g, bool_or(a), bool_and(b), every(a) FROM mx GROUP BY g', 'SELECT g, bit_and(a), bit_or(b), bit_xor(a) FROM mx GROUP BY g', 'SELECT g, count(*) FILTER (WHERE a = b), min(a) FILTER (WHERE g > 0) FROM mx GROUP BY g',
		'SELECT g, count(*) FROM mx WHERE a = b GROUP BY g', 'SELECT g, count(*) FROM mx WHERE a < b OR a IS NULL GROUP BY g', 'SELECT count(*) FROM mx WHERE a >= (SELECT max(b) FROM mx)', 'SELECT g, count(*) FROM mx WHERE a IN (SELECT b FROM mx) GROUP BY g',
		'SELECT greatest(a, b), count(*) FROM mx GROUP BY 1', 'SELECT CASE WHEN g = 1 THEN a ELSE b END, count(*) FROM mx GROUP BY 1', 'SELECT coalesce(a, b), nullif(a, b) IS NULL, count(*) FROM mx GROUP BY 1, 2', 'SELECT a, g, count(*), grouping(a) FROM mx GROUP BY ROLLUP (a, g)',
		'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY a) FROM mx GROUP BY g', 'SELECT a, count(*) FROM mx GROUP BY a ORDER BY a LIMIT 2', 'SELECT g, b, count(a) FROM mx WHERE a IS DISTINCT FROM b GROUP BY g, b HAVING count(*) > 5',
		'SELECT g, count(DISTINCT (a, b)), count(DISTINCT ARRAY[a]) FROM mx GROUP BY g', 'SELECT g, sum(DISTINCT a), avg(DISTINCT b), stddev(DISTINCT a::numeric) FROM mx GROUP BY g', 'SELECT ARRAY[a], ROW(b), count(*) FROM mx GROUP BY ROLLUP (1, 2)']) WITH ORDINALITY x(q, o),
		 LATERAL compare(replace(q, 'mx', 'mx_' || $1.n), 'try', CASE WHEN $1.type ~ 'float' THEN 1e-6 END) r
	-- of strings that are no numbers an error names one, whichever
	WHERE r !~ '^same error' AND NOT (q ~ '::numeric' AND $1.type ~ 'text|char|name') ORDER BY o
$$;
-- answers that differ, and types of which the device takes few
SELECT type, count(*), string_agg(query || ': ' || result, '; ') FILTER (WHERE result !~ '^ok') FROM mx_types t, mx_results(t)
GROUP BY n, type HAVING bool_or(result !~ '^ok') OR count(*) FILTER (WHERE result ~ '^ok: ') < 8 ORDER BY n;
SELECT count(*) FROM mx_types WHERE gpuagg.load(format('mx_%s', n), CASE type WHEN 'jsonb' THEN '{id,g,a,b}'::name[] END) > 0;
SELECT type, d.* FROM mx_types t, mx_results(t) d WHERE result !~ '^ok' ORDER BY n;
SELECT s, type, d.* FROM unnest(ARRAY['block-local', 'single-pass', 'multi-pass-naive', 'multi-pass-copy', 'partitioned']) WITH ORDINALITY x(s, o), mx_types t,
	LATERAL set_config('gpuagg.strategy', s, true), LATERAL mx_results(t) d WHERE n % 5 = o % 5 AND result !~ '^ok' ORDER BY o, n;
RESET gpuagg.strategy;

-- moments of every zone's rules: gaps and overlaps, offsets with seconds, a day left out, before Christ
CREATE TABLE mx_zones AS
SELECT i % 5 AS g, t + i % 7 * interval '20 min' AS tz, (t AT TIME ZONE 'UTC') + i % 7 * interval '20 min' AS ts
FROM unnest(ARRAY['2024-03-31 00:00+00', '2024-10-27 00:00+00', '2011-12-30 08:00+00', '1900-01-01 00:00+00', '1972-01-07 00:00+00', '2018-11-04 02:00+00', '2099-12-31 23:00+00', NULL]::timestamptz[]) t, generate_series(1, 30) i;
VACUUM ANALYZE mx_zones;
CREATE FUNCTION mx_zones_differ() RETURNS TABLE (zone text, query text, result text) LANGUAGE sql AS $$
	SELECT z, q, r
	FROM unnest(ARRAY['Europe/Berlin', 'Pacific/Apia', 'Africa/Monrovia', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']) WITH ORDINALITY x(z, o), set_config('TimeZone', z, true),
		 unnest(ARRAY['SELECT date_trunc(u, tz), count(*) FROM mx_zones GROUP BY 1', 'SELECT extract(hour FROM tz), tz::date, tz::time, count(*) FROM mx_zones GROUP BY 1, 2, 3', 'SELECT ts::timestamptz, count(*) FROM mx_zones GROUP BY 1',
			'SELECT tz + interval ''1 day'', count(*) FROM mx_zones GROUP BY 1', 'SELECT tz::timestamp, extract(epoch FROM tz), count(*) FROM mx_zones GROUP BY 1, 2', 'SELECT g, count(*) FROM mx_zones WHERE tz::date > ''1972-01-07'' AND tz >= ts GROUP BY g']) a, unnest(ARRAY['minute', 'hour', 'day', 'week', 'year']) u,
		 LATERAL (SELECT replace(a, '(u,', '(' || quote_literal(u) || ',')) y(q), LATERAL compare(q, 'try') r
	WHERE (u = 'hour' OR a ~ 'date_trunc') AND r !~ '^ok' ORDER BY o, q
$$;
SELECT * FROM mx_zones_differ();
INSERT INTO mx_zones VALUES (1, 'infinity', '-infinity'), (2, '0044-03-15 12:00 BC', '0001-01-01 BC'), (3, '1700-01-01', '2150-06-01');
SELECT * FROM mx_zones_differ();
SELECT format('DROP TABLE mx_%s', n) FROM mx_types ORDER BY n \gexec
DROP FUNCTION mx_results, mx_zones_differ;
DROP TABLE mx_types, mx_zones;
DROP TYPE mx_mood;
