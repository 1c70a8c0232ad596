# FuzzSession.pm
#		A session as a list of statements, of which each depends on those before: what it has
#		prepared, which cursors and savepoints are open, whose role it has, what its functions,
#		policies and triggers read.  srand() decides all of it.
package FuzzSession;

use strict;
use warnings;

use Exporter 'import';
use List::Util 'shuffle';
use RandomQuery qw(pick chance random_table random_query types_script);

our @EXPORT = qw(session_world session_steps);

# ---------- tables ----------

# Tables that grow and change, what sees them, what happens when they change, and functions
# that group them: t1 as random_query() has it, and a script
sub session_world
{
	my $rows = pick(0, 60, 700, 3000);
	my ($t1, $script) = random_table('t1');

	return ($t1, $script . <<"SQL");
CREATE TABLE s1 (id int PRIMARY KEY, g int, h text, v int8, n numeric(10, 2), d date, z timestamptz, b bool, gone int, f numeric) WITH (fillfactor = 60);
ALTER TABLE s1 DROP COLUMN gone;
INSERT INTO s1 SELECT i, i % 11, CASE WHEN i % 13 > 0 THEN 'h' || i % 5 END, i % 97 * 100003::int8, i % 300 / 7.0, '2024-01-01'::date + i % 400,
  '2024-03-30 12:00+00'::timestamptz + i * interval '17 min', i % 3 = 0, i % 6 / 4.0 FROM generate_series(1, $rows) i;
CREATE TABLE s2 (id int PRIMARY KEY, name text, w int8, c char(6));
INSERT INTO s2 SELECT i, 'n' || i % 4, i * 10, 'h' || i % 7 FROM generate_series(0, 14) i;
CREATE TABLE s3 (g int, h text, s numeric, n int8);
CREATE TABLE log (what text, k text, n int8);
CREATE VIEW v1 WITH (security_barrier = ${\pick('on', 'off')}) AS SELECT id, g, h, v, n, d, z, b, f FROM s1 WHERE g <> 4;
CREATE VIEW v2 AS SELECT g, h, count(*) AS c, sum(n) AS s FROM s1 GROUP BY g, h;
CREATE MATERIALIZED VIEW m1 AS SELECT g, h, v, n, d, z, b, id, f FROM s1 WHERE id % 2 = 0;
CREATE POLICY mine ON s1 USING (g <> coalesce(nullif(current_setting('fuzz.hidden', true), '')::int, 3));
CREATE POLICY others ON s2 USING (w < 100 OR current_user <> 'fuzz_reader');
CREATE FUNCTION sums(a int) RETURNS SETOF text LANGUAGE plpgsql AS \$\$
BEGIN
	RETURN QUERY SELECT concat_ws('/', h, count(*), sum(v), max(z)) FROM s1 WHERE g = a OR a IS NULL GROUP BY h ORDER BY h;
END \$\$;
CREATE FUNCTION one(a int) RETURNS int8 LANGUAGE plpgsql STABLE AS \$\$
DECLARE k int8;
BEGIN SELECT count(*) INTO k FROM s1 WHERE g = a; RETURN k; END \$\$;
CREATE FUNCTION plain(a int) RETURNS int8 LANGUAGE sql STABLE AS 'SELECT sum(v)::int8 FROM s1 WHERE g = a';
CREATE FUNCTION caught(a int) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE r record; o text := ''; k numeric;
BEGIN
	FOR r IN SELECT g, sum(v) AS s, count(DISTINCT h) AS c FROM s1 WHERE g >= a GROUP BY g ORDER BY g LOOP
		BEGIN
			INSERT INTO log VALUES ('caught', r.g, r.s);
			SELECT sum(n) / (r.g % 3) INTO k FROM s1 WHERE g = r.g;
			o := concat(o, r.g, ':', r.s, ':', r.c, ':', k, ' ');
		EXCEPTION WHEN division_by_zero THEN
			o := concat(o, '!', (SELECT count(*) FROM log WHERE what = 'caught'));
		END;
		EXIT WHEN r.g > a + 4;
	END LOOP;
	RETURN o;
END \$\$;
CREATE FUNCTION fixed(a int) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN a % 3; END';
CREATE FUNCTION other_zone() RETURNS text LANGUAGE sql SET TimeZone = 'Asia/Tokyo' SET work_mem = '64kB' AS
	'SELECT string_agg(q::text, '','' ORDER BY q::text) FROM (SELECT z::date, count(*), min(z) FROM s1 WHERE id < 200 GROUP BY 1) q';
CREATE FUNCTION as_owner(a int) RETURNS text LANGUAGE sql SECURITY DEFINER AS
	'SELECT string_agg(q::text, '','' ORDER BY q::text) FROM (SELECT g, count(*) FROM s1 WHERE g < a GROUP BY 1) q';
CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN
	INSERT INTO log SELECT TG_OP, g, sum(n)::int8 FROM now_there GROUP BY g;
	INSERT INTO log SELECT 'joined', s.h, count(*) FROM now_there JOIN s1 s USING (id) GROUP BY s.h;
	RETURN NULL;
END \$\$;
CREATE FUNCTION each_row() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN NEW.v := coalesce((SELECT count(*) FROM s1 WHERE g = NEW.g GROUP BY g), 0) % 5 + NEW.v; RETURN NEW; END \$\$;
${\(chance(0.4) ? 'CREATE TRIGGER a AFTER INSERT ON s1 REFERENCING NEW TABLE AS now_there FOR EACH STATEMENT EXECUTE FUNCTION changed();
CREATE TRIGGER b AFTER UPDATE ON s1 REFERENCING NEW TABLE AS now_there FOR EACH STATEMENT EXECUTE FUNCTION changed();' : '')}
${\(chance(0.2) ? 'CREATE TRIGGER c BEFORE INSERT ON s1 FOR EACH ROW EXECUTE FUNCTION each_row();' : '')}
GRANT SELECT, INSERT, UPDATE, DELETE ON s1, s2, s3, log, t1, v1, v2, m1 TO fuzz_reader;
${\(chance(0.5) ? 'VACUUM ANALYZE s1;' : '')}
SQL
}

# ---------- queries ----------

my @keys = ('g', 'h', 'g % 3', 'b', 'd', 'z::date', "date_trunc('day', z)", "to_char(z, 'YYYY-MM-DD HH24')", 'extract(hour FROM z)', 'upper(h)', 'n', 'f', 'f::text',
	'fixed(g)', 'z::text', '(v * interval \'1 h\')::text', 'id', 'id / 10', 'coalesce(h, g::text)', "z + interval '1 month'", 'v::text::bytea::text');
my @aggregates = ('count(*)', 'count(h)', 'sum(v)', 'sum(n)', 'avg(n)', 'min(z)', 'max(z)::text', 'max(h)', 'count(DISTINCT g)', 'count(DISTINCT h)', 'sum(DISTINCT n)', 'bool_or(b)',
	'count(*) FILTER (WHERE b)', 'sum(v) FILTER (WHERE g > 2)', 'max(d)', 'count(DISTINCT z::date)', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY v)', 'stddev(v)', 'count(DISTINCT upper(h))', 'sum(fixed(g))',
	'min(z::date)::text', 'avg(v * interval \'1 s\')', 'max(f)', 'array_agg(DISTINCT g ORDER BY g)');

sub number { return pick(0, 1, 2, 3, 5, 7, 40, 500); }

# What rows are read, with x for a number that may be a parameter or another query's column
sub condition
{
	my ($x) = @_;

	return pick("g = $x", "g <> $x", "v > $x * 100003", "id < $x * 50", "n > (SELECT avg(n) FROM s1 WHERE g = $x)", "b AND g < $x", "h = 'h' || $x", "z > '2024-04-01'::timestamptz + $x * interval '1 day'",
		"d < '2024-02-01'::date + $x", "g IN (SELECT id FROM s2 WHERE w > $x)", "EXISTS (SELECT FROM s2 WHERE s2.id = g AND s2.w > $x)", "z::text LIKE '%' || $x || '%'", "h IN (SELECT trim(c) FROM s2 WHERE id < $x)",
		"v > (SELECT min(w) FROM s2 WHERE id = $x)", "(SELECT plain($x)) > v", "g = ANY (ARRAY[$x, $x + 1])", 'g < (SELECT count(*) FROM s2)');
}

my %from = (s1 => 's1', v1 => 'v1', m1 => 'm1', joined => 's1 JOIN s2 ON s1.g = s2.id', left => 's1 LEFT JOIN s2 ON s1.h = s2.c', sub => '(SELECT * FROM s1 ORDER BY id LIMIT 100) s', all => '(SELECT * FROM v1 UNION ALL SELECT id, g, h, v, n, d, z, b, f FROM m1) s');

# Groups of rows, whose columns are k and a and so on
sub grouped
{
	my ($x) = @_;
	my @by = (shuffle @keys)[ 0 .. pick(0, 0, 1, 1, 2) ];
	my @of = (shuffle @aggregates)[ 0 .. pick(0, 1, 2) ];
	my $from = $from{ pick(qw(s1 s1 s1 v1 m1 joined left sub all)) };

	# in joins both have an id
	s/\bid\b/s1.id/ foreach grep { $from =~ /JOIN/ } @by;
	my $where = chance(0.7) ? ' WHERE ' . condition($x) : '';
	$where =~ s/(?<![.(\w ])\bid <|(?<= )id </s1.id </ if $from =~ /JOIN/;
	my $having = chance(0.15) ? ' HAVING count(*) ' . pick('>', '<') . " $x + 3" : '';
	my $list = join ', ', (map { "$by[$_] AS k$_" } 0 .. $#by), map { "$of[$_] AS a$_" } 0 .. $#of;
	my $sets = pick(('%s') x 8, 'ROLLUP (%s)', 'CUBE (%s)');

	return "SELECT $list FROM $from$where GROUP BY " . sprintf($sets, join ', ', @by) . $having;
}

# One value
sub single
{
	my ($x) = @_;

	return 'SELECT ' . pick('count(*)', 'sum(v)::int8', 'max(id)', 'count(DISTINCT h)') . ' FROM ' . pick(qw(s1 v1 m1)) . ' WHERE ' . condition($x);
}

sub random_exact
{
	my ($t1) = @_;

	foreach (1 .. 20)
	{
		my ($query, $tolerance) = random_query($t1);
		return $query unless $tolerance;
	}
	return 'SELECT count(*) AS x0 FROM t1';
}

# Whatever may stand around groups.  x is a number or a parameter.
my @shapes = (
	(sub { grouped($_[0]) }) x 4,
	(sub { random_exact($_[1]) }) x 2,
	sub { "SELECT s2.id, (" . single('s2.id') . ') AS one FROM s2 WHERE s2.w >= ' . $_[0] },
	sub { "SELECT s2.id, q.* FROM s2 LEFT JOIN LATERAL (SELECT * FROM (" . grouped('s2.id') . ') g ORDER BY g::text LIMIT 2) q ON true' },
	sub { "SELECT o.i, q.* FROM generate_series(1, 3) o(i), LATERAL (" . grouped('o.i') . ') q' },
	sub { 'WITH w AS ' . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . '(' . grouped($_[0]) . ') SELECT a.* FROM w a WHERE a.k0::text <= (SELECT max(k0::text) FROM w)' },
	sub { 'WITH RECURSIVE r AS (SELECT 1 AS i, (' . single($_[0]) . ')::numeric AS c UNION ALL SELECT i + 1, (' . single('r.i') . ')::numeric FROM r WHERE i < 4) SELECT * FROM r' },
	sub { 'SELECT q.k0::text, rank() OVER (ORDER BY q.k0::text) FROM (' . grouped($_[0]) . ') q' },
	sub { 'SELECT * FROM s2 WHERE id ' . pick('IN', 'NOT IN') . ' (SELECT g FROM s1 WHERE ' . condition($_[0]) . ' AND g IS NOT NULL GROUP BY g HAVING count(*) > 2)' },
	sub { 'SELECT s2.* FROM s2 WHERE ' . pick('', 'NOT ') . 'EXISTS (SELECT FROM s1 WHERE s1.g = s2.id GROUP BY h HAVING count(*) > ' . $_[0] . ')' },
	sub { 'SELECT ARRAY(SELECT q::text FROM (' . grouped($_[0]) . ') q ORDER BY 1) AS a' },
	sub { 'SELECT q.k0::text AS k, count(*) FROM (' . grouped($_[0]) . ') q GROUP BY 1' },
	sub { 'SELECT k0::text FROM (' . grouped($_[0]) . ') q ' . pick('UNION', 'INTERSECT', 'EXCEPT', 'UNION ALL') . ' SELECT k0::text FROM (' . grouped($_[0]) . ') q' },
	sub { 'SELECT id, sums(id) FROM s2 WHERE id < 4' }, sub { "SELECT sums(NULL)" }, sub { 'SELECT one(g), count(*), sum(plain(g)) FROM s1 WHERE id < 60 GROUP BY 1' },
	sub { 'SELECT id, one(id), plain(id) FROM s2' }, sub { "SELECT caught($_[0])" }, sub { 'SELECT other_zone(), as_owner(5)' }, sub { 'SELECT * FROM v2 WHERE g > ' . $_[0] },
	sub { "SELECT a.k0::text, b.k0::text FROM (" . grouped($_[0]) . ') a LEFT JOIN (' . grouped($_[0]) . ') b ON a.k0::text = b.k0::text' },
	sub { 'SELECT h, count(*), sum(n) FROM s1 WHERE g = ' . $_[0] . ' GROUP BY h ORDER BY h LIMIT ' . pick(0, 2) });

# In an order that leaves nothing open
sub ordered { return 'SELECT q::text FROM (' . pick(@shapes)->(@_) . ') q ORDER BY 1'; }

# ---------- steps ----------

my $names = 0;

sub settings
{
	my $local = $_[0]{open} && chance(0.4) ? 'LOCAL ' : '';

	return "SET $local" . pick(
		(map { "TimeZone = '$_'" } 'UTC', 'America/New_York', 'Asia/Kathmandu', '+05:30'), (map { "DateStyle = '$_'" } 'German', 'SQL, DMY', 'ISO'), (map { "IntervalStyle = '$_'" } 'iso_8601', 'postgres_verbose', 'postgres'),
		'extra_float_digits = ' . pick(-4, 0, 1), 'bytea_output = ' . pick('escape', 'hex'), "work_mem = '" . pick('64kB', '1MB', '16MB') . "'", 'hash_mem_multiplier = ' . pick(1, 2),
		'plan_cache_mode = ' . pick(qw(auto force_generic_plan force_custom_plan)), pick(qw(enable_hashagg enable_sort enable_hashjoin enable_nestloop enable_material enable_memoize)) . ' = ' . pick(qw(on off)),
		'gpuagg.cache = ' . pick(qw(on off)), "gpuagg.strategy = '" . pick(qw(auto auto single-pass multi-pass-copy partitioned)) . "'", 'gpuagg.debug_regroup = ' . pick(qw(on off)), 'gpuagg.debug_feeders = ' . pick(0, 1, 2),
		"gpuagg.debug_fault = '" . pick('none', 'none', qw(begin pages rows finish results memory memory-late)) . "'", 'gpuagg.debug_fault_pass = ' . pick(0, 1, 2), "fuzz.hidden = '" . pick(1, 2, '') . "'", 'row_security = on',
		"lc_numeric = 'C'", 'jit = off', 'force_parallel_mode = ' . pick(qw(on off off)), 'from_collapse_limit = ' . pick(1, 8), 'default_statistics_target = 10', 'gpuagg.lookup_memory = ' . pick(0, 1, -1));
}

sub write
{
	my ($s) = @_;
	my $q = grouped(number());

	return pick(
		'INSERT INTO s1 (id, g, h, v, n, d, z, b, f) SELECT id + (SELECT max(id) FROM s1), g, h, v + 1, n, d, z, b, f FROM s1 WHERE id % 7 = 1',
		"INSERT INTO s3 SELECT g, h, sum(n), count(*) FROM s1 WHERE " . condition(number()) . ' GROUP BY g, h', "INSERT INTO log SELECT 'grouped', k0::text, count(*) FROM ($q) q GROUP BY 1, 2",
		'UPDATE s1 SET n = coalesce(q.a, 0) FROM (SELECT g, max(n) AS a FROM s1 GROUP BY g) q WHERE q.g = s1.g AND s1.id % 5 = 2', 'UPDATE s1 SET g = (g + 1) % 13 WHERE id % 11 = 3', 'UPDATE s1 SET h = NULL WHERE id % 17 = 5',
		'UPDATE s2 SET w = coalesce((SELECT count(*) FROM s1 WHERE s1.g = s2.id AND s1.b), 0) WHERE id % 3 = 0', 'DELETE FROM s1 WHERE id IN (SELECT max(id) FROM s1 GROUP BY g)', 'DELETE FROM s1 WHERE id % 19 = 4',
		'DELETE FROM s3 USING (SELECT g, count(*) AS c FROM s1 GROUP BY g HAVING count(*) > 3) q WHERE q.g = s3.g AND s3.n < q.c RETURNING s3.g',
		'MERGE INTO s3 USING (SELECT g, sum(v)::numeric AS s FROM s1 GROUP BY g) q ON q.g = s3.g AND s3.h IS NULL WHEN MATCHED AND q.s > 1000 THEN UPDATE SET s = q.s WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (q.g, NULL, q.s, 0)',
		'WITH gone AS (DELETE FROM s1 WHERE id % 23 = 1 RETURNING g) SELECT g, count(*), (SELECT count(*) FROM s1) FROM gone GROUP BY g ORDER BY g', 'INSERT INTO s2 SELECT 20 + g, max(h), sum(v) % 100, min(h) FROM s1 WHERE g IS NOT NULL GROUP BY g ON CONFLICT (id) DO UPDATE SET w = excluded.w',
		"CREATE TEMP TABLE x@{[ ++$names ]} AS $q", "DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT g, count(*) AS c FROM s1 GROUP BY g ORDER BY g LOOP UPDATE s1 SET v = v + r.c WHERE g = r.g AND id % 10 = 0; END LOOP; END \$\$",
		'COPY (SELECT h, count(*) FROM s1 GROUP BY h ORDER BY h) TO STDOUT');
}

sub define
{
	my ($s) = @_;

	return pick(
		'ALTER TABLE s1 ADD COLUMN e' . ++$names . " text DEFAULT 'e'", 'ALTER TABLE s1 ALTER COLUMN n TYPE numeric(' . pick(12, 14) . ', ' . pick(2, 3) . ')', 'CREATE INDEX ON s1 (g, h)', 'ANALYZE s1', 'TRUNCATE s3', 'ALTER TABLE s1 ' . pick('ENABLE', 'DISABLE', 'FORCE', 'ENABLE', 'NO FORCE') . ' ROW LEVEL SECURITY',
		'ALTER TABLE s2 ' . pick('ENABLE', 'DISABLE') . ' ROW LEVEL SECURITY', 'CREATE OR REPLACE FUNCTION fixed(a int) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS \'BEGIN RETURN a % ' . pick(2, 3, 4) . '; END\'',
		'CREATE OR REPLACE VIEW v1 AS SELECT id, g, h, v, n, d, z, b, f FROM s1 WHERE g <> ' . pick(1, 2, 4), 'REFRESH MATERIALIZED VIEW m1', 'CLUSTER s1 USING s1_pkey', 'ALTER TABLE s1 ALTER COLUMN h SET STORAGE ' . pick(qw(EXTERNAL PLAIN EXTENDED)),
		'ALTER POLICY mine ON s1 USING (g <> ' . pick(1, 2) . ')', (map { "$_ SELECT ON s2 " . (/REVOKE/ ? 'FROM' : 'TO') . ' fuzz_reader' } 'REVOKE', 'GRANT', 'GRANT'), 'TRUNCATE s1', 'CREATE STATISTICS IF NOT EXISTS st ON g, h FROM s1',
		'ALTER TABLE s2 ADD COLUMN e' . ++$names . ' int DEFAULT 4', 'ALTER VIEW v1 SET (security_barrier = ' . pick('true', 'false') . ')', 'ALTER TABLE s1 RENAME COLUMN f TO ff', 'ALTER TABLE s1 RENAME COLUMN ff TO f');
}

# Transactions and savepoints: what is open afterwards is known
sub transact
{
	my ($s) = @_;

	if (!$s->{open})
	{
		@$s{qw(open points)} = (1, 0);
		return 'BEGIN ISOLATION LEVEL ' . pick('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE');
	}
	if (chance(0.35))
	{
		$s->{points}++;
		return "SAVEPOINT p$s->{points}";
	}
	if ($s->{points} && chance(0.6))
	{
		return "ROLLBACK TO p$s->{points}" if chance(0.6);
		return 'RELEASE p' . $s->{points}--;
	}
	$s->{open} = 0;
	return pick('COMMIT', 'COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN; ROLLBACK', "PREPARE TRANSACTION 'fuzz'; COMMIT PREPARED 'fuzz'");
}

sub cursor
{
	my ($s) = @_;

	if (chance(0.35) || !@{ $s->{cursors} })
	{
		my $name = 'c' . ++$names;
		my $query = ordered(number(), $s->{t1});
		my $hold = !$s->{open} || chance(0.25) ? ' WITH HOLD' : '';

		# COMMIT reads it, in which PostgreSQL's assertions let no subtransaction begin
		$hold = '' if $query =~ /caught/;
		push @{ $s->{cursors} }, $name;
		return "DECLARE $name " . pick('SCROLL ', 'SCROLL ', 'NO SCROLL ', '') . "CURSOR$hold FOR $query";
	}
	my $name = pick(@{ $s->{cursors} });

	return pick((map { "FETCH $_ FROM $name" } 1, 3, 50, 'ALL', 'FIRST', 'LAST', 'PRIOR', 'BACKWARD 2', 'ABSOLUTE 4', 'RELATIVE -1', 0), "MOVE 3 FROM $name", "MOVE BACKWARD ALL FROM $name", "CLOSE $name");
}

sub prepared
{
	my ($s) = @_;

	if (chance(0.35) || !@{ $s->{prepared} })
	{
		my $name = 's' . ++$names;

		push @{ $s->{prepared} }, $name;
		return "PREPARE $name (int) AS " . ordered('$1', $s->{t1});
	}
	my $name = pick(@{ $s->{prepared} });
	my $x = pick(number(), number(), number(), 'NULL');

	return pick("EXECUTE $name ($x)", "EXECUTE $name ($x)", "EXECUTE $name ($x); EXECUTE $name (" . number() . ')', "CREATE TEMP TABLE x@{[ ++$names ]} AS EXECUTE $name ($x)");
}

sub maintain
{
	my ($s) = @_;

	return define($s) if $s->{open};
	return pick('VACUUM s1', 'VACUUM (FREEZE) s1', 'VACUUM ANALYZE', 'VACUUM FULL s1', "SELECT gpuagg.load('s1') IS NULL AS loaded", "SELECT gpuagg.unload('s1') IS NULL AS unloaded", 'DISCARD PLANS', 'CHECKPOINT', 'REINDEX TABLE s1', 'RESET ALL');
}

my %kinds = (
	query => sub { ordered(number(), $_[0]{t1}) },
	prepared => \&prepared, cursor => \&cursor, transact => \&transact, settings => \&settings, write => \&write, define => \&define, maintain => \&maintain,
	role => sub { pick('SET ROLE fuzz_reader', 'SET ROLE fuzz_reader', 'RESET ROLE', 'RESET ROLE', 'SET LOCAL ROLE fuzz_reader') });
my @kinds = ((qw(query prepared cursor)) x 5, (qw(transact settings)) x 4, (qw(write)) x 3, qw(define define maintain role));

# So many steps: { kind, sql }
sub session_steps
{
	my ($t1, $count) = @_;
	my $s = { open => 0, points => 0, cursors => [], prepared => [], t1 => $t1 };

	return map { my $kind = pick(@kinds); { kind => $kind, sql => $kinds{$kind}->($s) } } 1 .. $count;
}

1;
