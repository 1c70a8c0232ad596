# Every function, operator, aggregate and cast that a plain user may call, with any number of
# arguments and in any place of a statement, over relations of every kind (../fuzz/Plan*.pm), and what
# is called as one that planning knows (src/planner/catalogue) and takes 0 to n + 1 arguments: each
# statement is planned with the device preferred and run over few rows with gpuagg on and off.  The same
# rows, the same SQLSTATE, and the server goes on.
#
# GPUAGG_SEED, GPUAGG_QUERIES or GPUAGG_FUZZ_SECONDS, and GPUAGG_FUZZ_DIR in the environment: another
# start, how many statements or how long, and where scripts of what is wrong are kept.
# GPUAGG_FUZZ_CRASHES: how many crashes do not end it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../fuzz";

use GpuAggTest;
use PlanFunctions;
use PlanShapes;
use PlanTables;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery qw(pick chance);
use SqlCatalogue;
use Test::More;
use Time::HiRes 'time';

my $seed = $ENV{GPUAGG_SEED} // 20261128;
my $queries = $ENV{GPUAGG_QUERIES} // 6000;
my $seconds = $ENV{GPUAGG_FUZZ_SECONDS};
# what is of every day ends after some minutes on a machine that does much else
my $most_seconds = $seconds // ($ENV{GPUAGG_QUERIES} ? 1e9 : 200);
my $crashes_borne = $ENV{GPUAGG_FUZZ_CRASHES} // 0;
my $dir = $ENV{GPUAGG_FUZZ_DIR} // "$PostgreSQL::Test::Utils::log_path/fuzz";
my $per_batch = 400;
my @extensions = qw(citext hstore ltree cube seg intarray isn pg_trgm fuzzystrmatch unaccent earthdistance tablefunc btree_gist);
my $begin = time;

mkdir $dir;
srand $seed;
my $node = new_node('planning', 'shared_buffers = 64MB', 'autovacuum = off', 'log_statement = none', 'log_min_messages = log', 'restart_after_crash = on', 'jit = off', 'gpuagg.device_memory = 64MB',
	'gpuagg.cache_size = 16MB');
regress_functions($node);

# ---------- the world ----------

# What a statement gives under the settings of the moment, under PostgreSQL's alone, and under others of these: a word or two.  What
# PostgreSQL's own plans do not agree on, nobody can be asked for.
my $asking = <<'SQL';
CREATE SCHEMA asking;
GRANT USAGE ON SCHEMA asking TO fuzz_user;
-- sums of what nearly is zero
CREATE FUNCTION asking.rounded(result text[]) RETURNS text[] IMMUTABLE LANGUAGE sql AS
	$$ SELECT array_agg(regexp_replace(r, '-?[0-9.]+e-(1[2-9]|[2-9][0-9])', '0', 'g')) FROM unnest(result) r $$;
CREATE FUNCTION asking.plan_of(q text, OUT error text, OUT device bool) LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	device := false;
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || q LOOP
		device := device OR line ~ 'Custom Scan \(Gpu';
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS error = RETURNED_SQLSTATE;
END $$;
CREATE FUNCTION asking.refusals() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS
	$$ SELECT sum(value)::bigint FROM gpuagg.stat WHERE name IN ('fallbacks_unsupported', 'fallbacks_device') $$;
