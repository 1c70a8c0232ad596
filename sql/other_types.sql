--
-- Types that are neither numbers, strings nor times: enums, oids, "char", money, names,
-- bytes, network and hardware addresses, bits, times with a zone, log positions, and
-- domains over them.
--
\a
\t on
CREATE TYPE ot_mood AS ENUM ('sad', 'ok', 'happy');
-- values with oids in another order, odd ones among them
ALTER TYPE ot_mood ADD VALUE 'meh' BEFORE 'ok';
ALTER TYPE ot_mood ADD VALUE 'gloomy' BEFORE 'sad';
ALTER TYPE ot_mood ADD VALUE 'ecstatic' AFTER 'happy';
ALTER TYPE ot_mood ADD VALUE 'so-so' BEFORE 'ok';
ALTER TYPE ot_mood ADD VALUE 'fine' AFTER 'ok';
CREATE DOMAIN ot_mood_known AS ot_mood NOT NULL DEFAULT 'ok';
CREATE DOMAIN ot_net AS inet CHECK (masklen(VALUE) > 0);
CREATE DOMAIN ot_blob AS bytea;
CREATE TABLE ot (
	id int4, g int4, en ot_mood, o oid, rc regclass, c1 "char", m money, nm name, by bytea, ip inet, net cidr, mac macaddr,
	mac8 macaddr8, bi bit(9), vb varbit, tt timetz, lsn pg_lsn, x8 xid8, u uuid, den ot_mood_known, dip ot_net, dby ot_blob);
