# Pages that are not all-visible where isolationtester cannot go: snapshots that other sessions
# take over, a standby, crashes that lose commits, prepared transactions over restarts, hint bits
# that move LSNs, pages that were never logged, transaction numbers that wrap around, WAL that is
# not to be had any more, files that are copied.
#
# GPUAGG_LIVE_CASES: names of some of the cases.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use LiveScripts;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# of the same columns, so that each may use what another has left
my @queries = ('SELECT g, count(*), sum(v), max(id) FROM t GROUP BY g', 'SELECT count(*), min(v), max(v), max(id), max(g) FROM t WHERE v > 700', 'SELECT count(*) FROM t');
my $rows = 'SELECT i AS id, i % 4 AS g, i::int8 AS v FROM generate_series(1, 3000) i';
my $digest = "SELECT string_agg(live_answer(q), ' ') FROM unnest(ARRAY['" . join("','", @queries) . "']) q";
my $update = 'UPDATE t SET v = v + 1000000 WHERE id % 500 = 3';
my $delete = 'DELETE FROM t WHERE id % 700 = 9';
my $insert = 'INSERT INTO t VALUES (9001, 3, 1000000000)';

# 90 subtransactions, of which each third is undone
my $many = q{DO $$ BEGIN FOR i IN 1 .. 90 LOOP BEGIN UPDATE t SET v = v + 5000000 WHERE id = i * 20; IF i % 3 = 0 THEN RAISE EXCEPTION 'undone'; END IF; EXCEPTION WHEN raise_exception THEN NULL; END; END LOOP; END $$};

# A server with functions and table t
sub live_node
{
	my ($name, @conf) = @_;
	my $node = new_node($name, 'shared_buffers = 32MB', 'autovacuum = off', 'max_prepared_transactions = 5', 'restart_after_crash = on',
		'wal_log_hints = off', @conf);

	live_functions($node, 'require');
	$node->safe_psql('postgres', 'CREATE TABLE other (i int)');
	make_t($node);
	return $node;
}

sub make_t
{
	my ($node) = @_;

	$node->safe_psql('postgres', "CREATE TABLE t WITH (vacuum_truncate = off) AS $rows");
	$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) t');
	return;
}

# What a session sees by the device and by PostgreSQL, three times, so that the device may use
# what the first reading left; a digest of it.
sub sees
{
	my ($who, $name) = @_;
	my $thrice = join '; ', ($digest) x 3;
	my @seen = split /\n/, $who->isa('PostgreSQL::Test::Cluster') ? $who->safe_psql('postgres', $thrice) : $who->query_safe($thrice);

	unlike("@seen", qr/DIFFERENT/, "$name: the device answers as PostgreSQL");
	is("$seen[1] $seen[2]", "$seen[0] $seen[0]", "$name: and again");
	return $seen[0];
}

# The same as it was, or not
sub still { my ($who, $was, $name) = @_; is(sees($who, $name), $was, "$name: as before"); return $was; }
sub anew { my ($who, $was, $name) = @_; my $is = sees($who, $name); isnt($is, $was, "$name: changed"); return $is; }

sub session
{
	my ($node, @statements) = @_;
	my $session = $node->background_psql('postgres');

	$session->query_safe($_) foreach @statements;
	return $session;
}

sub finish
{
	my ($session, @statements) = @_;

	$session->query_safe($_) foreach @statements;
	return $session->quit;
}

sub does { my ($node, @statements) = @_; $node->safe_psql('postgres', $_) foreach @statements; return; }

sub finished
{
	my (@nodes) = @_;

	foreach my $node (@nodes)
	{
		cmp_ok(counter($node, 'tasks'), '>', 8, $node->name . ': the device ran');
		# but for those that lost_commits kills
		unlike(slurp_file($node->logfile), qr/was terminated by signal (?!9:)|PANIC:|TRAP: /, $node->name . ': no crash');
		$node->stop;
	}
	return;
}

