--
-- Text: comparison, LIKE, length, substring, in UTF-8.
--
\a
\t on
CREATE TABLE st (n int4, t text, v varchar(40), c char(10), k text COLLATE "C");
INSERT INTO st
SELECT row_number() OVER (), x, x, left(x, 10), x
FROM unnest(ARRAY[NULL, '', ' ', 'a', 'A', 'ab', 'abc', 'abcd', 'ba', 'aab', 'b', 'ä', 'äb', 'aä', 'ßä日本', '日本語', '日', '日本', '𝄞', 'a𝄞b', '%', '_', 'a%b', 'a_b', E'a\\b', E'\\', E'a\nb', 'abcabcabc',
	'aaaaaaaaaaaa', 'aaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'twelve bytes', 'thirteen byte', 'é', E'e\u0301', ' a ', 'a  ', 'mississippi', 'misisisipi', 'xay', 'xaayaaz']) x;
INSERT INTO st SELECT 100 + i, 's' || i % 97, 'v' || i % 31, 'c' || i % 13, repeat('k', i % 7) || i % 11 FROM generate_series(1, 2000) i;
ANALYZE st;
SELECT p, compare(format('SELECT count(*), sum(n) FROM st WHERE t LIKE %L', p)),
	   compare(format('SELECT count(*), sum(n) FROM st WHERE t NOT LIKE %L', p)),
	   compare(format('SELECT n, bool_or(c LIKE %L), bool_or(v LIKE %1$L), bool_or(k LIKE %1$L) FROM st WHERE n < 100 GROUP BY n', p))
FROM unnest(ARRAY['', '%', '%%', '_', '__', '___', '_%', '%_', '%__%', 'a', 'a%', '%a', '%a%', 'a%b', 'a_b', '%ab%', '%abc%abc%', '%a%a%a%', 'ä%', '%ä', '_b', '%本%', '日_', '日__', '_𝄞_', '%b%_', '____________', '%iss%ip%i', '%is%is%i%', 'a%a%b', '%aab', 's1%', '%7', 'thirteen%', '% ', 'a  ', '%e%']) p;
-- escapes are PostgreSQL's business, wherever they are run
SELECT p, compare(format('SELECT count(*), sum(n) FROM st WHERE t LIKE %L', p), 'try')
FROM unnest(ARRAY['\%', 'a\%b', '\_', 'a\_b', 'a\\b', '\\', '\a', 'a\']) p;
-- also an escape that comes when the text has ended, after a run of % and _
CREATE TABLE st_end (t text, p text);
INSERT INTO st_end SELECT chr(97 + i % 3), '%_\' FROM generate_series(1, 50) i;
SELECT compare('SELECT count(*) FROM st_end WHERE t LIKE p', 'try'), compare('SELECT count(*) FROM st_end WHERE t NOT LIKE p', 'try'), compare('SELECT t LIKE p, count(*) FROM st_end GROUP BY 1', 'try');
TRUNCATE st_end;
INSERT INTO st_end SELECT repeat('a', length(replace(e, '%', ''))), e || '\' FROM unnest(ARRAY['_', '%_%', '%_%%', '%%_', '%', '_%', '%__%', '%__%%', 'a%', '%a%_%']) e;
SELECT p, compare(format('SELECT count(*) FROM st_end WHERE CASE WHEN p = %L THEN t LIKE p END', p), 'try') FROM st_end;
DROP TABLE st_end;
SELECT q, compare('SELECT count(*), sum(n) FROM st WHERE ' || q, 'try')
FROM unnest(ARRAY['t LIKE ''a!%b'' ESCAPE ''!''', 't LIKE ''a%'' ESCAPE ''''', 't ILIKE ''A%''', 't SIMILAR TO ''a%''', 't ~ ''^a''', 't LIKE t', 't LIKE v', 't LIKE ''%'' || v', 't LIKE NULL', 't ~~ ''a%''', 't !~~ ''a%''',
	't ^@ ''ab''', 'starts_with(t, ''a'')', 't LIKE ANY (''{a%,b%}'')', 't COLLATE "C" LIKE ''a%''']) q;
SELECT e, compare(format('SELECT count(*), sum(n) FROM st WHERE t %s', e))
FROM unnest(ARRAY['= ''a''', '<> ''a''', '= ''''', '= ''ä''', '= ''thirteen byte''', '= v', '<> k', 'IN (''a'', ''ä'', ''日本語'')', 'NOT IN (''a'', ''s1'')', 'IS NULL', 'IS DISTINCT FROM v']) e;
SELECT e, compare(format('SELECT count(*), sum(n) FROM st WHERE k %s', e))
FROM unnest(ARRAY['< ''b''', '<= ''ab''', '> ''a''', '>= ''k''', 'BETWEEN ''a'' AND ''b''', '< t COLLATE "C"']) e;
SELECT e, compare(format('SELECT %s AS k, count(*), sum(n) FROM st GROUP BY 1', e), 'try')
FROM unnest(ARRAY['length(t)', 'length(v)', 'length(c)', 'char_length(t)', 'octet_length(t)', 'octet_length(c)', 'bit_length(t)', 'substring(t FROM 2)', 'substring(t FROM 2 FOR 2)', 'substring(t, 1, 1)', 'substr(t, 2, 3)', 'substr(t, 0)', 'substr(t, -1, 3)',
	'substr(t, 2, 0)', 'substr(t, 100)', 'substr(t, 1, 2147483647)', 'substr(t, 2147483647, 2147483647)', 'substr(t, -2147483648, 5)', 'left(t, 2)', 'right(t, 2)', 'upper(t)', 'lower(t)', 't || v', 'trim(t)', 'rtrim(t)', 'substring(v FROM 1 FOR 2)', 'substring(c FROM 2 FOR 3)',
	't::varchar', 't::varchar(3)', 't::char(3)', 'v::text', 'c::text', 'c::varchar', 'c || ''x''', 'position(''a'' IN t)', 'replace(t, ''a'', ''b'')', 'md5(t)', 'concat(t, v)', 'substr(t, n % 4, 2)', 'substr(t, 1, length(v))', 'substring(t from ''a.'')', 'length(substr(t, 2, 3))', 'coalesce(substr(t, 2), ''none'')', 'CASE WHEN length(t) > 2 THEN substr(t, 1, 2) ELSE t END']) e;
-- which of several equal spellings stands for a group is not defined
SELECT compare('SELECT rtrim(k), count(*), sum(n) FROM (SELECT t::bpchar AS k, n FROM st) s GROUP BY k');
SELECT compare('SELECT substr(t, 1, n - 5), count(*) FROM st GROUP BY 1', 'try');
SELECT compare('SELECT substr(t, 1, -1), count(*) FROM st GROUP BY 1', 'try');
SELECT compare('SELECT sum(length(t)), avg(length(c)), max(octet_length(v)), min(length(k)) FROM st');
SELECT compare('SELECT c, min(k), max(k), count(t) FROM st GROUP BY c');
-- min/max by another order than bytes is PostgreSQL's
SELECT compare('SELECT min(t COLLATE "en-x-icu"), max(t COLLATE "en-x-icu") FROM st', 'try');
SELECT compare('SELECT t COLLATE "en-x-icu" AS k, count(*) FROM st GROUP BY 1', 'try');
-- equality under a collation that is not deterministic is not byte equality
CREATE COLLATION st_blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
SELECT compare('SELECT count(*) FROM (SELECT t COLLATE st_blind AS k FROM st GROUP BY 1) x', 'try');
SELECT compare('SELECT count(*) FROM st WHERE t COLLATE st_blind = ''A''', 'try');
CREATE TABLE st_b (t text COLLATE st_blind, n int4);
INSERT INTO st_b VALUES ('a', 1), ('A', 2), ('á', 3), ('b', 4);
SELECT compare('SELECT count(*) FROM (SELECT t, sum(n) FROM st_b GROUP BY t) x', 'try');
SELECT compare('SELECT count(*) FROM st_b WHERE t = ''a''', 'try');
SELECT compare('SELECT count(*) FROM st_b WHERE t IN (''a'', ''x'')', 'try');
SELECT compare('SELECT count(*) FROM st_b WHERE t COLLATE "C" = ''a''', 'try');
DROP TABLE st, st_b;
DROP COLLATION st_blind;
