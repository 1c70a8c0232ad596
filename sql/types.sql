--
-- Every key type: equality is the type's own, NULL is one group.
--
\a
\t on
CREATE TABLE ty (
	id int4, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8,
	d date, ts timestamp, tz timestamptz, t text, vc varchar(12), ch char(6),
	u uuid);
INSERT INTO ty
SELECT i,
	   CASE i % 3 WHEN 0 THEN NULL ELSE i % 3 = 1 END,
	   CASE WHEN i % 7 > 0 THEN (i % 7 - 3) * 10922 END,
	   CASE WHEN i % 11 > 0 THEN (i % 11 - 5) * 429496729 END,
	   CASE WHEN i % 13 > 0 THEN (i % 13 - 6) * 1537228672809129301 END,
	   (ARRAY[NULL, '0', '-0', 'NaN', '-NaN', 'inf', '-inf', '1.5', '1e-40', '3.4e38'])[i % 10 + 1]::float4,
	   (ARRAY[NULL, '0', '-0', 'NaN', 'inf', '-inf', '1.5', '-1e-320', '1e308', '0.1', '-2'])[i % 11 + 1]::float8,
	   (ARRAY[NULL, 'infinity', '-infinity', '2000-01-01', '1999-12-31', '4713-01-01 BC',
			  '0001-01-01', '0044-03-15 BC', '5874897-12-31', '2024-02-29'])[i % 10 + 1]::date,
	   (ARRAY[NULL, 'infinity', '-infinity', '2000-01-01 00:00:00', '1999-12-31 23:59:59.999999',
			  '4713-01-01 00:00 BC', '294276-12-31 23:59:59.999999', '1970-01-01',
			  '2024-02-29 12:34:56.789'])[i % 9 + 1]::timestamp,
	   (ARRAY[NULL, 'infinity', '-infinity', '2000-01-01 00:00:00+00', '2000-01-01 01:00:00+01',
			  '2024-03-31 01:30:00 Europe/Berlin', '0044-03-15 12:00:00+00 BC'])[i % 7 + 1]::timestamptz,
	   (ARRAY[NULL, '', 'a', 'A', 'a ', 'ä', 'twelve bytes', 'thirteen byte', 'thirteen bytz',
			  repeat('long prefix ', 20) || '1', repeat('long prefix ', 20) || '2',
			  '日本語', E'a\nb'])[i % 13 + 1],
	   (ARRAY[NULL, '', 'x', 'x ', 'twelve bytes', 'äöü'])[i % 6 + 1],
	   (ARRAY[NULL, '', 'x', 'x  ', 'xyz', 'ä', 'abcdef'])[i % 7 + 1],
	   CASE WHEN i % 5 > 0 THEN (repeat(to_hex(i % 5), 8) || '-0000-0000-0000-' || repeat('0', 11) || i % 2)::uuid END
FROM generate_series(0, 9999) i;
ANALYZE ty;

-- one key at a time, all NULL-or-value groups, compared as text where only one
-- text exists for equal values
SELECT k, compare(format('SELECT %I, count(*), sum(id), min(id), max(id) FROM ty GROUP BY %1$I', k))
FROM unnest(ARRAY['b', 'i2', 'i4', 'i8', 'd', 'ts', 'tz', 't', 'vc', 'ch', 'u']) k;

