# SQLsmith's queries of random tables and of views of groupings and samples of
# them (RandomQuery.pm), the device preferred: no crash, no internal error that
# PostgreSQL alone does not have, nothing left behind.
#
# Runs for GPUAGG_SMITH_SECONDS, which "make check-sqlsmith" sets.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery;
use Test::More;

my $seconds = $ENV{GPUAGG_SMITH_SECONDS};
my $seed = $ENV{GPUAGG_SEED} // 20260103;

plan skip_all => 'GPUAGG_SMITH_SECONDS is not set' unless $seconds;
srand $seed;

# The log tells errors by SQLSTATE and place.
my $node = new_node('smith', 'shared_buffers = 64MB', 'log_error_verbosity = verbose', 'log_statement = none');
regress_functions($node);

# A view that raises an error is of no use to queries of it.
sub view
{
	my ($name, $query) = @_;

	return qq{
		CREATE VIEW $name AS $query;
		DO \$do\$ BEGIN PERFORM * FROM $name; EXCEPTION WHEN OTHERS THEN DROP VIEW $name; END \$do\$;};
}
foreach my $t (1 .. 10)
{
	my ($table, $script) = random_table("t$t");

	$script .= view("v${t}_$_", (random_query($table))[0]) foreach 1 .. 6;
	$node->safe_psql('postgres', $script);
}
# Not a superuser: SQLsmith calls any function.
$node->safe_psql(
	'postgres', q{
	CREATE ROLE smith LOGIN;
	GRANT USAGE ON SCHEMA gpuagg TO smith;
	GRANT ALL ON ALL TABLES IN SCHEMA public TO smith;
	ALTER ROLE smith SET gpuagg.debug_require = 'prefer';
	ALTER ROLE smith SET cpu_tuple_cost = 10;
	ALTER ROLE smith SET cpu_operator_cost = 100;
	ALTER ROLE smith SET statement_timeout = '2s';
	SELECT gpuagg.stat_reset() \gset
});

my ($out, $err) = ('', '');
my $smith = IPC::Run::start(
	[
		'timeout', $seconds, 'sqlsmith', '--target=' . $node->connstr('postgres') . ' user=smith',
		"--seed=$seed", '--exclude-catalog'
	],
	'>', \$out, '2>', \$err);
$smith->finish;
is($smith->full_result(0) >> 8, 124, 'SQLsmith ran to the end') || diag("$out\n$err");

# Internal errors, with their statements
my $log = slurp_file($node->logfile);
my %internal = reverse $log =~ /ERROR:  (XX\d{3}: .*\n(?:(?!.*STATEMENT: ).*\n)*).*STATEMENT:  (.*\n(?:\t.*\n)*)/g;
foreach my $statement (sort keys %internal)
{
	my (undef, undef, $stock) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET gpuagg.enable = off; SET statement_timeout = '10s'; BEGIN; $statement");

	delete $internal{$statement} if $stock =~ /ERROR:  XX/;
}
is(keys %internal, 0, 'no internal error of the device alone');
diag("$_\n$internal{$_}") foreach sort keys %internal;
unlike($log, qr/WARNING:  .*(?:leak|still|not closed)/, 'nothing left open');
my $errors = () = $log =~ /ERROR:  \w{5}: /g;
my $tasks = counter($node, 'tasks');
note("Summary: seed $seed, $tasks tasks on the device; $errors errors of queries");
cmp_ok(20 * $tasks, '>', $errors, 'many ran on the device');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