CREATE FUNCTION asking.undetermined(q text, first text[], error text, other text[], other_error text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	name text;
	again record;
BEGIN
	FOREACH name IN ARRAY '{enable_hashjoin,enable_hashagg,enable_sort,enable_nestloop,enable_mergejoin,enable_seqscan}'::text[] LOOP
		PERFORM set_config(name, 'off', true);
		again := run_query(q);
		IF left(again.error, 5) = left(other_error, 5) OR (again.error IS NULL AND other_error IS NULL AND differences(again.result, other) IS NULL)
			OR (again.error IS NULL AND error IS NULL AND differences(again.result, first) IS NOT NULL) THEN
			RETURN true;
		END IF;
		IF name ~ 'agg|sort|seqscan' THEN
			PERFORM set_config(name, 'on', true);
		END IF;
	END LOOP;
	RETURN false;
END $$;
CREATE FUNCTION asking.asked(q text, how text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan record;
	stock record;
	device record;
	before bigint;
	said text;
BEGIN
	plan := asking.plan_of(q);
	IF how = 'why_not' THEN
		BEGIN
			PERFORM gpuagg.why_not(q);
		EXCEPTION WHEN OTHERS THEN
			IF plan.error IS NULL THEN
				RETURN 'WRONG why_not: ' || SQLSTATE || ' ' || SQLERRM;
			END IF;
		END;
	END IF;
	PERFORM set_config('gpuagg.enable', 'off', true);
	IF how = 'plan' THEN
		stock := asking.plan_of(q);
		RETURN CASE WHEN stock.error IS DISTINCT FROM plan.error THEN format('WRONG planning error: stock %s device %s', stock.error, plan.error)
			WHEN plan.error IS NOT NULL THEN 'error ' || plan.error WHEN plan.device THEN 'device, planned' ELSE 'other, planned' END;
	END IF;
	stock := run_query(q);
	IF plan.error IS NOT NULL THEN
		RETURN CASE WHEN plan.error = left(stock.error, 5) THEN 'error ' || plan.error ELSE format('WRONG planning error: stock %s device %s', stock.error, plan.error) END;
	END IF;
	PERFORM set_config('gpuagg.enable', 'on', true);
	before := asking.refusals();
	device := run_query(q);
	PERFORM set_config('gpuagg.enable', 'off', true);
	IF asking.refusals() > before THEN
		RETURN 'WRONG refused: the worker takes no such task';
	END IF;
	said := CASE WHEN plan.device THEN 'device' ELSE 'other' END;
	IF stock.error IS NOT NULL OR device.error IS NOT NULL THEN
		RETURN CASE WHEN left(stock.error, 5) = left(device.error, 5) THEN 'error ' || left(stock.error, 5)
			WHEN asking.undetermined(q, stock.result, stock.error, device.result, device.error) THEN said || ', error by the plan'
			WHEN stock.error ~ '^(22|23|42|P0)' AND device.error ~ '^(22|23|42|P0)' THEN said || ', error by the order'
			WHEN coalesce(stock.error, '22') ~ '^22' AND coalesce(device.error, '22') ~ '^22' AND q ~* '\m(join|limit|lateral|exists|in|fetch|having|and)\M' THEN said || ', error by the order'
			ELSE format('WRONG error: stock %s device %s', coalesce(stock.error, 'none'), coalesce(device.error, 'none')) END;
	END IF;
	RETURN CASE WHEN differences(stock.result, device.result) IS NULL THEN said
		WHEN differences(asking.rounded(stock.result), asking.rounded(device.result), 1e-9) IS NULL THEN said || ', nearly'
		WHEN asking.undetermined(q, stock.result, NULL, device.result, NULL) THEN said || ', undetermined'
		ELSE 'WRONG rows: ' || differences(stock.result, device.result) END;
END $$;
SQL

my $world = "CREATE EXTENSION IF NOT EXISTS gpuagg;\nCREATE ROLE fuzz_user;\n" . world('fuzz_user', PostgreSQL::Test::Utils::tempdir());
my $functions = '';

sub run_script
{
	my ($script) = @_;
	my $file = File::Temp->new;
	my ($out, $err) = ('', '');

	print $file $script;
	$file->flush;
	IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file->filename ], '>', \$out, '2>', \$err);
	return ($out, $err, $? != 0);
}

my ($out, $err) = run_script("\\set ON_ERROR_STOP 1\n$world$asking\\echo made\n");
is($out, "made\n", 'the tables are made') or diag($err);
run_script(join '', map { "CREATE EXTENSION $_ CASCADE;\n" } @extensions);
# of PostgreSQL's own functions first, for those of users call them
read_catalogue($node->safe_psql('postgres', catalogue_query('fuzz_user')));
$functions = user_functions(60) . namesakes([ known_rows() ], 150);
run_script("SET search_path = fuzz, public;\n$functions");
read_catalogue($node->safe_psql('postgres', catalogue_query('fuzz_user')));
note(catalogue_size(), ' functions, operators, aggregates and casts');

# What planning knows (src/planner/catalogue), as this server has it
sub known_rows
{
	my $server = server_rows($node->safe_psql('postgres', server_rows_query()));

	return map { { name => $_->{proname}, types => $_->{types}, type => $_->{type}, aggregate => $_->{kind} eq 'a' } } grep { defined } map { $server->{ $_->{name} } } catalogue_rows('functions', $server), catalogue_rows('aggregates', $server);
}

# ---------- statements ----------

my @settings = ('SET enable_hashjoin = off;', 'SET enable_mergejoin = off;', 'SET enable_nestloop = off;', 'SET enable_hashagg = off;', 'SET join_collapse_limit = 1;', 'SET gpuagg.debug_filters = always;',
	"SET gpuagg.strategy = 'partitioned';", 'SET gpuagg.cost_scale = 0.001;', 'SET gpuagg.debug_regroup = off;', 'SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on;', 'RESET cpu_tuple_cost; RESET cpu_operator_cost;',
	"SET gpuagg.debug_require = 'allow';", "SET gpuagg.debug_require = 'allow'; RESET cpu_tuple_cost; RESET cpu_operator_cost;");
my $session = "SET search_path = fuzz, public;\nSET client_min_messages = error;\nSET statement_timeout = '5s';\n" . session_tables() . "GRANT SELECT ON mine TO fuzz_user;\nSET ROLE fuzz_user;\n";
my $preferred = "RESET gpuagg.enable;\nDO 'BEGIN PERFORM prefer_device(false); END';\n";

# So many statements, each with what goes before it
sub draw
{
	my ($count) = @_;
	my @drawn;

	while (@drawn < $count)
	{
		my ($define, @statements) = chance(0.02) ? defined_statements() : ('', random_statement());

		$_->{set} = chance(0.25) ? pick(@settings) : '' foreach @statements;
		$_->{how} = $_->{volatile} ? 'plan' : chance(0.04) ? 'why_not' : 'run' foreach @statements;
		$_->{define} = $define foreach @statements[ 0 .. ($define ne '' ? 0 : -1) ];
		push @drawn, @statements;
	}
	return @drawn;
}

