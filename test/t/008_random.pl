# Random tables and random queries of them (RandomQuery.pm), with gpuagg off and
# on: the same rows, or an error of the same kind.
#
# GPUAGG_SEED and GPUAGG_QUERIES in the environment try others than the ones of
# every day.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20260101;
my $queries = $ENV{GPUAGG_QUERIES} // 600;
my $per_table = 12;
srand $seed;

# what is kept of a table after its first query is packed
my $node = new_node('random', 'shared_buffers = 64MB', 'gpuagg.debug_pack = on');
regress_functions($node);

# What compare() (setup.sql) said of a query: in a word, and whether that is well
sub outcome
{
	my ($answer) = @_;

	return ('not on the device', 1) if $answer =~ /^ok, not on the device/;
	return ('on the device', 1) if $answer =~ /^ok: /;
	return ('same error', 1) if $answer =~ /^same error/;
	# Where several errors wait, the first depends on the plan (sort or hash).
	return ('another error', 1)
	  if $answer =~ /^DIFFERENT ERRORS: stock: 22\w{3} .* device: 22\w{3} /;
	return ('different', 0);
}

my %outcomes;
my $different = 0;
my $asked = 0;
while ($asked < $queries)
{
	my ($table, $script) = random_table('t');
	my $make = $script;
	my @queries;

	foreach (1 .. $per_table)
	{
		my ($query, $tolerance, $settings) = random_query($table);

		push @queries, "$settings\n$query";
		$script .= sprintf "%s SELECT replace(compare(\$q\$%s\$q\$, 'try'%s), E'\\n', ' ');\n",
		  $settings, $query, $tolerance ? ", $tolerance" : '';
	}
	my ($rc, $out, $err) = $node->psql('postgres',
		"SET client_min_messages = warning;\n$script DROP TABLE t;", on_error_stop => 1);
	my @answers = split /\n/, $out;

	if ($rc != 0 || @answers != @queries)
	{
		fail('every query is answered');
		diag("$make\n$err\nof query " . (@answers + 1) . ": $queries[@answers]");
		last;
	}
	foreach my $n (0 .. $#queries)
	{
		my ($what, $well) = outcome($answers[$n]);

		$outcomes{$what}++;
		next if $well;
		diag("$make$queries[$n]\n  $answers[$n]\n") if $different++ < 10;
	}
	$asked += @queries;
}
cmp_ok($asked, '>=', $queries, 'so many were asked');
is($different, 0, "random queries (seed $seed)");
my ($tasks, $fallbacks) = split /\|/, $node->safe_psql('postgres',
	q{SELECT sum(value) FILTER (WHERE name = 'tasks'), sum(value) FILTER (WHERE name LIKE 'fallbacks%') FROM gpuagg.stat});
note("Summary: seed $seed, $asked queries: ",
	join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes), "; $tasks tasks, $fallbacks fallbacks");
cmp_ok($outcomes{'on the device'} // 0, '>', $asked * 0.6, 'most were planned on the device');
cmp_ok($tasks, '>', $asked * 0.6, 'and ran there');
cmp_ok($fallbacks, '<', $asked / 10, 'few fell back');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