# A snapshot goes from session to session while others leave what they see.
sub exported_snapshots
{
	my ($node) = @_;
	my $writer = session($node, 'BEGIN', $update);
	my $give = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $snapshot = $give->query_safe('SELECT pg_export_snapshot()');
	my $first = sees($node, 'a writer in progress');

	finish($writer, 'COMMIT');
	my $second = anew($node, $first, 'its commit, seen by a new snapshot');
	my $take = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '$snapshot'");
	still($take, $first, 'an exported snapshot of before');
	still($give, $first, 'the session that has exported it');
	does($node, $delete, $insert);
	anew($node, $second, 'more changes');
	still($take, $first, 'the exported snapshot');
	# the device may be handed pages by parallel workers, which take over the snapshot, too
	$take->query_safe('SET gpuagg.debug_feeders = 2');
	still($take, $first, 'the exported snapshot, in parallel workers');
	finish($_, 'COMMIT') foreach $take, $give;
	return;
}

# Pages that a query reads from the table
sub pages_read
{
	my ($session) = @_;
	my $plan = $session->query_safe("EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $queries[0]");

	return $plan =~ /^ +Pages: (\d+)$/m ? $1 : die $plan;
}

# Who runs for long, or is prepared, has nobody else read again what others change meanwhile.
sub long_writers
{
	my ($node) = @_;
	my $query = session($node, "SET gpuagg.debug_require = 'require'");
	my $keeps = session($node, "SET gpuagg.debug_require = 'require'", 'BEGIN ISOLATION LEVEL REPEATABLE READ');

	sees($node, 'at rest');
	pages_read($keeps);
	# since 18 CREATE TABLE AS leaves empty pages behind, which are looked at again
	my $empty = pages_read($query);
	foreach my $prepared (0, 1)
	{
		my $name = $prepared ? 'beside a prepared transaction' : 'beside a long transaction';
		my $long = session($node, 'BEGIN', 'INSERT INTO other VALUES (1)', $prepared ? "PREPARE TRANSACTION 'long'" : ());

		does($node, $update);
		cmp_ok(pages_read($query), '>', $empty, "$name: what has changed is read");
		is(pages_read($query), $empty, "$name: once");
		cmp_ok(pages_read($keeps), '>', $empty, "$name: an older snapshot reads what it sees otherwise");
		is(pages_read($query), $empty, "$name: and leaves the others what they have");
		sees($node, $name);
		does($node, q(ROLLBACK PREPARED 'long')) if $prepared;
		finish($long, $prepared ? () : 'COMMIT');
	}
	finish($query);
	finish($keeps, 'COMMIT');
	return;
}

# Until somebody who makes a slot waits for a transaction that runs
sub slot_waits
{
	my ($node, $for) = @_;

	return $node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_locks w JOIN pg_locks h USING (transactionid)
		WHERE NOT w.granted AND h.granted AND h.pid = (SELECT pid FROM pg_stat_activity WHERE application_name = '$for'))");
}

# What logical decoding makes of WAL lists a transaction that has rolled back as one that runs, and
# ends before what has been committed since: it cannot be compared with others.
sub slot_snapshots
{
	my ($case) = @_;
	my $node = live_node('slot', 'wal_level = logical', 'max_replication_slots = 2', 'max_wal_senders = 2');
	my ($in, $out, $err) = ("CREATE_REPLICATION_SLOT live TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT;\n", '', '');
	my $first = session($node, "SET application_name = 'first'", 'BEGIN', 'SELECT pg_current_xact_id()');
	my $walsender = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') . ' replication=database' ], '<', \$in, '>', \$out, '2>', \$err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));

	$walsender->pump_nb;
	ok(slot_waits($node, 'first'), 'a slot waits for the first transaction');
	my $second = session($node, "SET application_name = 'second'", 'BEGIN', $insert);
	does($node, 'BEGIN; SELECT pg_current_xact_id(); ROLLBACK');
	finish($first, 'COMMIT');
	ok(slot_waits($node, 'second'), 'a slot waits for the second transaction');
	my $before = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $was = sees($before, 'a snapshot of before');
	# without it nothing would run, and the slot begin anew
	my $third = session($node, 'BEGIN', 'SELECT pg_current_xact_id()');
	finish($second, 'COMMIT');
	$walsender->pump until $out =~ /\|([0-9A-F-]+)\|pgoutput/;
	my $import = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '$1'");
	anew($import, $was, "a slot's snapshot");
	still($before, $was, 'the snapshot of before');
	does($node, $update);
	sees($node, 'more changes');
	anew($import, $was, "a slot's snapshot, after them");
	still($before, $was, 'the snapshot of before, after them');
	finish($_, 'COMMIT') foreach $before, $import, $third;
	$in .= "\\q\n";
	$walsender->finish;
	finished($node);
	return;
}

