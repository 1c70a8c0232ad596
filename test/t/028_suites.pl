# Every query of the Star Schema Benchmark, of TPC-H and of a shop's reports (test/bench)
# has PostgreSQL's answer with the device preferred; which of them run on the device, and
# why the others do not, is told here.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $bench = "$FindBin::RealBin/../bench";
my $node = new_node('suites', 'shared_buffers = 128MB');

# Lists of [name, query] of a file of questions, about tables of a scale
sub questions
{
	my ($file, $scale) = @_;
	my $fraction = sprintf('%.12f', 0.0001 / ($scale // 1)) =~ s/0+$//r;
	my @questions;

	for my $part (split /^-- \@id /m, slurp_file("$bench/$file"))
	{
		my ($name, $query) = $part =~ /^(q?[0-9.]+) .*?\n(.*?);\s*$/s or next;
		$query =~ s/:fraction/$fraction/g;
		push @questions, [ $name, $query ];
	}
	return @questions;
}

sub answer
{
	my ($setting, $query) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', "SET jit = off; SET $setting; $query",
		extra_params => [ '-P', 'null=<null>' ]);

	return $err if $rc != 0;
	return join "\n", sort split /\n/, $out;
}

# On a GPU joins are PostgreSQL's.
sub suite
{
	my ($name, $scale, $count, @device) = @_;
	my @questions = questions("$name.sql", $scale);
	my @ran;

	$node->command_ok([ 'psql', '-XAtq', '-v', "sf=$scale", '-f', "$bench/${name}_gen.sql",
		'-d', $node->connstr('postgres') ], "$name: tables");
	is(scalar @questions, $count, "$name: $count questions");
	for my $question (@questions)
	{
		my ($id, $query) = @$question;
		my $tasks = counter($node, 'tasks');

		is(answer('gpuagg.debug_require = prefer', $query), answer('gpuagg.enable = off', $query), "$name $id");
		push @ran, $id if counter($node, 'tasks') > $tasks;
	}
	note("$name on the device: @ran");
  SKIP:
	{
		skip 'joins run on the host device', 1 if device_kind($node) ne 'host';
		my %ran = map { $_ => 1 } @ran;
		is_deeply([ grep { !$ran{$_} } @device ], [], "$name: what is to run on the device does");
	}
	return;
}

suite('ssb', 0.02, 13, qw(1.1 1.2 1.3 2.1 2.2 2.3 3.1 3.2 3.3 3.4 4.1 4.2 4.3));
suite('tpch', 0.01, 22, map { "q$_" } 1 .. 22);
# the subquery that depends on the row is an input of the joins, by bounds of its averages and sums
SKIP:
{
	skip 'joins run on the host device', 1 if device_kind($node) ne 'host';
	my %tpch = map { @$_ } questions('tpch.sql');
	my %plan = map { $_ => $node->safe_psql('postgres', "SET gpuagg.debug_require = prefer; EXPLAIN (COSTS OFF) $tpch{$_}") } qw(q13 q17 q20);

	like($plan{q13}, qr/Relation: customer\n +Group Key: COALESCE\(agg2, '0'::bigint\)\n +Look-up Joins: left\n +->  Custom Scan \(GpuAgg\)\n +Relation: orders\n/, 'tpch q13: no group of each customer');
	like($plan{q17}, qr/^Custom Scan \(GpuAgg\)\n  Relation: lineitem\n  Look-up Joins: inner, inner\n/, 'tpch q17 is one node');
	like($plan{q20}, qr/Relation: partsupp\n +Group Key: partsupp.ps_suppkey\n +Look-up Joins: inner, inner\n/, 'tpch q20: IN is one node');
}
my %not = (
	49 => qr/string_agg with DISTINCT is not supported/,
	50 => qr/array_agg with ORDER BY is not supported/,
	74 => qr/DISTINCT ON is not supported/);
suite('reports', 0.003, 110, grep { !$not{$_} } 1 .. 110);
my %report = map { @$_ } questions('reports.sql');
like($node->safe_psql('postgres', "SELECT string_agg(reason, '; ') FROM gpuagg.why_not(\$q\$$report{$_}\$q\$) reason"), $not{$_}, "why not: $_") foreach sort keys %not;
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpuagg.tasks'), '0', 'no task is left');
done_testing();
