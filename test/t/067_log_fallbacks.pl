# gpuagg.log_fallbacks: what the server's log tells of queries that PostgreSQL's plan answers,
# at each value of it.  A message that the worker refuses is an error of gpuagg's own: one line
# in the log, a counter, and under assertions the end of the process that sent it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('log_fallbacks', 'autovacuum = off', 'gpuagg.device = host', 'restart_after_crash = on',
	"gpuagg.debug_require = 'prefer'");
$node->safe_psql('postgres', 'CREATE TABLE t AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 20000) i; VACUUM (ANALYZE) t');
my $query = 'SELECT g, sum(id) FROM t GROUP BY g ORDER BY g';
my $value = 'SELECT sum(id / (g - 3)) FROM t';	# an error, in PostgreSQL's words
my $line = qr/LOG:  gpuagg: PostgreSQL's plan answers a query instead of the device: /;
my $assertions = $node->safe_psql('postgres', 'SHOW debug_assertions') eq 'on';

# What the log has of one query
sub logged
{
	my ($settings, $sql) = @_;
	my $from = -s $node->logfile;

	$node->psql('postgres', "$settings; $sql");
	return slurp_file($node->logfile, $from);
}

sub number_of
{
	my ($text, $what) = @_;

	return scalar(() = $text =~ /$what/g);
}

is($node->safe_psql('postgres', 'SHOW gpuagg.log_fallbacks'), 'errors', 'the default');
foreach my $case ([ 'begin', 'device' ], [ 'pages', 'device' ], [ 'finish', 'device' ], [ 'memory-late', 'memory' ])
{
	my ($fault, $reason) = @$case;
	my $log = logged("SET gpuagg.debug_fault = '$fault'", $query);

	like($log, qr/$line$reason\n.*DETAIL:  .*injected.*\n.*STATEMENT:  .*\Q$query\E/, "$fault: with reason, detail and statement");
	is(number_of($log, $line), 1, "$fault: once");
	unlike(logged("SET gpuagg.debug_fault = '$fault'; SET gpuagg.log_fallbacks = off", $query), $line, "$fault: off");
}
unlike(logged('SELECT 1', $query), $line, 'of a query that the device answers nothing is told');
unlike(logged(q{SET gpuagg.log_fallbacks = 'all'}, $query), $line, 'nor if all is told');
unlike(logged('SELECT 1', $value), $line, 'errors: an error of a value is none');
like(logged(q{SET gpuagg.log_fallbacks = 'all'}, $value), qr/${line}value\n.*DETAIL:  division by zero\n/, 'all: it is told, too');
is( number_of(
		logged(
			"SET gpuagg.debug_fault = 'finish'",
			'SELECT k, (SELECT sum(id) FROM t WHERE g > k) FROM generate_series(1, 5) k'),
		$line),
	1, 'a node that runs five times tells of it once');
my $counters = q{SELECT string_agg(name || ' ' || value, ', ' ORDER BY name) FROM gpuagg.stat WHERE name IN ('refused', 'fallbacks_device', 'errors')};
my ($rc, $out, $err) = $node->psql('postgres', 'CREATE ROLE plain; SET ROLE plain; SET gpuagg.log_fallbacks = off');
like($err, qr/permission denied to set parameter "gpuagg.log_fallbacks"/, 'a plain user cannot silence it');

# what the worker refuses
$node->safe_psql('postgres', 'SELECT gpuagg.stat_reset()');
my $refused = qr/LOG:  gpuagg: the device worker refused a message of gpuagg's own: BEGIN message with an illegal setting\n/;
my $log = logged("SET gpuagg.debug_fault = 'refused'; SET gpuagg.log_fallbacks = off", $query);
like($log, qr/$refused(.*HINT: .*\n)?.*STATEMENT:  .*\Q$query\E/, 'a refused message: reason and statement, whatever the setting');
is(number_of($log, $refused), 1, 'once');
if ($assertions)
{
	# a session that is refused meanwhile would end psql, and so its input
	my $until = time + 60;
	sleep 1 while system_log('pg_isready', '-q', '-h', $node->host, '-p', $node->port) != 0 && time < $until;
	ok(time < $until, 'the server is back');
	like(slurp_file($node->logfile), qr/TRAP: /, 'under assertions it ends who sent it');
	wait_ready($node);
}
else
{
	is($node->safe_psql('postgres', $counters), 'errors 0, fallbacks_device 1, refused 1', 'counted, and not as an error of the device');
	unlike(logged("SET gpuagg.debug_fault = 'refused'; SET gpuagg.log_fallbacks = 'all'", $query), $line, 'no second line');
	like($node->safe_psql('postgres', "SET gpuagg.debug_fault = 'refused'; EXPLAIN (ANALYZE, VERBOSE) $query"),
		qr/Fallback Reason: refused\n.*Fallback Detail: BEGIN message with an illegal setting/, 'EXPLAIN says so');
	($rc, $out, $err) = $node->psql('postgres', "SET gpuagg.debug_fault = 'refused'; SET gpuagg.fallback = off; $query");
	like($err, qr/ERROR:  the device worker refused a message of gpuagg's own\nDETAIL:  BEGIN message/, 'and an ERROR without fallback');
	crash_free($node, 'no crash');
}
same_answer($node, $query, 'all goes on');
$node->stop;
done_testing();
