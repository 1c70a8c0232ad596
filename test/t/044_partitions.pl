# Groupings of random trees of tables (RandomTree.pm), and joins of them with plans and with tables of which
# nothing is left (RandomShapes.pm), with gpuagg off and on: the same rows,
# or an error of the same kind.  Then one whose partitions are attached, detached, dropped and
# made again while queries run: each group is there whole, or not at all.
#
# GPUAGG_SEED, GPUAGG_QUERIES and GPUAGG_STRESS_SECONDS in the environment try others, and more.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery;
use RandomShapes;
use RandomTree;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261126;
my $queries = $ENV{GPUAGG_QUERIES} // 300;
my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 12;
my $per_tree = 12;
srand $seed;

my $node = new_node('partitions', 'shared_buffers = 64MB', 'autovacuum = off', 'max_locks_per_transaction = 256');
regress_functions($node);
shape_forms($node);

# ---------- random trees ----------

# What shape_query() asks for: of each of its kinds a column, if there is one
sub tree_columns
{
	my ($tree) = @_;
	my %columns = (i => 'id', v => 'id');
	my %class = (int2 => 'v', int4 => 'v', numeric => 'm', date => 'd', text => 's');

	$columns{ $class{ $_->{class} } } = $_->{name} foreach grep { !$_->{dropped} && $class{ $_->{class} } && $_->{type} !~ /COLLATE/ } @{ $tree->{columns} };
	return \%columns;
}

# What compare() (setup.sql) said, in a word; different ones are told
sub outcome
{
	my ($answer, $query) = @_;

	return 'not on the device' if $answer =~ /^ok, not on the device/;
	return 'on the device' if $answer =~ /^ok: /;
	return 'same error' if $answer =~ /^same error/;
	# Where several errors wait, the first depends on the plan (sort or hash).
	return 'another error' if $answer =~ /^DIFFERENT ERRORS: stock: 22\w{3} .* device: 22\w{3} /;
	# PostgreSQL may have enough groups before it comes to a row that raises one.
	return 'an error beyond a LIMIT' if $query =~ /LIMIT/ && $answer =~ /^DIFFERENT ERRORS: stock: none device: 22\w{3} /;
	return 'different';
}

