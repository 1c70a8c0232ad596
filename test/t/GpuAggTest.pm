# GpuAggTest.pm
#		What the TAP tests share: servers that preload gpuagg, comparing a
#		query with gpuagg on and off, waiting for the device.
package GpuAggTest;

use strict;
use warnings;

use Exporter 'import';
use File::Basename 'dirname';
use File::Temp;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(new_node initdb_options wait_ready kill_and_recover same_answer counter no_tasks worker_pid device_kind
  rss_kb helpers_blocked build_module start_psql finish_psql ways_to_stop stop_query start_pgbench finish_pgbench wait_task crash_free slow_query slow_table slow_seconds
  fake_cards need_fake_cards fake_does wait_cards regress_functions make_compared start_scripts finish_scripts);

# Of Linux, wherever it runs
my %signal_number = (HUP => 1, INT => 2, USR1 => 10, TERM => 15);

# Some tests change pages in files, which checksums, on by default since 18, would find.
sub initdb_options
{
	my ($node) = @_;

	return ('--locale=C', '--encoding=UTF8',
		$node->pg_version >= 18 ? ('--no-data-checksums') : ());
}

# A started server that preloads gpuagg, with the extension in postgres.
# Further arguments are lines of postgresql.conf.  Instead of a name there may be
# [ name, install_path => another installation of PostgreSQL ].
sub new_node
{
	my ($name, @conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new(ref $name ? @$name : $name);

	$node->init(allows_streaming => 1, extra => [ initdb_options($node) ]);
	$node->append_conf(
		'postgresql.conf',
		join("\n",
			"shared_preload_libraries = 'gpuagg'",
			'gpuagg.autoload = off',	# tests say themselves what is kept, and when
			'gpuagg.learn_costs = off',
			'fsync = off', 'max_connections = 100', @conf)
		  . "\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpuagg');
	wait_ready($node);
	return $node;
}

sub wait_ready
{
	my ($node) = @_;

	return $node->poll_query_until('postgres',
		"SELECT count(*) > 0 FROM gpuagg.devices WHERE state = 'ready'");
}

# Kills a process of the server with SIGKILL and waits until the server has restarted
# all others.  The log tells, not psql: one that is turned away before it reads its
# query breaks the pipe on which the test writes it, and may come before the
# postmaster has seen the death.
sub kill_and_recover
{
	my ($node, $pid) = @_;
	my $log = -s $node->logfile;

	kill 'KILL', $pid;
	$node->wait_for_log(qr/terminated; reinitializing.*ready to accept connections/s, $log);
	return;
}

# The query's rows on the device (it must be used) are those of PostgreSQL.
sub same_answer
{
	my ($node, $query, $name) = @_;
	my $stock =
	  $node->safe_psql('postgres', "SET gpuagg.enable = off; $query");
	my ($rc, $device, $err) = $node->psql('postgres',
		"SET gpuagg.debug_require = 'require'; $query");

	if ($rc != 0)
	{
		diag($err);
		return fail($name);
	}
	return is($device, $stock, $name);
}

sub counter
{
	my ($node, $name) = @_;

	return $node->safe_psql('postgres',
		"SELECT value FROM gpuagg.stat WHERE name = '$name'");
}

# Soon nothing is left on the device.
sub no_tasks
{
	my ($node, $name) = @_;

	return ok(
		$node->poll_query_until(
			'postgres',
			'SELECT (SELECT count(*) FROM gpuagg.tasks) = 0 AND sum(tasks_running) = 0 AND sum(memory_used) = 0 FROM gpuagg.devices'
		),
		$name);
}

sub worker_pid
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		"SELECT pid FROM gpuagg.devices WHERE state = 'ready'");
}

# Which kind of device runs tasks: host or cuda
sub device_kind
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		"SELECT kind FROM gpuagg.devices WHERE state = 'ready'");
}

# Memory of a process that is its own, in kB: not that of shared_buffers.
sub rss_kb
{
	my ($pid) = @_;
	my $status = slurp_file("/proc/$pid/status");

	return $status =~ /^RssAnon:\s+(\d+)/m ? $1 : die "no RssAnon";
}

