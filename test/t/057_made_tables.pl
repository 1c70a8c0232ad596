# Look-up tables that devices have made and sessions use again: when there is no room for them,
# and beside writers of every kind.
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

my $node = new_node('made', 'shared_buffers = 64MB', 'autovacuum = off', 'gpuagg.cache_size = 32MB',
	"gpuagg.lookup_memory = '1MB'");
$node->safe_psql(
	'postgres', q{
	CREATE TABLE f AS SELECT i AS id, i % 40000 AS a, repeat('x', 60) AS pad FROM generate_series(1, 50000) i;
	CREATE TABLE wide AS SELECT i AS k, i % 7 AS n, i * 10000000007 AS o, -i * 10000000007 AS p, i * 10000000009 AS q, i * 10000000019 AS r
	FROM generate_series(0, 39999) i;
	ALTER TABLE wide ADD PRIMARY KEY (k);
	CREATE TABLE small AS SELECT i AS k, i % 7 AS n FROM generate_series(0, 499) i;
	ALTER TABLE small ADD PRIMARY KEY (k);
	CREATE FUNCTION inputs(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'require' AS $$
	DECLARE
		line text;
	BEGIN
		FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
			EXIT WHEN line LIKE '%Look-up Joins%';
		END LOOP;
		RETURN line;
	END $$;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) f, wide, small');
is($node->safe_psql('postgres', "
	SELECT min(gpuagg.load(t)) > 0 AND bool_and((SELECT min(pages) FROM gpuagg.cache WHERE relation = t) =
												pg_relation_size(t) / 8192)
	FROM unnest('{f,wide,small}'::regclass[]) t"), 't', 'all columns are kept');

# ------------------------------------------------------- without room ---

# The session may have more than the device's worker keeps: such a table goes as soon as it is made,
# and leaves no place taken in the list of those that there are.
my $small = 'SELECT n, count(*) FROM f JOIN small ON a = k GROUP BY n ORDER BY n';
my $wide = 'SELECT n, count(*), sum(o + p + q + r) FROM f JOIN wide ON a = k GROUP BY n ORDER BY n';
my $lines = $node->safe_psql('postgres', "
	SET gpuagg.lookup_memory = '256MB';
	DO \$\$ BEGIN FOR i IN 1 .. 260 LOOP PERFORM inputs('$wide'); END LOOP; END \$\$;
	SELECT inputs('$wide');
	SELECT inputs('$small');
	SELECT inputs('$small');");
my @lines = split /\n/, $lines;
like($lines[0], qr/40000 rows/, 'a table beyond what the worker keeps');
unlike($lines[0], qr/made before/, 'it is not there a second time');
like($lines[1], qr/from kept columns/, 'a small table is made');
like($lines[2], qr/made before/, 'and used again, after many that had no room');
same_answer($node, $wide, 'a table beyond what the worker keeps');

$node->stop;
done_testing();
