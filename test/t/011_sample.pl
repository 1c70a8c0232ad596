# Random samples, with gpuagg off and on: the same rows, on tables in every
# state that deletes, updates and VACUUM leave; in groups and row by row.
#
# GPUAGG_SEED and GPUAGG_QUERIES in the environment try others than the ones
# of every day.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20260102;
my $queries = $ENV{GPUAGG_QUERIES} // 300;
srand $seed;

# Small enough that the larger tables are read through a ring
my $node = new_node('sample', 'shared_buffers = 4MB', 'autovacuum = off');
regress_functions($node);
$node->safe_psql(
	'postgres', q{
	CREATE TABLE plain (id int4, g int4, v int8, f float8, t text);
	INSERT INTO plain SELECT i, i % 13, CASE WHEN i % 9 > 0 THEN i * 7 END, i / 16.0, repeat('p' || i % 5, 1 + i % 11)
	FROM generate_series(1, 15000) i;
	CREATE TABLE dead (LIKE plain) WITH (fillfactor = 60);
	CREATE TABLE clean (LIKE plain);
	CREATE TABLE frozen (LIKE plain);
	CREATE TABLE reused (LIKE plain);
	CREATE TABLE wide (LIKE plain, pad text);
	CREATE TABLE empty (LIKE plain);
	CREATE TABLE one (LIKE plain);
	INSERT INTO one SELECT * FROM plain WHERE id = 77;
	INSERT INTO dead SELECT * FROM plain;
	INSERT INTO clean SELECT * FROM plain;
	INSERT INTO frozen SELECT * FROM plain;
	INSERT INTO reused SELECT * FROM plain;
	ALTER TABLE wide ALTER COLUMN pad SET STORAGE PLAIN;
	INSERT INTO wide SELECT *, repeat('x', 1000) FROM plain;
	DELETE FROM dead WHERE id % 5 = 1 OR id BETWEEN 4000 AND 5000;
	UPDATE dead SET v = -v WHERE id % 4 = 0;
	UPDATE dead SET g = g + 1 WHERE id % 8 = 0;
	DELETE FROM clean WHERE id % 3 = 0;
	UPDATE clean SET f = -f WHERE id % 4 = 0;
	DELETE FROM reused WHERE id % 2 = 0;
	DELETE FROM wide WHERE id % 10 = 0;});
$node->safe_psql('postgres', 'VACUUM clean');
$node->safe_psql('postgres', 'VACUUM (FREEZE) frozen');
$node->safe_psql('postgres', 'VACUUM reused');
$node->safe_psql('postgres',
	'INSERT INTO reused SELECT * FROM plain WHERE id % 6 = 0; DELETE FROM reused WHERE id % 25 = 0; ANALYZE;');

sub pick { return $_[ int rand @_ ]; }

sub percent
{
	my $kind = rand;

	return pick(0, 100) if $kind < 0.1;
	return sprintf '%.6f', 100**rand() - 1 if $kind < 0.6;
	return sprintf '%.4f', rand 100;
}

sub repeat
{
	my $kind = rand;

	return int rand 1000000 if $kind < 0.5;
	return sprintf '%.8f', rand(2) - 1 if $kind < 0.9;
	return pick("'NaN'", "'-infinity'", '-0.0', '1e-300');
}

my @filters = ('', '', 'g < 5', 'v IS NULL', "t LIKE 'p1%'", 'f BETWEEN 100 AND 500 AND g <> 3',
	'v % 2 = 0 OR id < 50', 'id = 77', '(SELECT false)', 'f > (SELECT 30)', '(SELECT true)');
my @aggregates = ('count(*)', 'count(v)', 'sum(id)', 'sum(v)', 'avg(v)', 'min(f)', 'max(v)', 'max(t COLLATE "C")',
	'count(*) FILTER (WHERE g > 6)');
# of rows: whole ones, by their places, by what only PostgreSQL can compute
my @columns = ('*', 'ctid, id', 'id, t', 'g, md5(t)', 'x', 'tableoid::regclass, v', '1');
my @tests = (@filters, 'id::numeric < 5000.5', "ctid > '(40,3)'", 'g < 5 AND md5(t) > md5(id::text)', 'v > f::int8 AND g <> 4',
	'abs(v::numeric) % 3 = 1 AND id % 2 = 0', '1 / (id + 1) >= 0', 'x IS NOT NULL AND t > \'p2\' COLLATE "C"',
	'(SELECT g FROM one) > g', 'g IN (1, 2, 12)', 'id = ANY (ARRAY[77, id])', 'coalesce(v, 0) = 0 OR f > 800');
my @keys = ('', '', 'g', 't', 'id', 'g, id % 2', 'v IS NULL');
my @asked;
my $script = '';

foreach (1 .. $queries)
{
	my $table = pick(qw(plain dead dead clean clean frozen reused reused wide wide empty one));
	my $sample = "FROM $table x TABLESAMPLE " . pick('BERNOULLI', 'SYSTEM') . ' (' . percent() . ') REPEATABLE (' . repeat() . ')';
	my $rows = rand() < 0.5;
	my $key = pick(@keys);
	my $filter = $rows ? join ' AND ', map { "($_)" } grep { $_ ne '' } pick(@tests), pick(@tests) : pick(@filters);
	my $query = $rows ? 'SELECT ' . pick(@columns) : 'SELECT ' . join(', ', $key || (), pick(@aggregates), pick(@aggregates));

	$query .= " $sample" . ($filter && " WHERE $filter") . (!$rows && $key && " GROUP BY $key");
	push @asked, $query;
	$script .= sprintf "SELECT replace(compare(\$q\$%s\$q\$, '%s'), E'\\n', ' ');\n", $query, $rows ? 'require' : 'prefer';
}
my @answers = split /\n/, $node->safe_psql('postgres', $script);
is(scalar @answers, $queries, 'every query was answered');
my @failures = map { $answers[$_] =~ /^ok: / ? () : "$asked[$_]\n  $answers[$_]" } 0 .. $#answers;
diag($_) foreach @failures;
is(scalar @failures, 0, "$queries random samples (seed $seed)");
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