# Every thread of a process but its main one, of which there is some, leaves HUP,
# INT, TERM and USR1 to that.
sub helpers_blocked
{
	my ($pid, $name) = @_;
	my ($threads, @open) = (0);

	foreach my $path (grep { !m{/$pid$} } glob "/proc/$pid/task/*")
	{
		# it may have ended meanwhile
		open my $file, '<', "$path/status" or next;
		my $status = do { local $/; <$file> };
		next unless defined $status && $status =~ /^SigBlk:\s+([0-9a-f]+)/m;
		my $blocked = hex $1;

		$threads++;
		push @open, map { "$path: $_" }
		  grep { !($blocked >> $signal_number{$_} - 1 & 1) }
		  sort keys %signal_number;
	}
	diag($_) foreach @open;
	return ok($threads > 0 && @open == 0, "$name: signals are the main thread's ($threads others)");
}

# Builds test/lib/NAME.c to a module in a directory; false where there is nothing to do it with.
sub build_module
{
	my ($name, $dir) = @_;
	my $lib = dirname(__FILE__) . '/../lib';
	my ($src) = grep { -f "$_/device/device.h" } "$lib/../../src",
	  map { (defined $_ && m{^(/.*)/build/pg/}) ? "$1/src" : () }
	  ($ENV{PG_BINDIR});
	my ($include) = grep { -f "$_/postgres.h" }
	  map { chomp; $_ }
	  map { `$_ --includedir-server 2>/dev/null` }
	  ('pg_config', '/usr/bin/pg_config',
		glob '/usr/lib/postgresql/*/bin/pg_config');
	my $cc = $ENV{CC} // 'cc';

	$src //= "$ENV{OLDPWD}/src"
	  if defined $ENV{OLDPWD} && -f "$ENV{OLDPWD}/src/device/device.h";
	return 0
	  unless -f "$lib/$name.c" && defined $src && defined $include && system("$cc --version >/dev/null 2>&1") == 0;
	system("$cc -shared -fPIC -O1 -std=gnu11 -Dtypeof_unqual=__typeof_unqual__ -Wall -Werror -I'$include' -I'$src' '$lib/$name.c' -o '$dir/$name.so'") == 0
	  or die "$name.c does not compile";
	return 1;
}

my $fake_conf;

# The provider made of the host device (test/lib/fake_device.c), whose cards do what
# fake_does() says: its line of postgresql.conf, or undef where it cannot be built.  To be
# called before a server starts.
sub fake_cards
{
	my ($dir) = @_;

	return undef unless build_module('fake_device', $dir);
	$fake_conf = $ENV{GPUAGG_FAKE_DEVICE} = "$dir/fake.conf";
	fake_does();
	return "gpuagg.device_provider = '" . ('../' x 20) . substr("$dir/fake_device", 1) . "'";
}

# The same; without them nothing is tested.
sub need_fake_cards
{
	my $fake = fake_cards(@_);

	plan skip_all => 'needs a C compiler, PostgreSQL\'s headers and our sources'
	  unless defined $fake;
	return $fake;
}

# What the cards do from now on, as fake_device.c has it; "word:N" is for card N alone.
sub fake_does
{
	my @lines = @_;

	return unless defined $fake_conf;
	open my $file, '>', "$fake_conf.new" or die $!;
	print $file map { "$_\n" } @lines;
	close $file;
	rename "$fake_conf.new", $fake_conf or die $!;
	return;
}

# So many GPUs are ready.
sub wait_cards
{
	my ($node, $ready) = @_;

	return $node->poll_query_until('postgres',
		"SELECT count(*) = $ready FROM gpuagg.devices WHERE kind = 'cuda' AND state = 'ready'");
}

# A command in the background.  What it reads and says are files, because a pipe
# is only fed and emptied while we pump: who writes much would stand still.
sub start_client
{
	my ($seconds, @command) = @_;
	my %client = (out => File::Temp->new, err => File::Temp->new);

	$client{run} = IPC::Run::start(\@command, '>', $client{out}->filename, '2>', $client{err}->filename,
		IPC::Run::timeout($seconds));
	$client{started} = time;
	return \%client;
}