my %outcomes;
my %kinds;
my $asked = 0;
while ($asked < $queries)
{
	my ($tree, $make, $drop) = random_tree();
	my $shapes = rand() < 0.5;
	my $script = $make . ($shapes ? shape_tables('t', 'id') : '');
	my @queries;

	foreach (1 .. $per_tree)
	{
		my ($query, $tolerance, $settings) = random_query($tree);

		if ($shapes && rand() < 0.3)
		{
			$query = shape_query([$tree->{from} ? $tree->{from} =~ s/ t$//r : 't'], tree_columns($tree));
			$tolerance = 0;
		}
		elsif (rand() < 0.5) { $query = prune($tree, $query); }
		push @queries, "$settings\n$query";
		$script .= sprintf "%s SELECT replace(compare(\$q\$%s\$q\$, 'try'%s), E'\\n', ' ');\n",
		  $settings, $query, $tolerance ? ", $tolerance" : '';
	}
	my ($rc, $out, $err) = $node->psql('postgres',
		"SET client_min_messages = warning;\n$script" . shape_drop() . $drop, on_error_stop => 1);
	my @answers = split /\n/, $out;

	if ($rc != 0 || @answers != @queries)
	{
		fail('every query is answered');
		diag("$make\n$err\nof query " . (@answers + 1) . ": " . ($queries[@answers] // 'none'));
		last;
	}
	$kinds{ $tree->{kind} }++;
	foreach my $n (0 .. $#queries)
	{
		my $what = outcome($answers[$n], $queries[$n]);

		diag("$make$queries[$n]\n  $answers[$n]\n") if $what eq 'different' && ($outcomes{different} // 0) < 5;
		$outcomes{$what}++;
	}
	$asked += @queries;
}
cmp_ok($asked, '>=', $queries, 'so many were asked');
is($outcomes{different} // 0, 0, "random trees (seed $seed)");
never_refused($node);
note("seed $seed, $asked queries: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes),
	'; trees: ', join(', ', map { "$kinds{$_} $_" } sort keys %kinds));
cmp_ok($outcomes{'on the device'} // 0, '>', $asked * 0.4, 'many were planned on the device');
cmp_ok(scalar(keys %kinds), '==', 3, 'trees of every kind');

# ---------- partitions that come and go ----------

# Partition a holds 500 rows of v = a, whoever makes it.
my $rows = 500;
$node->safe_psql('postgres', qq{
	CREATE TABLE p (a int, i int, v int8) PARTITION BY LIST (a);
	CREATE TABLE p_1 PARTITION OF p FOR VALUES IN (1);
	CREATE TABLE p_2 PARTITION OF p FOR VALUES IN (2);
	CREATE TABLE p_3 (v int8, a int, gone text, i int);
	ALTER TABLE p_3 DROP COLUMN gone;
	ALTER TABLE p ATTACH PARTITION p_3 FOR VALUES IN (3);
	CREATE TABLE p_4 PARTITION OF p FOR VALUES IN (4);
	CREATE TABLE p_5 PARTITION OF p FOR VALUES IN (5);
	INSERT INTO p SELECT a, i, a FROM generate_series(1, 5) a, generate_series(1, $rows) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) p_1, p_2, p_3, p_4, p_5');

my $dir = PostgreSQL::Test::Utils::tempdir();
# 1 / 0 where a group is not whole
my $check = "SELECT 1 / (count(*) FILTER (WHERE n <> $rows OR s <> $rows * a OR low <> 1 OR high <> $rows) = 0)::int, count(*) FROM (SELECT a, count(*) AS n, sum(v) AS s, min(i) AS low, max(i) AS high FROM p";
append_to_file("$dir/all.sql", "$check GROUP BY a) q;\n");
append_to_file("$dir/some.sql", "\\set a random(0, 6)\n$check WHERE a = :a OR a = :a + 1 GROUP BY a) q;\n");
append_to_file("$dir/expressions.sql", "$check GROUP BY a HAVING max(v) - min(v) = 0 AND count(DISTINCT i) = $rows) q;\n");
append_to_file("$dir/snapshot.sql", "BEGIN ISOLATION LEVEL REPEATABLE READ;\n$check GROUP BY a) q;\n\\sleep 2 ms\n$check GROUP BY a) q;\nCOMMIT;\n");

# What changes partitions, over and over, so often that time ends it; what is refused or ends in a deadlock is tried again
# in the next round.
my %changes = (
	detach => "ALTER TABLE p DETACH PARTITION p_2;\nALTER TABLE p ATTACH PARTITION p_2 FOR VALUES IN (2);\n",
	concurrently => "ALTER TABLE p DETACH PARTITION p_3 CONCURRENTLY;\nALTER TABLE p DETACH PARTITION p_3 FINALIZE;\nALTER TABLE p ATTACH PARTITION p_3 FOR VALUES IN (3);\n",
	again => "BEGIN;\nDROP TABLE IF EXISTS p_4;\nCREATE TABLE p_4 (i int, gone int, v int8, a int) PARTITION BY HASH (v, i);\nALTER TABLE p_4 DROP COLUMN gone;\n" .
	  join('', map { "CREATE TABLE p_4_$_ PARTITION OF p_4 FOR VALUES WITH (MODULUS 2, REMAINDER $_);\n" } 0, 1) .
	  "INSERT INTO p_4 (a, i, v) SELECT 4, i, 4 FROM generate_series(1, $rows) i;\nALTER TABLE p ATTACH PARTITION p_4 FOR VALUES IN (4);\nCOMMIT;\nROLLBACK;\nVACUUM p_4;\n" .
	  "BEGIN;\nDROP TABLE IF EXISTS p_4;\nCREATE TABLE p_4 PARTITION OF p FOR VALUES IN (4);\nINSERT INTO p SELECT 4, i, 4 FROM generate_series(1, $rows) i;\nCOMMIT;\nROLLBACK;\n",
	rows => "UPDATE p SET v = v WHERE a = 1 AND i % 50 = 7;\nBEGIN;\nDELETE FROM p WHERE a = 5 AND i > 400;\nINSERT INTO p SELECT 5, i, 5 FROM generate_series(401, $rows) i;\nCOMMIT;\nROLLBACK;\nVACUUM p_1, p_5;\n");
my $rounds = 1000 + 400 * $seconds;
my ($before) = $node->safe_psql('postgres', q{SELECT sum(value) FROM gpuagg.stat WHERE name = 'tasks'});
my $until = time + $seconds;
my %changers = map {
	my $name = $_;

	# ended by the first round after the time
	$name => start_psql($node,
		"\\set ON_ERROR_STOP 0\n\\set QUIET 1\nSET client_min_messages = error;\nSET deadlock_timeout = '50ms';\n" .
		  join('', map { "$changes{$name}SELECT extract(epoch FROM clock_timestamp()) > $until AS late \\gset\n\\if :late\n\\echo $_\n\\q\n\\endif\n" } 1 .. $rounds))
} sort keys %changes;
my %readers;
{
	local $ENV{PGOPTIONS} = '-c gpuagg.debug_require=prefer';

	foreach my $script ([ 'all', 'prepared' ], [ 'some', 'prepared' ], [ 'expressions', 'simple' ], [ 'snapshot', 'extended' ])
	{
		$readers{ $script->[0] } = start_pgbench($node, $seconds + 120, '-c', 1, '-T', $seconds, '-M', $script->[1], '-f', "$dir/$script->[0].sql");
	}
}
foreach my $name (sort keys %readers)
{
	my $run = finish_pgbench($readers{$name});

	note("$name: $run->{transactions}");
	cmp_ok($run->{transactions}, '>', 3, "queries ran: $name");
	unlike($run->{stderr}, qr/ERROR|aborted|PANIC|server closed/, "groups are whole: $name") or diag(substr($run->{stderr}, 0, 8000));
}
foreach my $name (sort keys %changers)
{
	my $run = finish_psql($changers{$name});
	my ($rounds) = $run->{stdout} =~ /(\d+)\s*\z/;

	note("$name: " . ($rounds // 'none') . ' rounds');
	cmp_ok($rounds // 0, '>', 1, "partitions changed: $name") or diag($run->{stderr});
}
cmp_ok($node->safe_psql('postgres', q{SELECT sum(value) FROM gpuagg.stat WHERE name = 'tasks'}), '>', $before + 20, 'and the device had tasks');
same_answer($node, 'SELECT a, count(*), sum(v), min(i), max(i) FROM p GROUP BY a ORDER BY a', 'at rest');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