INSERT INTO ot
SELECT i, i % 13,
	   (enum_range(NULL::ot_mood))[nullif(i % 9, 0)],
	   (ARRAY[NULL, 0, 1, 2147483647, 2147483648, 4294967295, 16384])[i % 7 + 1]::oid,
	   (ARRAY[NULL, 'pg_class', 'pg_type', 'pg_proc'])[i % 4 + 1]::regclass,
	   (ARRAY[NULL, '', 'a', 'Z', '\200', '\377', '\177'])[i % 7 + 1]::"char",
	   CASE WHEN i % 5 > 0 THEN ((i % 700 - 350) * 1.37)::numeric::money END,
	   (ARRAY[NULL, '', 'a', 'A', 'ä', 'twelve bytes', 'thirteen byte', repeat('n', 63)])[i % 8 + 1]::name,
	   (ARRAY[NULL, '', '\x00', '\x0000', '\xff', '\x7f', '\x000102030405060708090a0b', '\x000102030405060708090a0b0c',
			  '\x' || repeat('ab', 40)])[i % 9 + 1]::bytea,
	   (ARRAY[NULL, '10.0.0.1', '10.0.0.1/8', '10.0.0.0/8', '10.1.0.0/16', '9.255.255.255/31', '255.255.255.255', '0.0.0.0/0',
			  '::1', '::/0', '2001:db8::/32', '2001:db8::1/32', 'ffff::/16', '10.0.0.1/9', '::ffff:10.0.0.1'])[i % 15 + 1]::inet,
	   (ARRAY[NULL, '10.0.0.0/8', '10.0.0.0/16', '10.1.0.0/16', '192.168.0.0/24', '2001:db8::/32', '::/0'])[i % 7 + 1]::cidr,
	   (ARRAY[NULL, '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '08:00:2b:01:02:03', '7f:00:00:00:00:01'])[i % 5 + 1]::macaddr,
	   (ARRAY[NULL, '00:00:00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff:ff:ff', '80:00:2b:01:02:03:04:05',
			  '7f:ff:ff:ff:ff:ff:ff:ff'])[i % 5 + 1]::macaddr8,
	   CASE WHEN i % 6 > 0 THEN (i % 6 * 85)::bit(9) END,
	   (ARRAY[NULL, '', '0', '00', '1', '10', '000000001', '1111111101'])[i % 8 + 1]::varbit,
	   (ARRAY[NULL, '12:00+00', '13:00+01', '11:00-01', '00:00+15:59', '24:00-15:59', '23:59:59.999999+05:30', '00:00:00.000001-00:00:01',
			  '12:00:00+00:00'])[i % 9 + 1]::timetz,
	   (ARRAY[NULL, '0/0', '0/1', '7FFFFFFF/FFFFFFFF', '80000000/0', 'FFFFFFFF/FFFFFFFF'])[i % 6 + 1]::pg_lsn,
	   (ARRAY[NULL, '0', '9223372036854775807', '9223372036854775808', '18446744073709551615'])[i % 5 + 1]::xid8,
	   CASE WHEN i % 5 > 0 THEN (repeat(to_hex(i % 5), 8) || '-0000-0000-0000-000000000000')::uuid END,
	   (enum_range(NULL::ot_mood))[i % 8 + 1], ('10.0.' || i % 20 || '.0/24')::inet, decode(to_hex(256 + i % 50) || '0', 'hex')
FROM generate_series(1, 6000) i;
VACUUM ANALYZE ot;
CREATE VIEW ot_columns AS
SELECT attname AS k, coalesce(nullif(typbasetype, 0), atttypid) AS t
FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = 'ot'::regclass AND attnum > 2;

-- each as a key, counted, tested for NULL; without the cache, filling it, with it
SET gpuagg.cache = off;
SELECT k, compare(format('SELECT %I AS k, count(*), count(%1$I), sum(id), min(id) FROM ot GROUP BY 1', k)),
	   compare(format('SELECT count(*), count(%I), sum(id) FROM ot WHERE %1$I IS NOT NULL', k))
FROM ot_columns ORDER BY k;
RESET gpuagg.cache;
SELECT k, compare(format('SELECT %I AS k, count(*), count(%1$I), sum(id), min(id) FROM ot GROUP BY 1', k)),
	   compare(format('SELECT %I AS k, count(*), sum(g) FROM ot WHERE %1$I IS NULL OR id %% 3 = 1 GROUP BY 1', k))
FROM ot_columns ORDER BY k;
SELECT k, compare(format('SELECT DISTINCT %I, g FROM ot', k)) FROM ot_columns ORDER BY k;
SELECT gpuagg.load('ot') > 0;
SELECT column_name FROM gpuagg.cache WHERE relation = 'ot'::regclass AND pages = pages_total ORDER BY attnum;

-- compared for equality: with each value, in lists, with another column
SELECT k, bool_and(compare(format('SELECT g, count(*), sum(id) FROM ot WHERE %I = %L::%s GROUP BY g', k, v, t::regtype)) LIKE 'ok:%') AS eq,
	   bool_and(compare(format('SELECT count(*), sum(id) FROM ot WHERE %I <> %L::%s', k, v, t::regtype)) LIKE 'ok:%') AS ne,
	   bool_and(compare(format('SELECT count(*), sum(id) FROM ot WHERE %I IN (%L::%s, %L, NULL)', k, v, t::regtype, w)) LIKE 'ok:%') AS "in",
	   bool_and(compare(format('SELECT count(*), sum(id) FROM ot WHERE %I NOT IN (%L, %L::%s)', k, v, w, t::regtype)) LIKE 'ok:%') AS not_in,
	   bool_and(compare(format('SELECT count(*), sum(id) FROM ot WHERE %I IS DISTINCT FROM %L::%s', k, v, t::regtype)) LIKE 'ok:%') AS "distinct",
	   count(*)
FROM ot_columns, LATERAL (SELECT v, lag(v, 1, v) OVER (ORDER BY v COLLATE "C") AS w FROM (
	SELECT DISTINCT to_jsonb(ot) ->> k AS v FROM ot WHERE id <= 20) a WHERE v IS NOT NULL) b
WHERE k <> 'den' GROUP BY k ORDER BY k;
SELECT compare('SELECT g, count(*) FROM ot WHERE en = den::ot_mood OR ip = net OR den::ot_mood IN (''sad'', ''fine'') AND den::ot_mood > ''ok'' GROUP BY g');

-- in order, where a device knows it
SELECT k, bool_and(compare(format('SELECT g, count(*), sum(id) FROM ot WHERE %I %s %L::%s GROUP BY g', k, op, v, t::regtype)) LIKE 'ok:%'), count(*)
FROM ot_columns, unnest(ARRAY['<', '<=', '>', '>=']) op, LATERAL (
	SELECT DISTINCT to_jsonb(ot) ->> k AS v FROM ot WHERE id <= 20) b
WHERE v IS NOT NULL AND k NOT IN ('bi', 'vb', 'den') GROUP BY k ORDER BY k;
SELECT k, compare(format('SELECT count(*), sum(id) FROM ot WHERE %I BETWEEN (SELECT %1$I FROM ot WHERE id = 1) AND (SELECT %1$I FROM ot WHERE id = 3)', k)),
	   compare(format('SELECT greatest(%I, (SELECT %1$I FROM ot WHERE id = 2)) AS k, count(*) FROM ot GROUP BY 1', k)),
	   compare(format('SELECT least(%I, (SELECT %1$I FROM ot WHERE id = 3)) AS k, count(*) FROM ot GROUP BY 1', k))
FROM ot_columns WHERE k NOT IN ('bi', 'vb', 'den') ORDER BY k;
SELECT k, compare(format('SELECT coalesce(%I, (SELECT %1$I FROM ot WHERE id = 2)) AS k, nullif(%1$I, (SELECT %1$I FROM ot WHERE id = 1)) AS l, CASE WHEN g < 5 THEN %1$I END AS m, count(*) FROM ot GROUP BY 1, 2, 3', k))
FROM ot_columns WHERE k <> 'den' ORDER BY k;

-- min and max, where PostgreSQL has them
SELECT k, compare(format('SELECT g, min(%I), max(%1$I), count(%1$I) FROM ot GROUP BY g', k)),
	   compare(format('SELECT min(%I), max(%1$I) FROM ot', k)),
	   compare(format('SELECT min(%I) FILTER (WHERE id %% 7 > 2), max(%1$I) FROM ot WHERE id < 0', k))
FROM unnest(ARRAY['en', 'o', 'rc', 'm', 'nm', 'ip', 'net', 'tt', 'lsn', 'x8', 'dip']) k;
SELECT compare('SELECT g, max(den::ot_mood) FROM ot GROUP BY g');

-- the device's first groups are PostgreSQL's, or all of them
SELECT k, compare(format('SELECT row_number() OVER (), * FROM (SELECT %I AS k, count(*) FROM ot GROUP BY 1 ORDER BY 1 DESC NULLS LAST LIMIT 3) x', k))
FROM ot_columns ORDER BY k;
SELECT k, compare(format('SELECT row_number() OVER (), * FROM (SELECT g, max(%I) FROM ot GROUP BY g ORDER BY 2, 1 LIMIT 3) x', k))
FROM unnest(ARRAY['en', 'o', 'm', 'ip', 'tt', 'lsn']) k;

-- every strategy
SELECT s, bool_and(compare(format('SELECT %I AS k, g, count(*), sum(id), max(en), min(ip), max(tt) FROM ot GROUP BY 1, 2', k)) LIKE 'ok:%')
FROM ot_columns, unnest(ARRAY['block-local', 'single-pass', 'multi-pass-naive', 'multi-pass-copy', 'partitioned', 'spatial', 'sorted']) s,
	 LATERAL (SELECT set_config('gpuagg.strategy', s, false)) x(set)
WHERE x.set IS NOT NULL GROUP BY s ORDER BY s;
RESET gpuagg.strategy;
SELECT compare('SELECT en, o, rc, c1, m, nm, by, ip, net, mac, mac8, bi, vb, tt, lsn, x8, u, den, dip, dby, count(*) FROM ot GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20');

-- money: sums, arithmetic; what wraps around is PostgreSQL's
SELECT compare('SELECT g, sum(m), count(m), sum(m + m), sum(m - ''1.10''::money), sum(m * 3), sum(2::int8 * m), sum(m / 7) FROM ot GROUP BY g');
-- which has no hash function: PostgreSQL's plan sorts each set where the device fails
SET gpuagg.debug_fault = 'results';
SELECT compare('SELECT m, g, count(*), sum(id) FROM ot GROUP BY GROUPING SETS ((m), (g, m), (g), ())', 'prefer');
SELECT compare('SELECT m, g, count(*) FROM ot GROUP BY ROLLUP (g, m)', 'prefer');
RESET gpuagg.debug_fault;
SELECT compare('SELECT m + ''1.00''::money AS k, m / 2::int2 AS l, count(*) FROM ot GROUP BY 1, 2');
SELECT compare('SELECT count(*) FROM ot WHERE m / g::int8 > ''1.00''::money');
CREATE TABLE ot_money AS SELECT i AS id, i % 2 AS g, (CASE WHEN i < 4 THEN '92233720368547758.07' ELSE '-12.34' END)::money AS m FROM generate_series(1, 1000) i;
SELECT compare('SELECT g, sum(m) FROM ot_money WHERE id > 1 GROUP BY g');
SELECT compare('SELECT g, sum(m) FROM ot_money GROUP BY g', 'prefer');
SELECT compare('SELECT g, sum(m) FROM ot_money WHERE id BETWEEN 3 AND 900 GROUP BY g', 'prefer');
SELECT compare('SELECT g, max(m + ''0.01''::money) FROM ot_money GROUP BY g', 'prefer');
DROP TABLE ot_money;

-- casts that keep the bytes, and functions
SELECT e, compare(format('SELECT %s AS k, count(*) FROM ot GROUP BY 1', e))
FROM unnest(ARRAY['o::int8', 'o::int4', 'rc::oid', 'rc::int4', 'g::oid', 'nm::text', 'length(nm)', 'octet_length(by)', 'length(dby)',
	'net::inet', 'bi::varbit', 'den::ot_mood', 'by::ot_blob', 'o = g', 'nm LIKE ''%byte%''', 'o IN (0, 1, 16384)', 'o = ANY (''{0,-1}''::int4[])',
	'by < ''\x80''', 'nm < ''b''', 'nm = ''a''::text', '''a''::text < nm', 'x8 > ''5''::xid8']) e;

-- values that no device holds: rows, constants and parameters with such a zone
CREATE TABLE ot_zone AS
SELECT i % 3 AS g, i AS id, (i % 5)::money AS m, (i % 4)::bit(3) AS bi, CASE WHEN i % 50 = 0 THEN '12:00+00'::timetz AT TIME ZONE interval '100 hours' ELSE '12:00+00'::timetz END AS tt
FROM generate_series(1, 1000) i;
SELECT compare('SELECT g, count(tt), count(*), max(id) FROM ot_zone GROUP BY g');
SELECT compare('SELECT tt, count(*) FROM ot_zone GROUP BY tt', 'prefer');
SELECT compare('SELECT count(*) FROM ot_zone WHERE id % 50 > 0 AND tt < (SELECT max(tt) FROM ot_zone)', 'prefer');
SELECT compare('SELECT m, bi, count(*), max(tt) FROM ot_zone GROUP BY m, bi', 'prefer');
SELECT compare('SELECT DISTINCT m, tt FROM ot_zone', 'prefer');
DROP TABLE ot_zone;

-- toasted and compressed values, and what else their rows hold
CREATE TABLE ot_toast (g int4, en ot_mood, by bytea, vb varbit, tt timetz, nm name, mac macaddr, o oid, c1 "char");
ALTER TABLE ot_toast ALTER by SET STORAGE EXTERNAL;
INSERT INTO ot_toast SELECT i % 7, (enum_range(NULL::ot_mood))[i % 8 + 1],
	CASE WHEN i % 3 = 0 THEN decode(repeat(md5((i % 12)::text), 200), 'hex') ELSE '\x01' END,
	CASE WHEN i % 5 = 0 THEN repeat('01', 20000)::varbit ELSE '1' END, '12:00+01', 'n' || i % 4, '08:00:2b:01:02:03', i % 5 * 1000000000::int8, 'x'
FROM generate_series(1, 500) i;
SELECT compare('SELECT by, count(*), min(en), max(en), max(tt), min(o) FROM ot_toast GROUP BY by');
SELECT compare('SELECT vb, nm, mac, o, c1, en, tt, count(*) FROM ot_toast GROUP BY 1, 2, 3, 4, 5, 6, 7');
SELECT compare('SELECT g, count(*), max(en) FROM ot_toast WHERE by < ''\x20'' GROUP BY g');
DROP TABLE ot_toast;

-- columns that rows do not hold
CREATE TABLE ot_missing AS SELECT i AS id FROM generate_series(1, 300) i;
ALTER TABLE ot_missing ADD en ot_mood DEFAULT 'so-so', ADD ip inet DEFAULT '10.0.0.1', ADD nm name DEFAULT 'name', ADD tt timetz DEFAULT '10:00+02', ADD o oid DEFAULT 4294967295, ADD mac8 macaddr8 DEFAULT 'ff:ff:ff:ff:ff:ff:ff:fe';
INSERT INTO ot_missing SELECT i, 'ok', '10.0.0.2', 'other', '08:00+00', 5, '00:00:00:00:00:00:00:01' FROM generate_series(1, 300) i;
SELECT k, compare(format('SELECT %I, count(*), max(en) FROM ot_missing WHERE %1$I IS NOT NULL GROUP BY 1', k)) FROM unnest(ARRAY['en', 'ip', 'nm', 'tt', 'o', 'mac8']) k;
DROP TABLE ot_missing;

-- plans of before follow a type that has changed
SELECT prefer_device(false);
CREATE TABLE ot_alter AS SELECT i % 2 AS g, en FROM ot CROSS JOIN generate_series(1, 2) i WHERE en IS NOT NULL;
PREPARE ot_before (ot_mood) AS SELECT g, count(*), min(en), max(en) FROM ot_alter WHERE en < $1 AND en > 'gloomy' GROUP BY g ORDER BY g;
SET plan_cache_mode = force_generic_plan;
EXECUTE ot_before('fine');
ALTER TYPE ot_mood ADD VALUE 'dreary' AFTER 'gloomy';
ALTER TYPE ot_mood ADD VALUE 'perky' BEFORE 'fine';
INSERT INTO ot_alter SELECT i % 2, (ARRAY['dreary', 'perky'])[i % 2 + 1]::ot_mood FROM generate_series(1, 100) i;
EXECUTE ot_before('fine');
EXECUTE ot_before('ecstatic');
SET gpuagg.enable = off;
EXECUTE ot_before('fine');
EXECUTE ot_before('ecstatic');
DEALLOCATE ot_before;
RESET plan_cache_mode;
SET gpuagg.enable = on;
EXPLAIN (COSTS OFF) SELECT en, max(en) FROM ot_alter WHERE en >= 'ok' GROUP BY en;
DROP TABLE ot_alter;
SELECT gpuagg.unload('ot') > 0;
DROP VIEW ot_columns;
DROP TABLE ot;
DROP DOMAIN ot_mood_known, ot_net, ot_blob;
DROP TYPE ot_mood;

-- A cast whose function gives another type: a smallint as an oid is an int4 to it
CREATE TABLE smallint_oids (g smallint, k oid);
INSERT INTO smallint_oids SELECT i % 7 - 3, i % 7 FROM generate_series(1, 100) i;
SELECT compare('SELECT max(g::oid), min(g::regclass::oid), count(*) FILTER (WHERE g::oid = k), max(g::regcollation::bigint)
				FROM smallint_oids');
SELECT compare('SELECT g::oid, count(*) FROM smallint_oids WHERE g::oid > 2::oid GROUP BY 1');
DROP TABLE smallint_oids;
