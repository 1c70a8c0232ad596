# FuzzRun.pm
#		Ways to run a query, and what is said of the answers that it gives on
#		a device and without.  srand() decides all of it.
package FuzzRun;

use strict;
use warnings;

use Exporter 'import';
use List::Util 'shuffle';
use FuzzShapes;
use RandomQuery qw(pick chance);

our @EXPORT = qw(random_case snapshot_case random_change random_writes case_script parse_output judge case_sql client_options);

# ---------- settings ----------

# psql's options, and the settings that RESET ALL leaves
sub client_options
{
	return ('-XAtq', '-F', "\x1f", '-R', "\x1e", '-P', 'null=<null>', '-P', 'footer=off');
}

# What both runs are under
sub common_settings
{
	return map { "SET $_;" } grep { $_ } (
		chance(0.1) && 'DateStyle = ' . pick('German', 'SQL, DMY', 'Postgres'),
		chance(0.1) && 'IntervalStyle = ' . pick('iso_8601', 'sql_standard', 'postgres_verbose'),
		chance(0.05) && 'bytea_output = escape',
		chance(0.1) && 'default_transaction_isolation = ' . pick("'serializable'", "'repeatable read'"));
}

# How a device is made to run: as often as it can, in all its ways
sub device_settings
{
	my @settings = ("gpuagg.debug_require = 'prefer'");

	push @settings, 'cpu_tuple_cost = 10', 'cpu_operator_cost = 100' if chance(0.7);
	push @settings, 'gpuagg.debug_feeders = ' . pick(0, 1, 2) if chance(0.15);
	push @settings, 'gpuagg.debug_regroup = off' if chance(0.2);
	push @settings, 'gpuagg.lookup_memory = ' . pick(0, 1) if chance(0.08);
	push @settings, "work_mem = '64kB'", 'hash_mem_multiplier = 1' if chance(0.15);
	push @settings, pick(qw(enable_hashagg enable_sort enable_hashjoin enable_nestloop enable_mergejoin enable_material enable_seqscan)) . ' = off'
	  if chance(0.2);
	push @settings, 'enable_partitionwise_aggregate = on', 'enable_partitionwise_join = on' if chance(0.2);
	push @settings, 'jit = ' . (chance(0.05) ? 'on' : 'off'), 'jit_above_cost = 0';
	push @settings, chance(0.2)
	  ? ('parallel_setup_cost = 500', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 2')
	  : 'max_parallel_workers_per_gather = 0';
	push @settings, "gpuagg.debug_fault = '" . pick(qw(begin pages rows finish results memory memory-late kernel)) . "'", 'gpuagg.debug_fault_pass = ' . pick(0, 1, 2)
	  if chance(0.12);
	return map { "SET $_;" } @settings;
}

# ---------- cases ----------

# Constants of a query as parameters; their types, their values
sub with_parameters
{
	my ($query) = @_;
	my %seen = map { $_ => 1 } $query =~ /(?<![\w.'])((?:-?[\d.]+|'[^'\n]*'|NULL)::(?:int2|int4|int8|float8|float4|text|date|timestamp|timestamptz|time|interval|bool|uuid|numeric|money|inet|char\(6\)|random_mood))(?![\w(\[])/g;
	my @constants = (shuffle sort keys %seen)[ 0 .. 3 ];
	my (@types, @values);

	foreach my $constant (grep { defined } @constants)
	{
		my ($type) = $constant =~ /.*::(.*)/;
		my $n = @types + 1;

		$query =~ s/(?<![\w.'])\Q$constant\E(?![\w(\[])/(\$$n)/g;
		push @types, $type;
		push @values, $constant;
	}
	return ($query, \@types, \@values);
}

# What goes before and after each of both runs
sub both
{
	my ($before, $after) = @_;

	return (before => $before, stock_before => $before, after => $after, stock_after => $after);
}

my %forms = (
	plain => sub { return { device => [ $_[0] ] }; },
	again => sub { return { device => [ $_[0] ], before => [ $_[0] ] }; },
	prepared => sub {
		my ($query, $types, $values) = with_parameters($_[0]);
		my $declared = @$types ? '(' . join(', ', @$types) . ')' : '';
		my $given = @$values ? '(' . join(', ', @$values) . ')' : '';
		my $null = @$values ? '(' . join(', ', map { "NULL::$_" } @$types) . ')' : '';

		my @before = ('SET plan_cache_mode = ' . pick(qw(force_generic_plan force_generic_plan force_custom_plan auto)), "PREPARE fuzz$declared AS $query");
		my @run = ("EXECUTE fuzz$given", chance(0.5) ? ("EXECUTE fuzz$null") : ());

		return { both(\@before, ['DEALLOCATE fuzz']), stock => \@run, device => \@run };
	},
	# an aborted run, then the whole from the start
	cursor => sub {
		my ($query) = @_;
		my $hold = chance(0.3);

		return {
			before => ['BEGIN'],
			device => [
				'DECLARE fuzz ' . ($hold ? 'SCROLL CURSOR WITH HOLD' : 'SCROLL CURSOR') . " FOR $query",
				$hold ? 'COMMIT' : (), 'MOVE ' . pick(0, 1, 5) . ' FROM fuzz', 'MOVE ABSOLUTE 0 FROM fuzz',
				'FETCH ' . pick(1, 3, 100) . ' FROM fuzz', chance(0.2) ? ('MOVE 2 FROM fuzz', 'MOVE BACKWARD 2 FROM fuzz') : (), 'FETCH ALL FROM fuzz'
			],
			after => [ $hold ? 'CLOSE fuzz' : 'COMMIT' ]
		};
	},
	no_scroll => sub {
		my ($query) = @_;

		return {
			before => ['BEGIN'],
			device => [ "DECLARE fuzz NO SCROLL CURSOR FOR $query", 'FETCH 2 FROM fuzz', 'FETCH ALL FROM fuzz' ],
			after => ['ROLLBACK']
		};
	},
	# closed before its end
	left => sub {
		my ($query) = @_;

		return {
			before => [ 'BEGIN', "DECLARE fuzz CURSOR FOR $query", 'FETCH 1 FROM fuzz', 'ROLLBACK', 'BEGIN', 'SAVEPOINT s', 'SELECT 1 / 0', 'ROLLBACK TO s' ],
			device => [$query],
			after => ['COMMIT']
		};
	},
	table => sub {
		my ($query) = @_;

		return {
			before => ['BEGIN'],
			device => [ "CREATE TEMP TABLE fuzz_made AS $query", 'TABLE fuzz_made' ],
			after => ['ROLLBACK']
		};
	},
	function => sub {
		my ($query) = @_;
		my $catch = chance(0.5) ? "EXCEPTION WHEN data_exception THEN RAISE SQLSTATE '22000' USING MESSAGE = 'caught';" : '';

		return {
			before => ["CREATE OR REPLACE FUNCTION pg_temp.fuzz() RETURNS SETOF text LANGUAGE plpgsql AS \$f\$ BEGIN RETURN QUERY SELECT q::text FROM ($query) q; $catch END \$f\$"],
			device => [ 'SELECT * FROM pg_temp.fuzz()', chance(0.3) ? 'SELECT * FROM pg_temp.fuzz() LIMIT 0' : () ],
			stock => ["SELECT q::text FROM ($query) q"]
		};
	},
	lateral => sub {
		my ($query) = @_;

		$query =~ s/\b\d+::(int[48])\b/(g.i)::$1/ if chance(0.8);
		$query = "SELECT g.i, q.* FROM generate_series(1, 3) g(i), LATERAL ($query) q";
		return { device => [$query], stock => [$query] };
	},
	outer => sub {
		my ($query) = @_;

		$query = "SELECT q.*, d.id AS d FROM ($query) q LEFT JOIN (SELECT id FROM d1 UNION ALL SELECT NULL) d ON q.x0::text = d.id::text";
		return { device => [$query], stock => [$query] };
	},
	changed => sub {
		my ($query) = @_;
		my @changes = (
			(map { my $table = $_; ("UPDATE $table SET id = id + 10000 WHERE id % 4 = 0", "DELETE FROM $table WHERE id % 3 = 1", "INSERT INTO $table SELECT * FROM $table WHERE id % 5 = 0") } qw(t1 t2)),
			'DELETE FROM d1 WHERE id % 2 = 0', 'UPDATE d2 SET id = id + 100', "SAVEPOINT s;\nDELETE FROM t1;\nDELETE FROM d1;\nROLLBACK TO s", 'TRUNCATE t1', "ALTER TABLE t1 ADD COLUMN c77 int4 DEFAULT 5");
		my @before = ('BEGIN', (shuffle @changes)[ 0 .. int rand 3 ]);

		return { both(\@before, ['ROLLBACK']), device => [$query] };
	},
	# a statement that changes what it reads
	modifying => sub {
		my $query = modifying($_[0]);

		return { both([ 'BEGIN', chance(0.5) ? 'DELETE FROM t1 WHERE id % 6 = 1' : () ], ['ROLLBACK']), stock => [ $query, 'SELECT count(*) FROM t1' ], device => [ $query, 'SELECT count(*) FROM t1' ] };
	},
	# prepared, and run again once its tables are others
	replanned => sub {
		my ($query, $types, $values) = with_parameters($_[0]);
		my $declared = @$types ? '(' . join(', ', @$types) . ')' : '';
		my $run = 'EXECUTE fuzz' . (@$values ? '(' . join(', ', @$values) . ')' : '');
		my $table = pick(qw(t1 t2 d1));
		my @change = @{
			pick(
				["ALTER TABLE $table ADD COLUMN c78 text DEFAULT 'new'"], ["ALTER TABLE $table ALTER COLUMN id TYPE int8"], ["TRUNCATE $table"],
				[ "ALTER TABLE $table RENAME TO aside", "CREATE TABLE $table (LIKE aside)", "INSERT INTO $table SELECT * FROM aside WHERE id % 2 = 0" ],
				["CREATE INDEX ON $table (id, (id % 3))"], ["ALTER TABLE $table ALTER COLUMN id SET STATISTICS 5; ANALYZE $table"], ["CLUSTER $table USING d1_pkey"])
		};
		my @before = ('BEGIN', 'SET plan_cache_mode = ' . pick(qw(force_generic_plan auto)), "PREPARE fuzz$declared AS $query");
		my @asked = ($run, 'SAVEPOINT s', @change, $run, 'ROLLBACK TO s', $run);

		return { both(\@before, [ 'ROLLBACK', 'DEALLOCATE fuzz' ]), stock => \@asked, device => \@asked };
	},
	reader => sub {
		my ($query) = @_;

		return { both(['SET ROLE fuzz_reader'], ['RESET ROLE']), device => [$query] };
	},
	explained => sub {
		my ($query) = @_;

		return { device => [ 'EXPLAIN (ANALYZE, VERBOSE, BUFFERS, SETTINGS, FORMAT ' . pick(qw(TEXT JSON XML YAML)) . ") $query" ], no_rows => 1 };
	},
	why_not => sub {
		my ($query) = @_;

		return { device => ["SELECT * FROM gpuagg.why_not(\$fuzz\$$query\$fuzz\$)"], stock => ["EXPLAIN $query"], no_rows => 1 };
	},
	canceled => sub {
		my ($query) = @_;

		return { before => [ 'SET statement_timeout = ' . pick(1, 2, 5, 20) ], device => [$query], after => ['RESET statement_timeout'], may_cancel => 1 };
	});
my @forms = ((qw(plain) x 8), (qw(again prepared cursor changed reader) x 3), (qw(modifying replanned) x 2), sort keys %forms);

sub new_case
{
	my ($form, $made, $query, $tolerance, $settings) = @_;
	my %case = (stock => [$query], %$made);
	my ($zone) = $settings =~ /(SET TimeZone = [^;]*;)/;

	return {
		%case,
		query => $query,
		form => $form,
		tolerance => $tolerance,
		common => [ $zone, common_settings() ],
		settings => [ $settings, device_settings() ]
	};
}

# A query in one of these ways
sub random_case
{
	my ($query, @rest) = @_;
	my $form = pick(@forms);

	return new_case($form, $forms{$form}->($query), $query, @rest);
}

# Both runs under one snapshot, while others write
sub snapshot_case
{
	my ($query, @rest) = @_;

	return new_case('snapshot', { stock_before => ['BEGIN ISOLATION LEVEL REPEATABLE READ'], device => [$query], after => ['COMMIT'] }, $query, @rest);
}

# What others do to the tables meanwhile; RandomQuery's tables alone may be changed so
sub random_change
{
	my $table = pick(qw(t1 t2 d1 d2));

	return pick(
		"VACUUM $table;", "VACUUM (FREEZE) $table;", "ANALYZE $table;", "VACUUM FULL $table;",
		"UPDATE $table SET id = id WHERE id % " . pick(2, 5, 31) . ' = 0;',
		"DELETE FROM $table WHERE id % " . pick(7, 19) . ' = 0;',
		"INSERT INTO $table SELECT * FROM $table WHERE id % 13 = 0 ON CONFLICT DO NOTHING;",
		"ALTER TABLE $table ADD COLUMN c90 int4 DEFAULT 3; ALTER TABLE $table DROP COLUMN c90;",
		"SELECT gpuagg.load('$table');", "SELECT gpuagg.unload('$table');", "DELETE FROM $table WHERE id < 5; VACUUM $table;");
}

# For a session of its own beside snapshot_case()'s
sub random_writes
{
	my @writes = map {
		my $table = pick(qw(t1 t2 d1 d2));

		pick(
			"UPDATE $table SET id = id WHERE id % " . pick(2, 5, 31) . ' = 0',
			"UPDATE $table SET id = id + 1000000 WHERE id % 17 = " . pick(0 .. 16),
			"DELETE FROM $table WHERE id % 31 = " . pick(0 .. 30),
			"INSERT INTO $table SELECT * FROM $table WHERE id % 29 = 1 ON CONFLICT DO NOTHING",
			"BEGIN; DELETE FROM $table WHERE id % 3 = 0; SAVEPOINT s; UPDATE $table SET id = id; ROLLBACK TO s; ROLLBACK",
			"VACUUM $table", "VACUUM (FREEZE) $table", "ANALYZE $table", "SELECT count(*) FROM (SELECT FROM $table FOR UPDATE) q", "SELECT gpuagg.load('$table')")
	} 1 .. 300;
	return join '', map { "$_;\n" } @writes;
}

# ---------- scripts ----------

sub marked { return map { "$_;\n\\echo \@\@! :SQLSTATE :LAST_ERROR_MESSAGE\n" } @_; }

sub plainly { return map { "$_;\n" } @_; }

# The statements of both runs, without and with marks between the outputs
sub case_sql
{
	my ($case, $marked) = @_;
	my $mark = $marked ? \&marked : \&plainly;
	my $echo = sub { return $marked ? "\\echo \@\@ $_[0]\n" : ''; };
	my $explain = $case->{form} =~ /plain|again|cursor|table|left|snapshot/ ? "EXPLAIN (COSTS OFF) $case->{query};\n" : '';

	return join '', "RESET ALL;\n", "@{ $case->{common} }\nSET gpuagg.enable = off;\n", $echo->('skip'), plainly(@{ $case->{stock_before} // [] }),
	  $echo->('stock'), $mark->(@{ $case->{stock} }), $echo->('skip'), plainly(@{ $case->{stock_after} // [] }),
	  "RESET gpuagg.enable;\n@{ $case->{settings} }\n@{ $case->{common} }\n", $echo->('plan'), $explain, $echo->('skip'), plainly(@{ $case->{before} // [] }),
	  $echo->('device'), $mark->(@{ $case->{device} }), $echo->('skip'), plainly(@{ $case->{after} // [] });
}

sub case_script { return "\\echo \@\@ case\n" . case_sql($_[0], 1); }

# By case: { stock => answer, device => answer, plan => text }
sub parse_output
{
	my ($output) = @_;
	my @cases;

	foreach my $text (split /^\@\@ case\n/m, $output)
	{
		my %sections;

		while ($text =~ /^\@\@ (\w+)\n(.*?)(?=^\@\@ |\z)/msg)
		{
			$sections{$1} = $2;
		}
		push @cases, { map { $_ => $_ eq 'plan' ? $sections{$_} : answer($sections{$_}) } keys %sections };
	}
	shift @cases;
	return @cases;
}

# Rows of all statements of an answer, and the first error
sub answer
{
	my ($text) = @_;
	my ($error, @rows);

	while ($text =~ /\G(.*?)^\@\@! (\w+)([^\n]*)\n/msg)
	{
		my ($rows, $state, $message) = ($1, $2, $3);

		chomp $rows if $rows =~ /\n\z/;
		push @rows, split /\x1e/, $rows, -1 if length $1;
		$error //= "$state$message" if $state ne '00000';
	}
	return { rows => \@rows, error => $error // '', whole => scalar($text =~ /^\@\@! .*\n\z/m) };
}

# ---------- judging ----------

my $number = qr/-?[0-9]+(?:[.][0-9]+)?(?:e[-+][0-9]+)?/;

# A row without its numbers, and these
sub split_row
{
	my ($row) = @_;
	my @numbers = $row =~ /($number)/g;

	return [ $row =~ s/$number/?/gr, @numbers ];
}

sub by_numbers
{
	my ($one, $two) = @_;
	my $order = $one->[0] cmp $two->[0];

	for (my $n = 1; !$order && $n < @$one; $n++)
	{
		$order = $one->[$n] <=> $two->[$n];
	}
	return $order;
}

# The first rows that differ; '': none
sub difference
{
	my ($stock, $device, $tolerance) = @_;
	my @one = sort @$stock;
	my @two = sort @$device;

	return '' if "@one" eq "@two" && @one == @two;
	return sprintf '%d rows, on the device %d', scalar @one, scalar @two if @one != @two && $tolerance;
	if (!$tolerance)
	{
		my %count;

		$count{$_}++ foreach @one;
		$count{$_}-- foreach @two;
		my @differ = grep { $count{$_} } sort keys %count;
		return join "\n", map { sprintf '%+d %s', $count{$_}, $_ } @differ[ 0 .. ($#differ > 5 ? 5 : $#differ) ];
	}
	@one = sort { by_numbers($a, $b) } map { split_row($_) } @one;
	@two = sort { by_numbers($a, $b) } map { split_row($_) } @two;
	foreach my $n (0 .. $#one)
	{
		my ($mine, $other) = ($one[$n], $two[$n]);

		return "@$mine\n@$other" if $mine->[0] ne $other->[0];
		foreach my $i (1 .. $#$mine)
		{
			my ($most) = sort { $b <=> $a } abs $mine->[$i], abs $other->[$i];

			return "@$mine\n@$other" if abs($mine->[$i] - $other->[$i]) > $tolerance * $most;
		}
	}
	return '';
}

# What became of a case: a word, and what is wrong with it
sub judge
{
	my ($case, $result) = @_;
	my ($stock, $device) = @$result{qw(stock device)};

	return ('unanswered', 'the session or the server died') unless $device && $device->{whole};
	my $where = !defined $result->{plan} || $result->{plan} eq '' ? 'other form' : $result->{plan} =~ /Custom Scan \(Gpu/ ? 'on the device' : 'not on the device';
	my ($one, $two) = map { substr $_->{error}, 0, 5 } $stock, $device;

	return ('canceled', '') if $case->{may_cancel} && $two eq '57014';
	return ('slow', '') if $two eq '57014' && $where eq 'not on the device';
	return ('hang', $device->{error}) if $two eq '57014' && $one ne $two;
	return ('internal error', $device->{error}) if $two =~ /^(?:XX|58)/ && $one ne $two;
	return ('same error', '') if $one ne '' && ($one eq $two || $case->{form} eq 'snapshot');
	# Where several errors wait, the first depends on the plan.
	return ('another error', '') if $one =~ /^22/ && $two =~ /^22/;
	# Tables are joined and tested in an order of the plan's; what is around, or a LIMIT of sorted
	# groups, may stop before a row that raises one.
	return ('error by order', '') if ($case->{lenient} || $case->{kind} =~ /joined|tested/ || $case->{query} =~ /LIMIT/) && "$one$two" =~ /^22\w{3}\z/;
	return ('error of one', "stock: $stock->{error}\ndevice: $device->{error}") if $one ne $two;
	return ($where, '') if $case->{no_rows} || $one ne '';
	my $difference = difference($stock->{rows}, $device->{rows}, $case->{tolerance});
	return $difference eq '' ? ($where, '') : ('different', $difference);
}

1;