sub finish_client
{
	my ($client) = @_;

	$client->{ok} = eval { $client->{run}->finish; };
	diag($@) if $@;
	$client->{run}->kill_kill if $@;
	$client->{seconds} = time - $client->{started};
	$client->{stdout} = slurp_file($client->{out}->filename);
	$client->{stderr} = slurp_file($client->{err}->filename);
	chomp $client->{stdout};
	return $client;
}

# A psql that runs a script in the background.
sub start_psql
{
	my ($node, $script) = @_;
	my $file = File::Temp->new;

	print $file $script;
	$file->flush;
	my $psql = start_client($PostgreSQL::Test::Utils::timeout_default,
		'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $file->filename, '-d', $node->connstr('postgres'));
	$psql->{script} = $file;
	return $psql;
}

sub finish_psql { return finish_client(@_); }

# How a query with parallel workers is stopped by pg_cancel_backend and pg_terminate_backend, of one
# of them and of its backend: name, function, which of the pids (the backend's comes first), error
sub ways_to_stop
{
	my ($worker) = @_;

	return (
		[ "$worker is cancelled", 'pg_cancel_backend', 1, qr/canceling statement due to user request/ ],
		[ "$worker is terminated", 'pg_terminate_backend', 1,
			qr/terminating background worker "parallel worker" due to administrator command/ ],
		[ 'the backend is cancelled', 'pg_cancel_backend', 0, qr/canceling statement due to user request/ ],
		[ 'the backend is terminated', 'pg_terminate_backend', 0,
			qr/terminating connection due to administrator command/ ]);
}

# Stops the query of a psql in one of these ways, and waits for its end.
sub stop_query
{
	my ($node, $psql, $way, $name, @pids) = @_;

	$node->safe_psql('postgres', "SELECT $way->[1]($pids[$way->[2]])");
	finish_psql($psql);
	like($psql->{stderr}, $way->[3], $name);
	return;
}

# pgbench in the background, with these options, for SECONDS at most, in the first
# database or, by [ node, database ], in another.  The database is its last argument:
# before 16, -d is for debugging.
sub start_pgbench
{
	my ($where, $seconds, @options) = @_;
	my ($node, $database) = ref $where eq 'ARRAY' ? @$where : ($where, 'postgres');

	return start_client($seconds, 'pgbench', '-n', @options, $node->connstr($database));
}

# ->{transactions}: how many it had
sub finish_pgbench
{
	my $pgbench = finish_client(@_);

	($pgbench->{transactions}) = $pgbench->{stdout} =~ /transactions actually processed: (\d+)/;
	$pgbench->{transactions} //= 0;
	return $pgbench;
}

# The functions that the regression tests have: compare(q), ...
sub regress_functions
{
	my ($node) = @_;
	my $setup = slurp_file(dirname(__FILE__) . '/../../sql/setup.sql');

	$setup =~ s/^CREATE EXTENSION gpuagg;$//m;
	$node->safe_psql('postgres', $setup);
	return;
}

# Functions in the first database: differs(q) has a query's rows as PostgreSQL's plan and as
# the device gives them, in the snapshot of the statement that calls it, and compared(q) warns
# if these are not the same.  @settings: the device's
sub make_compared
{
	my ($node, @settings) = @_;
	my $function = sub {
		my ($name, @with) = @_;

		return "CREATE FUNCTION $name(q text) RETURNS text[] STABLE LANGUAGE plpgsql " . join(' ', map { "SET $_" } @with) . q{ AS $$
	DECLARE
		answer text[];
	BEGIN
		EXECUTE format('SELECT ARRAY(SELECT x::text FROM (%s) x ORDER BY 1)', q) INTO answer;
		RETURN answer;
	END $$;};
	};

	$node->safe_psql('postgres', $function->('stock', 'gpuagg.enable = off') . $function->('device', @settings) . q{
	CREATE FUNCTION differs(q text, OUT stock text[], OUT device text[]) STABLE LANGUAGE plpgsql AS $$
	BEGIN
		IF random() < 0.5 THEN
			stock := stock(q);
			device := device(q);
		ELSE
			device := device(q);
			stock := stock(q);
		END IF;
	END $$;
	CREATE FUNCTION compared(q text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		x record;
	BEGIN
		SELECT * INTO x FROM differs(q);
		IF x.stock IS DISTINCT FROM x.device THEN
			RAISE WARNING 'DIFFERENT: % stock % device %', q, left(x.stock::text, 1500), left(x.device::text, 1500);
		END IF;
	END $$;});
}

# Of scripts of pgbench, by name, so many clients each run one for some seconds; a job is
# [ name, clients, further options of pgbench ].
sub start_scripts
{
	my ($node, $seconds, $scripts, @jobs) = @_;
	my @runs;

	foreach my $job (@jobs)
	{
		my ($name, $clients, @options) = @$job;
		my $file = File::Temp->new;

		print $file $scripts->{$name};
		$file->flush;
		push @runs, start_pgbench($node, $seconds + 120, '-c', $clients, '-T', $seconds, '--max-tries=10000', @options, '-f', $file->filename);
		@{ $runs[-1] }{qw(name script)} = ($name, $file);
	}
	return @runs;
}

# Each did something, lost no session, and warned of no answer.  Returns what all have said
sub finish_scripts
{
	my $said = '';

	foreach my $run (map { finish_pgbench($_) } @_)
	{
		note("$run->{name}: $run->{transactions} transactions");
		cmp_ok($run->{transactions}, '>', 3, "$run->{name} did something");
		unlike($run->{stderr}, qr/aborted|ERROR|PANIC|server closed/, "$run->{name}: no session lost")
		  or diag(substr($run->{stderr}, 0, 8000));
		unlike($run->{stderr}, qr/DIFFERENT|INVARIANT/, "$run->{name}: every answer is PostgreSQL's")
		  or diag(substr($run->{stderr}, 0, 8000));
		$said .= $run->{stderr};
	}
	return $said;
}

# A task is running; gives the backend's pid.
sub wait_task
{
	my ($node) = @_;

	for (1 .. 600)
	{
		my $pid = $node->safe_psql('postgres',
			"SELECT pid FROM gpuagg.tasks WHERE state = 'running' AND pages_done > 0 LIMIT 1"
		);
		return $pid if $pid ne '';
		sleep 0.02;
	}
	die 'no task is running';
}

sub crash_free
{
	my ($node, $name) = @_;
	my $log = slurp_file($node->logfile);

	return unlike($log, qr/was terminated by signal|PANIC:|TRAP: /, $name);
}

# A table whose rows cost much to look at: patterns that nearly match.
sub slow_table
{
	my ($node, $rows) = @_;

	$node->safe_psql(
		'postgres', qq{
		CREATE TABLE slow (id int, g int, t text) WITH (autovacuum_enabled = off);
		ALTER TABLE slow ALTER COLUMN t SET STORAGE PLAIN;
		INSERT INTO slow SELECT i, i % 10, repeat('a', 2500) FROM generate_series(1, $rows) i;
		VACUUM ANALYZE slow;});
	return;
}

# Takes seconds on slow_table's table, however many cores share the work; on a
# GPU with patterns as long as that takes.
sub slow_query
{
	my ($filters, $node) = @_;
	my $cores = () = slurp_file('/proc/cpuinfo') =~ /^processor/mg;

	return slow_filters(slow_limit($filters * $cores / 2), 15)
	  if device_kind($node) eq 'host';
	my $query;
	foreach my $size ([ 4, 15 ], [ 15, 15 ], [ 60, 15 ], [ 60, 50 ], [ 60, 150 ], [ 60, 450 ])
	{
		$query = slow_filters(@$size);
		# twice, so that it is not another process that makes it slow
		last if slow_seconds($node, $query) > 2 && slow_seconds($node, $query) > 2;
	}
	return $query;
}

# How long a query takes on the device
sub slow_seconds
{
	my ($node, $query) = @_;
	my $begin = time;

	$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; $query");
	return sprintf '%.1f', time - $begin;
}

sub slow_limit
{
	my ($filters) = @_;

	return $filters < 2 ? 2 : $filters > 60 ? 60 : $filters;
}

sub slow_filters
{
	my ($filters, $length) = @_;
	my $a = 'a' x $length;
	my $aggs = join ', ',
	  map { "count(*) FILTER (WHERE t LIKE '%${a}b$_%')" } (1 .. $filters);

	return "SELECT g, $aggs FROM slow GROUP BY g ORDER BY g";
}

1;
