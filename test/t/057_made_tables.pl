# Look-up tables that devices have made and sessions use again, beside writers of every kind.
# 060_made_memory.pl has their memory.
#
# GPUAGG_STRESS_SECONDS: for how long there are writers.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('made', 'shared_buffers = 64MB', 'autovacuum = off', 'gpuagg.cache_size = 32MB');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE f AS SELECT i AS id, i % 40000 AS a, repeat('x', 60) AS pad FROM generate_series(1, 50000) i;
	CREATE FUNCTION inputs(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'require' AS $$
	DECLARE
		line text;
	BEGIN
		FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
			EXIT WHEN line LIKE '%Look-up Joins%';
		END LOOP;
		RETURN line;
	END $$;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) f');
# of pages with rows: since 16 a table may end with others
is($node->safe_psql('postgres', "
	SELECT gpuagg.load('f') > 0 AND (SELECT min(pages) FROM gpuagg.cache WHERE relation = 'f'::regclass) =
		   (SELECT count(DISTINCT (ctid::text::point)[0]) FROM f)"), 't', 'all columns are kept');

# Sessions ask the same questions over and over, in snapshots old and new, between changes of their
# own and others', which come and go; each answer is PostgreSQL's under the same snapshot.
my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 10;
$node->safe_psql(
	'postgres', q{
	CREATE TABLE x (k int PRIMARY KEY, name text, n int, late int);
	CREATE TABLE y (k int, name text, n int);
	CREATE TABLE z (k int PRIMARY KEY, code char(4), q numeric(8,2));
	INSERT INTO x SELECT i, 'x ' || i % 11, i % 5, i FROM generate_series(0, 699) i;
	INSERT INTO y SELECT i % 90, 'y ' || i % 6, i % 5 FROM generate_series(0, 299) i;
	INSERT INTO z SELECT i, 'z' || i % 8, i / 4.0 FROM generate_series(0, 399) i;});
make_compared($node, "gpuagg.debug_require = 'prefer'");
$node->safe_psql(
	'postgres', q{
	CREATE VIEW questions AS
	SELECT row_number() OVER () AS n, q FROM (VALUES
	('SELECT name, count(*), sum(a) FROM f JOIN x ON a = k GROUP BY 1'),
	('SELECT n, late, count(*) FROM f LEFT JOIN x ON a = k AND n < 4 GROUP BY 1, 2'),
	('SELECT y.name, count(*), sum(n) FROM f JOIN y ON a = k GROUP BY 1'),
	('SELECT count(*), min(id), max(a) FROM f WHERE NOT EXISTS (SELECT FROM x WHERE k = a)'),
	('SELECT count(*), max(id) FROM f LEFT JOIN x ON k = a WHERE x.k IS NULL'),
	('SELECT id % 3, count(*) FROM f WHERE a IN (SELECT k FROM y WHERE n = 2) GROUP BY 1'),
	('SELECT code, count(*), sum(q) FROM f JOIN z ON a = k GROUP BY 1'),
	('SELECT x.name, code, count(*) FROM f JOIN x ON a = x.k JOIN z ON a = z.k WHERE n <> 3 GROUP BY 1, 2')) v (q);
	CREATE FUNCTION ask(which int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		asked text := (SELECT q FROM questions WHERE n = which % (SELECT count(*) FROM questions) + 1);
	BEGIN
		IF random() < 0.1 AND inputs(asked) LIKE '%made before%' THEN
			RAISE WARNING 'REUSED';
		END IF;
		PERFORM compared(asked);
	END $$;
	CREATE FUNCTION change(how int, i int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		CASE how % 9
			WHEN 0 THEN UPDATE x SET name = 'x ' || i % 13, late = i WHERE k = i % 700;
			WHEN 1 THEN DELETE FROM x WHERE k % 50 = i % 50;
			WHEN 2 THEN INSERT INTO x SELECT j, 'again ' || j % 7, i % 5, j
				FROM generate_series(i % 700, i % 700 + 40) j ON CONFLICT DO NOTHING;
			WHEN 3 THEN UPDATE y SET n = (n + 1) % 5, k = (k + i) % 95 WHERE k = i % 90;
			WHEN 4 THEN DELETE FROM y WHERE k = i % 95;
				INSERT INTO y VALUES (i % 95, 'y ' || i % 9, i % 5), (i % 95, NULL, NULL);
			WHEN 5 THEN UPDATE z SET code = 'n' || i % 9, q = q + 0.25 WHERE k BETWEEN i % 400 AND i % 400 + 5;
			WHEN 6 THEN DELETE FROM z WHERE k = i % 400;
				INSERT INTO z VALUES (i % 410, 'i', i % 7) ON CONFLICT DO NOTHING;
			WHEN 7 THEN UPDATE x SET n = NULL WHERE k = i % 700;
			ELSE PERFORM FROM x WHERE k = i % 700 FOR UPDATE;
		END CASE;
	END $$;
	-- what comes of nothing
	CREATE FUNCTION in_vain(how int, i int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM change(how, i);
		PERFORM ask(how);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		PERFORM ask(how);
	END $$;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) x, y, z');
$node->safe_psql('postgres', "SELECT gpuagg.load('x'), gpuagg.load('y'), gpuagg.load('z')");

# VACUUM does not cut tables: while others wait for theirs it tries for five seconds each time
my $head = "\\set q random(0, 7)\n\\set r random(0, 7)\n\\set how random(0, 8)\n\\set i random(0, 2000)\n";
my %scripts = (
	reads => [ 6, "SELECT ask(:q);\nSELECT ask(:r);\n" ],
	old => [ 4, "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT ask(:q);\n\\sleep 30 ms\nSELECT ask(:r);\nSELECT ask(:q);\nCOMMIT;\n" ],
	own => [ 2, "BEGIN;\nSELECT ask(:q);\nSELECT change(:how, :i);\nSELECT ask(:q);\nSAVEPOINT s;\nSELECT change(:how + 1, :i + 1);\n"
		  . "SELECT ask(:r);\nROLLBACK TO s;\nSELECT ask(:r);\nROLLBACK;\nSELECT ask(:q);\n" ],
	vain => [ 1, "SELECT in_vain(:how, :i);\n" ],
	change => [ 1, "SELECT change(:how, :i);\n" ],
	vacuum => [ 4, "VACUUM (TRUNCATE off) x;\nVACUUM (TRUNCATE off) y;\nVACUUM (TRUNCATE off) z;\nSELECT ask(:q);\n" ],
	load => [ 1, "SELECT gpuagg.load('x') + gpuagg.load('y') + gpuagg.load('z') > 0;\nSELECT ask(:q);\n" ]);
# what takes tables away, from one session
my %changes = (
	truncate => [ 1, "BEGIN;\nTRUNCATE y;\nINSERT INTO y SELECT i % 80, 'new ' || i % 7 + :r, i % 5 FROM generate_series(0, 199) i;\nSELECT ask(2);\nCOMMIT;\n" ],
	undone => [ 2, "BEGIN;\nTRUNCATE z;\nSELECT ask(6);\nROLLBACK;\nSELECT ask(6);\n" ],
	rewrite => [ 1, "CLUSTER x USING x_pkey;\nSELECT ask(0);\nVACUUM FULL y;\nSELECT ask(2);\n" ],
	column => [ 1, "BEGIN;\nALTER TABLE x DROP COLUMN late;\nALTER TABLE x ADD COLUMN late int DEFAULT :i;\nSELECT ask(1);\nCOMMIT;\nSELECT ask(1);\n" ],
	column_undone => [ 1, "BEGIN;\nALTER TABLE x DROP COLUMN late;\nALTER TABLE x ADD COLUMN late int DEFAULT :i;\nSELECT ask(1);\nROLLBACK;\nSELECT ask(1);\n" ],
	freeze => [ 1, "VACUUM (FREEZE) x, y, z;\nSELECT ask(:q);\n" ],
	unload => [ 1, "SELECT gpuagg.unload('x') >= 0;\nSELECT ask(:q);\n" ]);

# Options of pgbench that run these scripts
sub scripts
{
	my ($scripts) = @_;

	return map {
		my $file = "$PostgreSQL::Test::Utils::tmp_check/$_.sql";

		append_to_file($file, $head . $scripts->{$_}[1]);
		('-f', "$file\@$scripts->{$_}[0]");
	} sort keys %$scripts;
}

my @run = map { start_pgbench($node, $seconds + 120, '-c', $_->[0], '-j', 1, '-T', $seconds, '--max-tries=1000', scripts($_->[1])) }
  ([ 6, \%scripts ], [ 1, \%changes ]);
my $said = '';
foreach my $run (@run)
{
	my $done = finish_pgbench($run);

	cmp_ok($done->{transactions}, '>', 20, "$done->{transactions} transactions");
	$said .= $done->{stderr};
}
my @reused = $said =~ /REUSED/g;
cmp_ok(scalar @reused, '>', 0, 'tables were used again (' . @reused . ' times that were looked at)');
unlike($said, qr/DIFFERENT/, 'each answer is PostgreSQL\'s');
unlike($said, qr/ERROR|FATAL|aborted|PANIC/, 'no session failed');
no_tasks($node, 'nothing is left');

$node->stop;
done_testing();