# A transaction that ends says so to a standby by a record that names no page.
sub on_standby
{
	my ($node) = @_;

	$node->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('cases_standby');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\n");
	$standby->start;
	wait_ready($standby);
	my $replayed = sub { $node->safe_psql('postgres', 'SELECT txid_current()'); $node->wait_for_catchup($standby, 'replay', $node->lsn('insert')); };
	my $was = sees($standby, 'standby');

	foreach my $case ([ 'updated', $update ], [ 'with subtransactions', $many ], [ 'with an undone part', 'SAVEPOINT a', $update, 'ROLLBACK TO a', $delete ])
	{
		my ($name, @statements) = @$case;

		foreach my $end ('ROLLBACK', 'COMMIT')
		{
			my $writer = session($node, 'BEGIN', @statements);
			&$replayed();
			still($standby, $was, "standby: $name, in progress");
			my $old = session($standby, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
			finish($writer, $end);
			&$replayed();
			my $is = $end eq 'COMMIT' ? anew($standby, $was, "standby: $name, committed") : still($standby, $was, "standby: $name, undone");
			still($old, $was, "standby: $name, a snapshot of before");
			finish($old, 'COMMIT');
			$was = $is;
			is(sees($node, "primary: $name"), $was, "$name: the primary and its standby agree");
		}
	}
	# a standby that begins while a transaction with many subtransactions is in progress, another prepared
	my $writer = session($node, 'BEGIN', $many);
	does($node, "BEGIN; $insert; PREPARE TRANSACTION 'held'");
	&$replayed();
	$standby->restart;
	wait_ready($standby);
	still($standby, $was, 'standby, restarted');
	finish($writer, 'COMMIT');
	&$replayed();
	$was = anew($standby, $was, 'standby, restarted: committed');
	does($node, "COMMIT PREPARED 'held'");
	&$replayed();
	$was = anew($standby, $was, 'standby, restarted: prepared and committed');
	$standby->promote;
	still($standby, $was, 'standby, promoted');
	does($standby, $update);
	anew($standby, $was, 'standby, promoted, and changed');
	finished($standby);
	return;
}

# Commits that were not yet written are seen, and gone after a crash; others take their LSNs.
sub lost_commits
{
	my ($node) = @_;

	foreach my $round (1 .. 3)
	{
		my $was = sees($node, "before crash $round");
		does($node, 'CHECKPOINT') if $round == 2;
		my $writer = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
		kill 'STOP', $writer;
		does($node, "SET synchronous_commit = off; UPDATE t SET v = v + $round WHERE id = 77");
		anew($node, $was, "an asynchronous commit, $round");
		kill_and_recover($node, $writer);
		wait_ready($node);
		still($node, $was, "lost by crash $round");
		does($node, "UPDATE t SET v = v + 10 * $round WHERE id = 77");
		anew($node, $was, "another in its place, $round");
	}
	return;
}

sub prepared_over_restarts
{
	my ($node) = @_;
	my $was = sees($node, 'nothing prepared');

	foreach my $end ('ROLLBACK', 'COMMIT')
	{
		does($node, "BEGIN; $update; SAVEPOINT a; $delete; ROLLBACK TO a; $insert; PREPARE TRANSACTION 'one'", "BEGIN; $many; PREPARE TRANSACTION 'two'") if $end eq 'COMMIT';
		does($node, "BEGIN; UPDATE t SET v = v + 2 WHERE id % 600 = 1; PREPARE TRANSACTION 'one'", "BEGIN; $delete; PREPARE TRANSACTION 'two'") if $end eq 'ROLLBACK';
		still($node, $was, 'prepared');
		foreach my $mode ('fast', 'immediate')
		{
			$node->stop($mode);
			$node->start;
			wait_ready($node);
			still($node, $was, "prepared, restarted after a stop that is $mode");
		}
		my $old = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
		foreach my $name ('one', 'two')
		{
			does($node, "$end PREPARED '$name'");
			$was = $end eq 'COMMIT' ? anew($node, $was, "committed $name") : still($node, $was, "undone $name");
		}
		sees($old, 'a snapshot of before');
		finish($old, 'COMMIT');
	}
	return;
}

# With checksums the first hint bit after a checkpoint is logged, and moves the page's LSN.
sub checksums
{
	my ($node) = @_;

	$node->stop;
	command_ok([ 'pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir ], 'checksums');
	$node->start;
	wait_ready($node);
	my $was = sees($node, 'checksums');
	foreach my $round (1 .. 4)
	{
		my $writer = session($node, 'BEGIN', 'UPDATE t SET v = v + 3 WHERE id % 400 = 7');
		does($node, 'CHECKPOINT');
		still($node, $was, "in progress, $round");
		my $old = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
		finish($writer, $round % 2 ? 'COMMIT' : 'ROLLBACK');
		does($node, 'CHECKPOINT') if $round < 3;
		still($old, $was, "a snapshot of before, which sees hints set, $round");
		my $is = $round % 2 ? anew($node, $was, "committed, $round") : still($node, $was, "undone, $round");
		still($old, $was, "the snapshot of before again, $round");
		finish($old, 'COMMIT');
		does($node, 'CHECKPOINT');
		$was = still($node, $is, "later, $round");
	}
	is($node->safe_psql('postgres', 'SELECT sum(checksum_failures) FROM pg_stat_database'), 0, 'no checksum failed');
	return;
}

# What the transaction that makes a file writes to it has no LSN, whether it is undone or not.
sub never_logged
{
	my ($node) = @_;

	does($node, 'ALTER SYSTEM SET wal_level = minimal', 'ALTER SYSTEM SET max_wal_senders = 0', 'ALTER SYSTEM SET wal_skip_threshold = 0');
	$node->restart;
	wait_ready($node);
	does($node, 'DROP TABLE t', 'CREATE TABLE empty ()');
	my ($old, $was, $nothing);
	foreach my $also ('', "SAVEPOINT a; $update; $delete; ROLLBACK TO a; DELETE FROM t WHERE id < 5; $insert;")
	{
		finish($old, 'COMMIT') if defined $old;
		$old = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM empty');
		does($node, "BEGIN; DROP TABLE IF EXISTS t; CREATE TABLE t AS $rows; $also COMMIT");
		$was = sees($node, "made by one transaction $also");
		like($old->query_safe('SELECT count(*) FROM t'), qr/^0$/, 'a snapshot of before has none of its rows');
		$nothing = sees($old, 'that snapshot');
		still($node, $was, 'a new one beside it');
	}
	my $writer = session($node, 'BEGIN', $update);
	still($node, $was, 'a change in progress');
	finish($writer, 'COMMIT');
	$was = anew($node, $was, 'committed');
	still($old, $nothing, 'the snapshot of before');
	finish($old, 'COMMIT');
	does($node, "BEGIN; TRUNCATE t; INSERT INTO t $rows; SAVEPOINT a; TRUNCATE t; ROLLBACK TO a; $delete; ROLLBACK");
	still($node, $was, 'truncated, undone');
	does($node, "BEGIN; TRUNCATE t; INSERT INTO t $rows; SAVEPOINT a; $delete; ROLLBACK TO a; COMMIT");
	$was = anew($node, $was, 'truncated');
	foreach my $change ("BEGIN; $delete; ROLLBACK", 'VACUUM t', "BEGIN; $insert; ROLLBACK", 'VACUUM (FREEZE) t')
	{
		does($node, $change);
		still($node, $was, $change);
	}
	foreach my $change ($delete, $insert, $update)
	{
		does($node, $change);
		$was = anew($node, $was, $change);
	}
	$node->restart;
	wait_ready($node);
	still($node, $was, 'restarted');
	return;
}

# What a query's plan says of pages whose LSNs it compares
sub compares
{
	my ($node) = @_;
	my $plan = $node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $queries[0]");

	return $plan =~ /LSNs Compared: [1-9]/ ? 1 : 0;
}

# Who holds what is kept against the pages finds out what an LSN that is believed too much would
# hide: rows that came or went, and another row in the line of one that has gone.
sub compared
{
	my ($node) = @_;

  SKIP:
	{
		skip 'only the host device compares', 1 if device_kind($node) ne 'host';
		does($node, 'CREATE TABLE c (id int, v int, s text) WITH (vacuum_truncate = off)', q{INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b')});
		my $set = q{SET gpuagg.debug_require = 'require'};
		my $ask = 'SELECT count(*), sum(v), max(s COLLATE "C") FROM c';
		my @again = ('DELETE FROM c WHERE id = 2', 'VACUUM c');

		foreach my $case (
			[ 'a row is not kept', 'INSERT INTO c VALUES (3, 3, NULL)' ],
			[ 'a row is kept that is not there', 'DELETE FROM c WHERE id = 3' ],
			[ 'a value differs', @again, q{INSERT INTO c VALUES (2, 5, 'b')} ],
			[ 'a NULL is kept as a value', @again, q{INSERT INTO c VALUES (2, NULL, 'b')} ],
			[ 'a value is kept as NULL', @again, q{INSERT INTO c VALUES (2, 6, 'b')} ],
			[ 'a string differs', @again, q{INSERT INTO c VALUES (2, 6, 'c')} ])
		{
			my ($found, @changes) = @$case;

			does($node, "$set; $ask", @changes);
			my (undef, undef, $said) = $node->psql('postgres', "$set; SET gpuagg.debug_fault = 'lsns'; SET gpuagg.debug_compare = on; $ask");
			like($said, qr/a kept page is not what the table has\nDETAIL:  block 0: \Q$found\E/, "compared: $found");
			does($node, "$set; SET gpuagg.debug_compare = on; $ask");
		}
		does($node, 'DROP TABLE c');
	}
	return;
}

# More WAL than anybody wants to read lies between two queries; or it has gone meanwhile.
sub wal_gaps
{
	my ($node) = @_;
	my $switch = 'SELECT pg_switch_wal()';
	my $was;

	does($node, $update);
	$was = sees($node, 'not vacuumed');
	is(compares($node), 0, 'the WAL tells what has changed');
	foreach my $change ($delete, $insert)
	{
		# the worker must not read on meanwhile
		my $worker = worker_pid($node);
		kill 'STOP', $worker;
		does($node, ('INSERT INTO other VALUES (1)', $switch) x 3, $change, ('INSERT INTO other VALUES (2)', $switch) x 3);
		kill 'CONT', $worker;
		$was = anew($node, $was, "much WAL around: $change");
		is(compares($node), 0, 'what was compared once is known again');
	}
	does($node, 'ALTER SYSTEM SET wal_recycle = off', q(ALTER SYSTEM SET max_wal_size = '32MB'), q(ALTER SYSTEM SET min_wal_size = '32MB'), 'SELECT pg_reload_conf()');
	foreach my $change ($delete, $update)
	{
		my $worker = worker_pid($node);
		kill 'STOP', $worker;
		does($node, $switch, $insert, $change, $switch, 'CHECKPOINT', $switch, 'INSERT INTO other VALUES (3)', $switch, 'CHECKPOINT');
		kill 'CONT', $worker;
		$was = anew($node, $was, "WAL that has gone: $change");
	}
	does($node, 'ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()');
	return;
}

# What is unloaded while a task waits for its turn is kept for that task, but nobody notes any
# more what changes it.
sub unloaded_while_queued
{
	my ($node) = @_;
	my $require = "SET gpuagg.debug_require = 'require';";

	does($node, 'ALTER SYSTEM SET gpuagg.running_tasks = 1', 'SELECT pg_reload_conf()', 'INSERT INTO other VALUES (1)');
	sees($node, 'kept');
	my $lock = session($node, 'SELECT pg_advisory_lock(71)');
	my $first = start_psql($node, "$require SET gpuagg.debug_wait = 71; SELECT count(*) FROM other");
	ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), 'a task holds the only place');
	does($node, $update, $delete);
	my $second = start_psql($node, "$require $queries[0] ORDER BY g");
	ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.tasks WHERE state = 'queued'"), 'another waits for it');
	does($node, q(SELECT gpuagg.unload('t')));
	finish($lock, 'SELECT pg_advisory_unlock(71)');
	finish_psql($first);
	is(finish_psql($second)->{stdout}, $node->safe_psql('postgres', "SET gpuagg.enable = off; $queries[0] ORDER BY g"), 'the task that waited sees what has changed');
	does($node, 'ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()');
	return;
}

# A database's files go to another tablespace, change there, and come back by the same names.
sub moved_files
{
	my ($node) = @_;

	does($node, "SET allow_in_place_tablespaces = on; CREATE TABLESPACE aside LOCATION ''");
	foreach my $round (1, 2)
	{
		my $name = "moved, $round";
		my $in = sub { my $session = $node->background_psql($name); my $seen = sees($session, $name); $session->quit; return $seen; };

		does($node, qq(CREATE DATABASE "$name" TEMPLATE postgres STRATEGY = file_copy));
		$node->safe_psql($name, $round == 1 ? "$delete; VACUUM FULL t" : 'VACUUM t');
		my $was = &$in();
		$node->safe_psql('postgres', qq(ALTER DATABASE "$name" SET TABLESPACE aside));
		is(&$in(), $was, "$name: elsewhere");
		$node->safe_psql($name, $update);
		my $is = &$in();
		isnt($is, $was, "$name: changed there");
		$node->safe_psql('postgres', qq(ALTER DATABASE "$name" SET TABLESPACE pg_default));
		is(&$in(), $is, "$name: and back");
		$node->safe_psql('postgres', qq(DROP DATABASE "$name"));
	}
	does($node, 'DROP TABLESPACE aside');
	return;
}

# The next transaction has this number: what is older is frozen, so that nothing is lost.
sub next_xid
{
	my ($node, $xid) = @_;
	my $segment = sprintf '%s/pg_xact/%04X', $node->data_dir, $xid >> 20;

	does($node, 'UPDATE pg_database SET datallowconn = true');
	$node->safe_psql($_, 'VACUUM (FREEZE)') foreach qw(postgres template0 template1);
	my $oldest = $node->safe_psql('postgres', 'SELECT min(datfrozenxid::text::int8) FROM pg_database');
	$node->stop;
	append_to_file($segment, "\0" x 262144) unless -f $segment;
	command_ok([ 'pg_resetwal', '-x', $xid, '-u', $oldest, '-D', $node->data_dir ], "the next transaction is $xid");
	$node->start;
	return wait_ready($node);
}

sub wraparound
{
	my ($node) = @_;
	my $xid = 'SELECT pg_current_xact_id()::text::int8 % 4294967296';

	# by less than half of all numbers at a time, and nobody vacuums for their age
	does($node, 'ALTER SYSTEM SET autovacuum_freeze_max_age = 2000000000');
	next_xid($node, $_) foreach 1_500_000_000, 3_000_000_000, 4_294_967_296 - 150;
	my $was = sees($node, 'below the end');
	my $old = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
	does($node, $update);
	my $is = anew($node, $was, 'a change below the end');
	my $open = session($node, 'BEGIN', 'UPDATE t SET v = v + 7 WHERE id = 1111');
	does($node, "BEGIN; $insert; PREPARE TRANSACTION 'below'");
	my $middle = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
	still($middle, $is, 'between');
	cmp_ok($node->safe_psql('postgres', $xid), '>', 4_294_967_000, 'not yet around');
	# its subtransactions go around
	my $around = session($node, 'BEGIN', $many, $many);
	cmp_ok($node->safe_psql('postgres', $xid), '<', 1000, 'around');
	foreach my $pass (1, 2)
	{
		still($old, $was, 'the oldest snapshot, around');
		still($middle, $is, 'the middle one, around');
		still($node, $is, 'a new one, around');
	}
	my $now = $is;
	foreach my $end (sub { finish($around, 'COMMIT') }, sub { finish($open, 'COMMIT') }, sub { does($node, "COMMIT PREPARED 'below'") }, sub { does($node, $delete) })
	{
		&$end();
		$now = anew($node, $now, 'changes come');
		still($old, $was, 'the oldest snapshot');
		still($middle, $is, 'the middle one');
	}
	does($node, 'VACUUM t');
	still($old, $was, 'the oldest snapshot, after VACUUM');
	finish($_, 'COMMIT') foreach $old, $middle;
	foreach my $vacuum ('VACUUM t', 'VACUUM (FREEZE) t')
	{
		does($node, $vacuum);
		still($node, $now, $vacuum);
	}
	does($node, 'UPDATE t SET v = v + 9 WHERE id = 1234');
	anew($node, $now, 'and on');
	return;
}

# Rewritten tables have other files, whose pages nobody marks all-visible: they are kept by their
# LSNs.  REPACK, since 19, takes changes that come meanwhile over by decoding the WAL.
sub rewritten
{
	my ($node) = @_;
	my @rewrites = ('VACUUM FULL t', 'CLUSTER t USING t_pkey', $node->pg_version >= 19 ? ('REPACK t', 'REPACK (CONCURRENTLY) t USING INDEX t_pkey') : ());

	does($node, 'ALTER TABLE t ADD PRIMARY KEY (id)', $update, $delete);
	my $was = sees($node, 'before');
	my $old = session($node, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
	foreach my $rewrite (@rewrites)
	{
		my $writer = $rewrite =~ /CONCURRENTLY/ ? session($node, "SET statement_timeout = '60s'") : undef;

		does($node, $rewrite);
		still($node, $was, $rewrite);
		is($node->safe_psql('postgres', "SELECT bool_and(pages_valid = pages_total) FROM gpuagg.cache WHERE table_name = 't'"), 't', "$rewrite: all pages are kept");
		finish($writer, 'UPDATE t SET v = v + 1 WHERE id = 77', 'UPDATE t SET v = v - 1 WHERE id = 77') if defined $writer;
		still($node, $was, "$rewrite: and changed");
	}
	finish($old, 'COMMIT');
	does($node, $insert);
	anew($node, $was, 'and on');
	return;
}

my %cases = (
	long => \&long_writers, exported => \&exported_snapshots, slot => \&slot_snapshots, standby => \&on_standby, lost => \&lost_commits, prepared => \&prepared_over_restarts,
	checksums => \&checksums, compared => \&compared, gaps => \&wal_gaps, unloaded => \&unloaded_while_queued, moved => \&moved_files, rewritten => \&rewritten, minimal => \&never_logged, wraparound => \&wraparound);
# One server has them one after the other, each with a table of its own.
my @names = qw(long exported slot standby lost prepared compared gaps unloaded moved rewritten checksums minimal wraparound);
my $node = live_node('cases');
foreach my $name (defined $ENV{GPUAGG_LIVE_CASES} ? split ' ', $ENV{GPUAGG_LIVE_CASES} : @names)
{
	does($node, 'DROP TABLE IF EXISTS t');
	make_t($node);
	$cases{$name}->($node);
}
finished($node);
done_testing();