sub script_of
{
	my ($n, $s) = @_;

	return "\\echo \@ $n\n" . ($s->{define} ? "RESET ROLE;\n$s->{define}\nSET ROLE fuzz_user;\n" : '') . ($s->{set} ne '' ? "$s->{set}\n" : '') . "SELECT translate(asking.asked(\$q\$$s->{sql}\$q\$, '$s->{how}'), E'\\n', ' ');\n"
	  . ($s->{set} ne '' ? join('', map { /(\S+)/ ? "RESET $1;\n" : '' } $s->{set} =~ /(?:SET|RESET) ([\w.]+)/g) . $preferred : '');
}

my (%outcomes, %places, $wrong, $crashes, $asked, $planned);
($wrong, $crashes, $asked, $planned) = (0, 0, 0, 0);

# A script that makes the tables and asks the statement both ways
sub keep
{
	my ($s, $what) = @_;
	my $file = sprintf '%s/%d-%d.sql', $dir, $seed, $asked;

	append_to_file($file, "-- $what\n-- $s->{name} in $s->{place}\n\\set ON_ERROR_STOP 0\n$world\n" . join('', map { "CREATE EXTENSION $_ CASCADE;\n" } @extensions) . $functions .
		  ($s->{defined} // '') . "\n" . $session =~ s/SET statement_timeout.*\n//r . "SET gpuagg.enable = off;\n$s->{sql};\nSET gpuagg.enable = on;\nSET gpuagg.debug_require = 'prefer';\nSET cpu_tuple_cost = 10;\nSET cpu_operator_cost = 100;\nSET max_parallel_workers_per_gather = 0;\n$s->{set}\nEXPLAIN (VERBOSE) $s->{sql};\n$s->{sql};\n");
	diag(sprintf '%.1f s, statement %d, %s (%s in %s), %s', time - $begin, $asked, $what, $s->{name}, $s->{place}, $file);
	diag("$s->{set} $s->{sql}");
	return;
}

sub judge
{
	my ($s, $answer) = @_;

	$asked++;
	$answer =~ s/^(error \w{2})\w+/$1/;
	my $word = $answer =~ /^(WRONG[\w ]*)/ ? $1 : $answer;
	$outcomes{$word}++;
	$places{ $s->{place} }{ $answer =~ /^device/ ? 'device' : 'other' }++;
	$planned++ if $answer =~ /^device/;
	return unless $answer =~ /^WRONG/;
	$wrong++;
	keep($s, $answer);
	return;
}

# Asks these, in one session or, where that ends, several
sub ask
{
	my @statements = @_;
	my $from = 0;

	while ($from < @statements)
	{
		my ($out, $err, $lost) = run_script($session . $preferred . join('', map { script_of($_, $statements[$_]) } $from .. $#statements) . "\\echo \@ done\n");
		my $first = $from;
		my @said = split /^\@ /m, $out;

		shift @said;
		foreach my $said (@said)
		{
			my ($n, $answer) = split /\n/, $said;

			last if $n eq 'done';
			$from = $n + 1;
			judge($statements[$n], $answer // 'slow') unless $lost && $from == @said + $first;
		}
		next unless $lost;
		crash($statements[ $from - 1 ]);
		return if $crashes > $crashes_borne;
	}
	return;
}

my $log = 0;

sub crash
{
	my ($s) = @_;

	$asked++;
	$crashes++;
	$outcomes{crash}++;
	keep($s, 'CRASH');
	$node->wait_for_log(qr/terminated; reinitializing.*ready to accept connections/s, $log);
	wait_ready($node);
	$log = -s $node->logfile;
	return;
}

while (($seconds || $asked < $queries) && time < $begin + $most_seconds && $crashes <= $crashes_borne)
{
	my $defined = '';
	my @statements = draw($per_batch);

	foreach (@statements)
	{
		$defined = $_->{define} if $_->{define};
		$_->{defined} = $defined if $_->{place} =~ /policy|view|index|statistics/;
	}
	ask(@statements);
	diag(sprintf('%d statements, %.0f s: ', $asked, time - $begin), join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes)) if $seconds && $asked % (25 * $per_batch) < $per_batch;
}

my $rate = $asked / (time - $begin);
is($crashes, 0, "no statement ends the server (seed $seed)");
is($wrong, 0, "random statements give what PostgreSQL gives (seed $seed)");
note(sprintf('Summary: seed %d, %d statements, %.0f a second: ', $seed, $asked, $rate), join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes));
note(join(', ', map { my $p = $places{$_}; "$_: " . ($p->{device} // 0) . ' of ' . (($p->{device} // 0) + ($p->{other} // 0)) } sort keys %places));
cmp_ok($planned, '>', $asked * 0.3, 'many were planned on the device');
cmp_ok($outcomes{slow} // 0, '<', $asked * 0.001 + 2, 'few were given up');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