-- -0 and 0 are one group, whichever of the two is shown; all NaNs are one
SELECT k, compare(format('SELECT %I + 0.0::float8 AS k, n, s, m FROM
		(SELECT %1$I, count(*) AS n, sum(id) AS s, min(id) AS m FROM ty GROUP BY %1$I) x', k))
FROM unnest(ARRAY['f4', 'f8']) k;
SELECT compare('SELECT f8 + 0.0, count(*) FROM ty GROUP BY f8 + 0.0');

-- pairs of keys, so that 4- and 8- and 16-byte slots meet
SELECT a || ', ' || b, compare(format('SELECT %I, %I, count(*), sum(id) FROM ty GROUP BY 1, 2', a, b))
FROM unnest(ARRAY['b', 'i2', 'i4', 'i8', 'd', 'ts', 'tz', 't', 'vc', 'ch', 'u']) WITH ORDINALITY x(a, n),
	 unnest(ARRAY['b', 'i2', 'i4', 'i8', 'd', 'ts', 'tz', 't', 'vc', 'ch', 'u']) WITH ORDINALITY y(b, m)
WHERE n < m;
SELECT compare('SELECT b, i2, i4, i8, d, ts, tz, t, vc, ch, u, count(*) FROM ty GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11');
-- a key twice, and keys that differ in their cast only
SELECT compare('SELECT i4, i4, i4::int8, count(*) FROM ty GROUP BY i4, i4::int8');
SELECT compare('SELECT t, t::varchar, count(*) FROM ty GROUP BY t, t::varchar');

-- char(n): trailing blanks are no part of the value, in keys, comparisons and min/max
CREATE TABLE ty_char (c3 char(3), c10 char(10), bp bpchar, v int4);
INSERT INTO ty_char VALUES ('a', 'a', 'a', 1), ('a ', 'a  ', 'a   ', 2), ('', '', '', 3),
	('  ', ' ', '   ', 4), (' a', ' a', ' a', 5), (NULL, NULL, NULL, 6), ('abc', 'abc', 'abc ', 7);
SELECT compare('SELECT c3, count(*), sum(v) FROM ty_char GROUP BY c3');
SELECT compare('SELECT c10, count(*), sum(v) FROM ty_char GROUP BY c10');
SELECT compare('SELECT rtrim(bp), n, s FROM (SELECT bp, count(*) AS n, sum(v) AS s FROM ty_char GROUP BY bp) x');
SELECT compare('SELECT c3::text, c10::varchar, count(*) FROM ty_char GROUP BY 1, 2');
SELECT compare($$SELECT count(*), sum(v) FROM ty_char WHERE c3 = 'a '$$);
SELECT compare($$SELECT count(*), sum(v) FROM ty_char WHERE c3 = c10$$);
SELECT compare($$SELECT count(*), sum(v) FROM ty_char WHERE bp = 'a'$$);
SELECT compare($$SELECT count(*), sum(v) FROM ty_char WHERE bp IN ('a', 'abc  ')$$);
SELECT compare($$SELECT count(*), sum(v) FROM ty_char WHERE c10 <> ''$$);

-- domains are their base type; their constraints are not the device's business, so casts to them are PostgreSQL's
CREATE DOMAIN ty_posint AS int4 CHECK (VALUE > 0);
CREATE DOMAIN ty_name AS text COLLATE "C" NOT NULL;
CREATE DOMAIN ty_code AS char(2);
CREATE TABLE ty_dom (p ty_posint, n ty_name, c ty_code);
INSERT INTO ty_dom SELECT i % 5 + 1, 'n' || i % 7, 'c' FROM generate_series(1, 1000) i;
SELECT compare('SELECT p, count(*) FROM ty_dom GROUP BY p');
SELECT compare('SELECT n, c, count(*), sum(p), min(n) FROM ty_dom GROUP BY n, c');
SELECT compare($$SELECT p::int4, n::text, count(*) FILTER (WHERE p > 2), max(p) FROM ty_dom WHERE c = 'c ' GROUP BY 1, 2$$);
SELECT compare('SELECT (p + 1)::ty_posint, count(*) FROM ty_dom GROUP BY 1');
SELECT compare('SELECT (p - 1)::ty_posint, count(*) FROM ty_dom GROUP BY 1');

-- citext: 'A' and 'a' are one, whoever groups them; a column that is only counted does no harm
CREATE EXTENSION citext;
CREATE TABLE ty_ci (c citext, v int4);
INSERT INTO ty_ci SELECT (ARRAY[NULL, 'a', 'A', 'Ab', 'aB', 'b', ''])[i % 7 + 1], i FROM generate_series(1, 700) i;
SELECT q, compare(q, 'try') FROM unnest(ARRAY[
	'SELECT upper(c::text), n, s FROM (SELECT c, count(*) AS n, sum(v) AS s FROM ty_ci GROUP BY c) x',
	'SELECT c::text, count(*), sum(v) FROM ty_ci GROUP BY c::text',
	'SELECT count(*), sum(v) FROM ty_ci WHERE c = ''AB''',
	'SELECT v % 2, count(*), sum(v) FROM ty_ci WHERE c IN (''AB'', ''A'') GROUP BY 1',
	'SELECT count(*), sum(v) FROM ty_ci WHERE c LIKE ''A%''',
	'SELECT count(*) FILTER (WHERE c <> ''A''), sum(v) FROM ty_ci',
	'SELECT count(*), sum(v) FROM ty_ci WHERE c::text = ''A''',
	'SELECT v % 2, upper(min(c)::text), upper(max(c)::text) FROM ty_ci GROUP BY 1']) q;
SELECT compare('SELECT v % 2, count(c) FROM ty_ci WHERE c IS NOT NULL GROUP BY 1');
SELECT upper(c::text), count(*) FROM ty_ci GROUP BY c ORDER BY c;
DROP TABLE ty_ci;
DROP EXTENSION citext;

-- timestamptz groups by the instant and shows in the session's zone
SET timezone = 'America/New_York';
SELECT compare('SELECT tz, count(*) FROM ty GROUP BY tz');
SET timezone = 'Asia/Kolkata';
SELECT compare('SELECT tz, count(*) FROM ty GROUP BY tz');
RESET timezone;
SET datestyle = 'German';
SELECT compare('SELECT d, ts, count(*) FROM ty GROUP BY 1, 2');
RESET datestyle;

-- whole rows of the result
SELECT compare('SELECT x::text FROM (SELECT i2, b, count(*) FROM ty GROUP BY 1, 2) x');

-- widths of an all-NULL table and of an empty one
CREATE TABLE ty_null AS SELECT * FROM ty WHERE false;
SELECT compare('SELECT b, t, u, f8, count(*), count(b), sum(i4), min(d), max(t COLLATE "C") FROM ty_null GROUP BY 1, 2, 3, 4');
SELECT compare('SELECT count(*), count(b), sum(i4), avg(i8), min(d), max(t COLLATE "C"), bool_and(b) FROM ty_null');
INSERT INTO ty_null SELECT FROM generate_series(1, 500);
SELECT compare('SELECT b, t, u, f8, count(*), count(b), sum(i4), min(d), max(t COLLATE "C") FROM ty_null GROUP BY 1, 2, 3, 4');
SELECT compare('SELECT count(*), count(b), sum(i4), avg(i8), min(d), max(t COLLATE "C"), bool_and(b) FROM ty_null');
DROP TABLE ty, ty_char, ty_dom, ty_null;
DROP DOMAIN ty_posint, ty_name, ty_code;
