# A task that several cards share: the same answers as PostgreSQL's, whatever is grouped and
# whichever card fails; who reads what; when it is done.  No GPU is needed: a provider
# library made of the host device (test/lib/fake_device.c) gives the cards.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = need_fake_cards($tmp);

fake_does('cards 3');
my $node = new_node(
	'spread',
	'shared_buffers = 64MB',
	'max_worker_processes = 16',
	"gpuagg.device = 'cuda:0,cuda:1'",
	$fake,
	'gpuagg.host_threads = 1',
	'gpuagg.device_memory = 64MB',
	'gpuagg.cache_size = 32MB',
	'gpuagg.spread = always',
	'jit = off',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

my $require = "SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;";

sub plan_of
{
	my ($query, $settings) = @_;

	return sql("$require " . ($settings // '') . " EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query");
}

# Cards that shared the task; empty: it was not shared
sub cards_of
{
	return join ',', plan_of(@_) =~ /^ *Spread: (.*)$/m ? $1 =~ /(\w+:\d|host)/g : ();
}

# By device, whether it has half of a table's column
sub cached_parts
{
	return sql("SELECT string_agg(device || ':' || (pages BETWEEN pages_total / 2 - 1 AND pages_total / 2 + 1), ',' ORDER BY device) FROM gpuagg.cache WHERE relation = '$_[0]'::regclass AND column_name = 'id'");
}

wait_cards($node, 2);
# all that a feed may meet: pages that are all-visible and others, dead rows, rows that only
# PostgreSQL reads, numerics that no device holds
sql(q{
	CREATE TABLE a (id int, g int, f float8, n numeric, t text, d date, big numeric) WITH (autovacuum_enabled = off);
	INSERT INTO a SELECT i, i % 50, i / 64.0, i::numeric / 100, 't' || i % 20, date '2020-01-01' + i % 100,
			CASE WHEN i % 9000 = 0 THEN 'NaN'::numeric WHEN i % 7000 = 0 THEN 10::numeric ^ 60 + i ELSE i END
		FROM generate_series(1, 60000) i;
	UPDATE a SET t = repeat('long', 1000) || g WHERE id % 997 = 0;
	VACUUM (FREEZE, ANALYZE) a;
	DELETE FROM a WHERE id % 1000 = 1;
	UPDATE a SET g = g + 1 WHERE id BETWEEN 30000 AND 30500;
	INSERT INTO a SELECT i, NULL, NULL, NULL, NULL, NULL, NULL FROM generate_series(1, 100) i;
	CREATE TABLE names (g int PRIMARY KEY, name text);
	INSERT INTO names SELECT i, 'n' || i % 9 FROM generate_series(0, 49) i;
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (1000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (1000) TO (30000);
	CREATE TABLE parts3 PARTITION OF parts FOR VALUES FROM (30000) TO (31000);
	CREATE TABLE parts4 PARTITION OF parts FOR VALUES FROM (31000) TO (40000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 30999) i;
	CREATE TABLE clean (id int, g int) WITH (autovacuum_enabled = off);
	INSERT INTO clean SELECT i, i % 50 FROM generate_series(1, 60000) i;
	CREATE TABLE empty (id int, g int);
	CREATE TABLE one (id int, g int);
	INSERT INTO one VALUES (1, 1);
	VACUUM (FREEZE, ANALYZE) names, parts, clean, empty, one;});

# ------------------------------------------------------------ who reads what

my $clean = 'SELECT g, count(*), sum(id) FROM clean GROUP BY g ORDER BY g';
my $plan = plan_of($clean);
my ($r0, $r1) = $plan =~ /^ *Spread: cuda:0 (\d+) rows, cuda:1 (\d+) rows$/m;
is(($r0 // 0) + ($r1 // 0), 60000, 'each row is read by one card') or diag($plan);
cmp_ok(abs(($r0 // 0) - ($r1 // 0)), '<', 1000, 'each card reads about half of them');
like($plan, qr/^ *Device: cuda:0, cuda:1$/m, 'both are told');
like($plan, qr/^ *Rows Scanned: 60000$/m, 'they are one run');
like($plan, qr/^ *Groups: 50$/m, 'whose groups are the merged ones');
is(cached_parts('clean'), '0:true,1:true', 'each card keeps its half');
$plan = plan_of($clean);
like($plan, qr/^ *Cached Pages: (\d+)$/m, 'and finds it again');
like($plan, qr/^ *Pages: 0$/m, 'no page is read');
# A backend that misses that there is something to do sleeps for a second.
my @took;
foreach (1 .. 11)
{
	my $start = time;

	sql("$require $clean");
	push @took, time - $start;
}
cmp_ok((sort { $a <=> $b } @took)[5], '<', 0.9, 'nothing is slept through') or diag("@took");
my $json = sql("$require EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, FORMAT JSON) $clean");
like($json, qr/"Spread": \[\s*\{\s*"Device": "cuda:0",\s*"Rows Scanned": $r0\s*\},\s*\{\s*"Device": "cuda:1",/s, 'in JSON, too');
my $scans = sql("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'clean'");
sql($clean);
$node->poll_query_until('postgres', "SELECT seq_scan > $scans FROM pg_stat_user_tables WHERE relname = 'clean'");
is(sql("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'clean'") - $scans, 1, 'it counts as one scan of the table');

# ------------------------------------------------------------- same answers

my @shared = (
	$clean,
	'SELECT g, count(*), sum(id), avg(n), min(f), max(d), sum(f), stddev(id), round(variance(f)::numeric, 6), round(corr(id, f)::numeric, 9) FROM a GROUP BY g ORDER BY g',
	'SELECT t, count(*), min(t), max(t COLLATE "C") FROM a GROUP BY t ORDER BY t COLLATE "C"',
	'SELECT count(*), sum(id), max(t COLLATE "C"), sum(n) FROM a',
	'SELECT count(*), sum(id) FROM a WHERE id < 0',
	'SELECT g, count(*) FROM a WHERE id < 0 GROUP BY g',
	'SELECT id, n, count(*) FROM a GROUP BY id, n ORDER BY id, n',
	'SELECT g, sum(big), max(big) FROM a GROUP BY g ORDER BY g',
	'SELECT g, count(DISTINCT t), sum(DISTINCT id) FROM a GROUP BY g ORDER BY g',
	'SELECT g, t, count(*) FROM a WHERE id % 997 > 0 GROUP BY ROLLUP (g, t) ORDER BY g, t COLLATE "C", 3',
	'SELECT g, sum(id) FROM a GROUP BY g HAVING sum(id) > 35000000 ORDER BY g',
	'SELECT id, sum(f) FROM a GROUP BY id ORDER BY id DESC LIMIT 7',
	'SELECT upper(t), count(*) FROM a WHERE id % 997 > 0 GROUP BY upper(t) ORDER BY 1',
	'SELECT g, count(*) FROM a TABLESAMPLE BERNOULLI (30) REPEATABLE (3) GROUP BY g ORDER BY g',
	'SELECT g, count(*) FROM a TABLESAMPLE SYSTEM (30) REPEATABLE (3) GROUP BY g ORDER BY g',
	'SELECT name, count(*), sum(id) FROM clean JOIN names USING (g) GROUP BY name ORDER BY name',
	'SELECT name, count(*), sum(id) FROM parts JOIN names USING (g) GROUP BY name ORDER BY name',
	'SELECT g, count(*), sum(id) FROM parts GROUP BY g ORDER BY g');
foreach my $query (@shared)
{
	same_answer($node, $query, $query);
	like(cards_of($query), qr/^cuda:0,cuda:1$/, 'by both cards');
}
foreach my $query ('SELECT g, count(*) FROM one GROUP BY g', 'SELECT g, count(*) FROM empty GROUP BY g',
	'SELECT id FROM clean TABLESAMPLE BERNOULLI (0.1) REPEATABLE (1)')
{
	same_answer($node, $query, $query);
	is(cards_of($query), '', 'by one card');
}
same_answer($node, "BEGIN; INSERT INTO a SELECT i, 3 FROM generate_series(1, 50) i; SAVEPOINT s; DELETE FROM a WHERE id % 7 = 0; $shared[1]; ROLLBACK TO s; $shared[1]; ROLLBACK", 'own changes');
# an input in windows of its keys, strings of the others numbered once for all of them
sql(q{
	CREATE TABLE wide (k int PRIMARY KEY, w text);
	INSERT INTO wide SELECT i, 'w' || i % 11 FROM generate_series(1, 40000) i;
	CREATE TABLE far (id int, g int, pad text) WITH (autovacuum_enabled = off);
	INSERT INTO far SELECT i, i % 7, repeat('x', 100) FROM generate_series(0, 30999) i;
	VACUUM (FREEZE, ANALYZE) wide, far;});
my $windows = 'SELECT name, w, count(*), sum(id) FROM far JOIN wide ON k = id JOIN names USING (g) GROUP BY name, w ORDER BY name, w';
same_answer($node, "SET gpuagg.lookup_memory = '1MB'; $windows", 'windows of an input');
like(plan_of($windows, "SET gpuagg.lookup_memory = '1MB';"), qr/^ *Look-up Joins: .*in \d+ windows/m, 'are told');
# a table that the device has made of kept columns, whose strings have other numbers once the backend makes it
sql("SELECT gpuagg.load('names')");
like(plan_of($windows, "SET gpuagg.lookup_memory = '1MB'; SET gpuagg.spread = off;"), qr/rows from kept columns/, 'one of a device beside windows');
foreach my $fault ('pages', 'finish')
{
	my $set = "SET gpuagg.lookup_memory = '1MB'; SET gpuagg.spread = off;";

	is(sql("$set SET gpuagg.debug_fault = '$fault'; $windows"), sql("SET gpuagg.enable = off; $windows"), "fault '$fault' between windows");
}
same_answer($node, "BEGIN ISOLATION LEVEL SERIALIZABLE; $shared[1]; COMMIT", 'serializable');
same_answer($node, 'SELECT x, (SELECT sum(id) FROM clean WHERE g < x) FROM generate_series(1, 3) x', 'run again with other parameters');
same_answer($node, 'SELECT x.g, x.n, y.n FROM (SELECT g, count(*) n FROM a GROUP BY g) x JOIN (SELECT g, count(*) n FROM clean GROUP BY g) y USING (g) ORDER BY 1', 'two nodes');
same_answer($node, "SET gpuagg.debug_feeders = 2; SET gpuagg.cache = off; $shared[1]", 'feeders of both cards');
like(plan_of($shared[1], 'SET gpuagg.debug_feeders = 2; SET gpuagg.cache = off;'), qr/^ *Pages Read by Feeders: [1-9]/m, 'are told');
foreach my $strategy (split /,/, sql("SELECT string_agg(v, ',') FROM unnest((SELECT enumvals FROM pg_settings WHERE name = 'gpuagg.strategy')) v"))
{
	same_answer($node, "SET gpuagg.strategy = '$strategy'; $shared[6]", "strategy $strategy");
}
same_answer($node, "SET gpuagg.scope_size = 64; SET gpuagg.strategy = 'multi-pass-naive'; $shared[6]", 'several hash windows: by one card');

# -------------------------------------------- which groups parts leave out

# groups by the first of which all parts know, and those of which none does alone
my @limited = (
	[ 'SELECT id, sum(f) FROM a GROUP BY id ORDER BY id LIMIT 10', 1e9 ],	# each sum must be finite
	[ 'SELECT id, sum(id) FROM a GROUP BY id ORDER BY id DESC LIMIT 10', 20 ],
	[ 'SELECT g, id % 1000 AS m, count(*) FROM a GROUP BY 1, 2 ORDER BY 2, 1 LIMIT 10 OFFSET 5', 40 ],
	[ 'SELECT id % 1000 AS m, g, count(*) FROM a GROUP BY 1, 2 ORDER BY 1 DESC NULLS LAST FETCH FIRST 3 ROWS WITH TIES', 400 ],
	[ 'SELECT t COLLATE "C" AS c, id % 2000 AS m, max(id) FROM a GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 7', 100 ],
	[ 'SELECT id % 1000 AS m, sum(id), g FROM a GROUP BY m, g ORDER BY 1, 2, 3 LIMIT 4', 400 ],
	[ 'SELECT id % 5000 AS m, sum(id) FROM a GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5', 1e9 ],
	[ 'SELECT id % 5000 AS m, count(*) FROM a GROUP BY 1 HAVING count(*) > 12 ORDER BY 1 LIMIT 5', 1e9 ],
	[ 'SELECT count(*) OVER () FROM (SELECT id % 5000 AS m, count(*) FROM a GROUP BY 1 LIMIT 5) x', 1e9 ]);
foreach my $case (@limited)
{
	my ($query, $most) = @$case;

	same_answer($node, $query, $query);
	my $plan = plan_of($query);
	like($plan, qr/^ *Spread: cuda:0 \d+ rows, cuda:1 \d+ rows$/m, 'by both cards');
	my ($returned) = $plan =~ /^ *Groups Returned: (\d+)$/m;
	my ($groups) = $plan =~ /^ *Groups: (\d+)$/m;
	cmp_ok($returned // $groups, '<=', $most, 'no more than are needed') or diag($plan);
}
# a row of which only PostgreSQL knows the value is of a group that is wanted
same_answer($node, 'SELECT id, sum(big), count(*) FROM a GROUP BY id ORDER BY id LIMIT 20000', 'with numerics that no device holds');

# ------------------------------------------- look-up tables, one for each card

sql(q{
	CREATE TABLE kinds (g int PRIMARY KEY, kind int, note text COLLATE "C");
	INSERT INTO kinds SELECT i, i % 9, 'kind ' || i % 4 FROM generate_series(0, 49) i;
	VACUUM (FREEZE, ANALYZE) kinds;});
my $made = 'SELECT kind, count(*), sum(id) FROM clean JOIN kinds USING (g) GROUP BY kind ORDER BY kind';
my $named = 'SELECT note, count(*), sum(id) FROM clean JOIN kinds USING (g) GROUP BY note ORDER BY note';
same_answer($node, "SET gpuagg.debug_feeders = 0; $_", $_) foreach ($made, $named,
	'SELECT kind, count(*) FROM clean LEFT JOIN kinds ON kinds.g = clean.g AND kind > 3 GROUP BY kind ORDER BY kind',
	'SELECT kind, note, sum(id) FROM clean JOIN kinds USING (g) JOIN names USING (g) GROUP BY kind, note ORDER BY 1, 2',
	'SELECT count(*) FROM clean WHERE g IN (SELECT g FROM kinds WHERE kind = 2)',
	'SELECT kind, count(*) FROM clean JOIN kinds USING (g) WHERE kind > 100 GROUP BY kind');
like(cards_of($_), qr/^cuda:0,cuda:1$/, 'joins are shared') foreach ($made, $named);
is( sql("SELECT string_agg(DISTINCT device::text, ',' ORDER BY device::text) FROM gpuagg.cache WHERE relation = 'kinds'::regclass AND column_name = 'kind' AND pages > 0"),
	'0,1', 'each card keeps the look-up table\'s columns');
like(plan_of($made), qr/rows from kept columns/, 'and makes its table of them') or diag(plan_of($made));
unlike(plan_of($named), qr/rows from kept columns/, 'but not one whose strings are numbers');
# a part that fails is done by another card, which has no such table
sub join_fails
{
	my ($name, @does) = @_;
	my $stock = sql("SET gpuagg.enable = off; $made");

	fake_does('cards 3', @does);
	my $redone = counter($node, 'redone');
	my ($rc, $out, $err) = $node->psql('postgres', "$require SET gpuagg.cache = on; $made");
	is($out, $stock, "$name: the right answer") or diag($err);
	fake_does('cards 3');
	wait_cards($node, 2);
	return counter($node, 'redone') - $redone;
}
sql("SELECT gpuagg.unload('clean')");
cmp_ok(join_fails('a join, one card has faults', 'fault:1 1'), '>=', 1, 'done again');
sql("SELECT gpuagg.unload('clean')");
cmp_ok(join_fails('a join, both have faults', 'fault 1'), '>=', 1, 'done again');
sql("SELECT gpuagg.unload('clean')");
join_fails('a join, a card is lost', 'lost:0 1');
same_answer($node, $made, 'and on it goes');

# -------------------------------------------------------------- who does it

is(cards_of($clean, 'SET gpuagg.spread = off;'), '', 'off: by one card');
like(plan_of($clean, 'SET gpuagg.spread = off;'), qr/^ *Pages: 0$/m, 'which has the other half of the columns then, too');
like(plan_of($clean), qr/^ *Pages: 0$/m, 'and each finds its own again');
is(cards_of($clean, 'SET gpuagg.spread = auto;'), '', 'auto: a small table is not worth it');
# what is small is told to be large
sql("UPDATE pg_class SET reltuples = 2e9 WHERE relname = 'clean'");
is(cards_of($clean, 'SET gpuagg.spread = auto;'), 'cuda:0,cuda:1', 'auto: a large one is');
same_answer($node, "SET gpuagg.spread = auto; $clean", 'and the answer is right');
foreach my $case (
	[ $made, 'cuda:0,cuda:1', 'a join, too' ],
	[ $named, '', 'but not if the backend would have to read what it joins' ],
	[ 'SELECT id % 5000, count(*) FROM clean GROUP BY 1 ORDER BY 1 LIMIT 5', 'cuda:0,cuda:1', 'the first groups by a key' ],
	[ 'SELECT g, sum(DISTINCT id % 20) FROM clean GROUP BY g ORDER BY g', 'cuda:0,cuda:1', 'finer groups, if they are few' ])
{
	my ($query, $cards, $what) = @$case;

	is(cards_of($query, 'SET gpuagg.spread = auto;'), $cards, $what);
	same_answer($node, "SET gpuagg.spread = auto; $query", $what);
}
sql("SET gpuagg.spread = auto; SELECT gpuagg.unload('clean'); SELECT gpuagg.load('clean')");
is( sql("SELECT string_agg(pages || ' of ' || pages_total, ',') FROM gpuagg.cache WHERE relation = 'clean'::regclass AND column_name = 'id'") =~ s/(\d+) of \1/all/r,
	'all', 'auto: load brings all of a table to one card');
my ($lrc, $lout, $lerr) = $node->psql('postgres', "SELECT gpuagg.unload('clean') > 0; SET gpuagg.spread = always; SELECT gpuagg.load('clean') > 0");
is("$lout/$lerr", "t\nt/", 'always: each card loads its part, and all is there');
is(cached_parts('clean'), '0:true,1:true', 'a half each');
fake_does('cards 3');
$node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM gpuagg.tasks');

# ------------------------------------------------------------- what fails

sub fails
{
	my ($name, $cards, @does) = @_;
	my $stock = sql("SET gpuagg.enable = off; $shared[1]");

	sql("SELECT gpuagg.unload('a')");
	fake_does('cards 3', @does);
	my $redone = counter($node, 'redone');
	my ($rc, $out, $err) = $node->psql('postgres', "$require $shared[1]");
	is($out, $stock, "$name: the right answer") or diag($err);
	cmp_ok(counter($node, 'redone') - $redone, '>=', 1, "$name: a part is done again");
	fake_does('cards 3');
	wait_cards($node, 2);
	is(sql("SELECT state FROM gpuagg.devices WHERE kind = 'host'"), $cards, "$name: the host device");
	return;
}

fails('a fault on one card', 'fallback', 'fault:1 1');
fails('a fault on the first', 'fallback', 'fault:0 2');
fails('one card is lost', 'fallback', 'lost:1 1');
fails('the first is lost', 'fallback', 'lost:0 2');
fails('one has no memory', 'fallback', 'memory:1 1');
fails('both have faults', 'fallback', 'fault 1');
$plan = '';
fake_does('cards 3', 'fault:1 1');
like(cards_of($shared[1], 'SET gpuagg.cache = off;'), qr/^cuda:0,cuda:0$/, 'EXPLAIN tells which card has done its part');
fake_does('cards 3');
foreach my $stage ('begin', 'pages', 'finish', 'results', 'memory')
{
	foreach my $task (0, 1, 2)
	{
		is( sql("SET gpuagg.debug_fault = '$stage'; SET gpuagg.debug_fault_pass = $task; $shared[1]"),
			sql("SET gpuagg.enable = off; $shared[1]"), "fault '$stage' in task $task");
	}
}
# values beside the groups: all is done again
fake_does('cards 3', 'fault:1 1');
same_answer($node, "SET gpuagg.cache = off; $shared[7]", 'a fault, with numerics that no device holds');
fake_does('cards 3');

# errors are PostgreSQL's
my ($rc, $out, $err) = $node->psql('postgres', "SET gpuagg.debug_require = 'require'; SELECT g, sum(10 / (id - 45000)) FROM clean GROUP BY g");
like($err, qr/ERROR:  division by zero/, 'an error of one part');
same_answer($node, $clean, 'and on it goes');

# cancelled while one card hangs, and told to end
foreach my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	fake_does('cards 3', 'hang:1 2');
	my $hangs = start_psql($node, "$require SET gpuagg.cache = off; SET gpuagg.debug_feeders = 0; $shared[1];");
	$node->poll_query_until('postgres', 'SELECT count(*) = 2 FROM gpuagg.tasks WHERE pages_done > 0');
	is(sql('SELECT count(DISTINCT pid), string_agg(device::text, \',\' ORDER BY device) FROM gpuagg.tasks'), '1|0,1', 'one backend has a task on either');
	sql("SELECT $how((SELECT pid FROM gpuagg.tasks LIMIT 1))");
	finish_psql($hangs);
	like($hangs->{stderr}, qr/canceling statement due to user request|terminating connection/, "$how ends it");
	fake_does('cards 3');
	no_tasks($node, 'nothing is left');
	same_answer($node, $shared[1], 'and the cards answer');
}

# ---------------------------------- the same task twice, in flight at once

# A query of many columns' worth, kept by one card, which does not get on with it
my $off = "$require SET gpuagg.spread = off; SET gpuagg.debug_feeders = 0;";
my $same = 'SELECT g, count(*), sum(id), min(id) FROM clean GROUP BY g ORDER BY g';
my $stock = sql("SET gpuagg.enable = off; $same");
my $passes = 0;

# So many clients with queries while the device hangs, until all but the first follow
sub together
{
	my (@queries) = @_;
	my @psql;

	sql("$off $_") foreach @queries;
	$passes = counter($node, 'passes_shared');
	fake_does('cards 3', 'hang 1');
	foreach my $i (0 .. $#queries)
	{
		push @psql, start_psql($node, "$off $queries[$i];");
		$node->poll_query_until('postgres', 'SELECT count(*) = ' . ($i + 1) . q( FROM gpuagg.tasks WHERE state = 'running' AND pages_done > 0));
	}
	sleep 0.3;
	return @psql;
}

sub passes_shared { return counter($node, 'passes_shared') - $passes; }

sql(q{UPDATE pg_class SET reltuples = 60000 WHERE relname = 'clean'; SELECT gpuagg.unload('clean')});
my @psql = together($same, $same, $same);
is(passes_shared(), 0, 'none has an answer yet');
fake_does('cards 3');
is(finish_psql($_)->{stdout}, $stock, 'the same answer') foreach @psql;
is(passes_shared(), 2, 'one pass for three');
no_tasks($node, 'nothing is left');

# what is not the same
@psql = together($same, 'SELECT g, count(*), sum(id), max(id) FROM clean GROUP BY g ORDER BY g',
	'SELECT g, count(*), sum(id), min(id) FROM clean WHERE id > 7 GROUP BY g ORDER BY g',
	'SELECT g, count(*), sum(id), min(id) FROM clean WHERE id > 8 GROUP BY g ORDER BY g');
fake_does('cards 3');
is(finish_psql($psql[0])->{stdout}, $stock, 'other aggregates, other constants');
finish_psql($_) foreach @psql[ 1 .. 3 ];
isnt($psql[2]->{stdout}, $psql[3]->{stdout}, 'have answers of their own');
is(passes_shared(), 0, 'and passes');

# the first one is cancelled, or its backend ends: others read for themselves
foreach my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	@psql = together($same, $same, $same);
	sql("SELECT $how((SELECT pid FROM gpuagg.tasks ORDER BY started_at LIMIT 1))");
	finish_psql($psql[0]);
	like($psql[0]->{stderr}, qr/canceling statement|terminating connection/, "$how of the first");
	fake_does('cards 3');
	is(finish_psql($_)->{stdout}, $stock, 'the others answer') foreach @psql[ 1, 2 ];
	is(passes_shared(), 0, 'by passes of their own');
	no_tasks($node, 'nothing is left');
}
# one that follows is cancelled
@psql = together($same, $same, $same);
sql("SELECT pg_cancel_backend((SELECT pid FROM gpuagg.tasks ORDER BY started_at OFFSET 1 LIMIT 1))");
finish_psql($psql[1]);
like($psql[1]->{stderr}, qr/canceling statement/, 'one that follows is cancelled');
fake_does('cards 3');
is(finish_psql($_)->{stdout}, $stock, 'the others answer') foreach @psql[ 0, 2 ];
is(passes_shared(), 1, 'one of them by the pass of the other');
# the first one fails
@psql = together($same, $same);
fake_does('cards 3', 'fault 1');
is(finish_psql($_)->{stdout}, $stock, 'a pass that fails') foreach @psql;
is(passes_shared(), 0, 'is nobody else\'s');
fake_does('cards 3');
# and who followed it has had no task of the device's, and gets none: other devices answer
@psql = together($same, $same);
fake_does('cards 3', 'fault 1', 'unsupported');
is(finish_psql($_)->{stdout}, $stock, 'a task that cannot begin when it must') foreach @psql;
is(passes_shared(), 0, 'nor is it shared');
fake_does('cards 3');
no_tasks($node, 'nothing is left');

# the table changes in between: each sees what its snapshot does
@psql = together($same);
sql('INSERT INTO clean VALUES (1, 1)');
my $changed = sql("SET gpuagg.enable = off; $same");
push @psql, start_psql($node, "$off $same;");
$node->poll_query_until('postgres', q(SELECT count(*) = 2 FROM gpuagg.tasks WHERE state = 'running' AND pages_done > 0));
fake_does('cards 3');
is(finish_psql($psql[0])->{stdout}, $stock, 'before a change');
is(finish_psql($psql[1])->{stdout}, $changed, 'and after it');
is(passes_shared(), 0, 'are not the same');
sql('DELETE FROM clean WHERE id = 1; INSERT INTO clean VALUES (1, 1); VACUUM clean');

# ---------------------------------------- more clients than there are slots

SKIP:
{
	skip 'no pgbench', 3 if system('pgbench --version >/dev/null 2>&1') != 0;

	sql(q{
		ALTER SYSTEM SET gpuagg.max_tasks = 4;
		CREATE TABLE wrong (got text);
		CREATE TABLE stock AS SELECT ''::text AS answer;
		CREATE FUNCTION check_it() RETURNS void LANGUAGE plpgsql AS $$
		DECLARE got text;
		BEGIN
			SELECT md5(string_agg(x::text, ',' ORDER BY x::text)) INTO got FROM (SELECT g, count(*), sum(id), avg(n) FROM a GROUP BY g) x;
			IF got IS DISTINCT FROM (SELECT answer FROM stock) THEN INSERT INTO wrong VALUES (got); END IF;
		END $$;
		SET gpuagg.enable = off;
		UPDATE stock SET answer = (SELECT md5(string_agg(x::text, ',' ORDER BY x::text)) FROM (SELECT g, count(*), sum(id), avg(n) FROM a GROUP BY g) x);});
	$node->restart;
	wait_cards($node, 2);
	open my $file, '>', "$tmp/check.sql" or die $!;
	print $file "SELECT check_it();\n";
	close $file;
	local $ENV{PGOPTIONS} = '-c gpuagg.debug_require=prefer -c gpuagg.queue_timeout=60s -c gpuagg.fallback=off';
	my $run = finish_pgbench(start_pgbench($node, 200, '-c', 12, '-j', 2, '-t', 10, '-f', "$tmp/check.sql"));
	delete $ENV{PGOPTIONS};
	ok($run->{ok}, '12 clients that spread tasks, four slots') or diag($run->{stderr});
	is(sql('SELECT count(*) FROM wrong'), '0', 'all answers are right');
	cmp_ok($run->{seconds}, '<', 50, 'nobody waits for each other');
	no_tasks($node, 'nothing is left');
	sql('ALTER SYSTEM RESET gpuagg.max_tasks');
}

# ------------------------------------------------------------- three cards

$node->append_conf('postgresql.conf', "gpuagg.device = 'cuda:all'\n");
$node->restart;
wait_cards($node, 3);
is(cards_of($clean), 'cuda:0,cuda:1,cuda:2', 'three cards share it');
same_answer($node, $_, "three cards: $_") foreach @shared[ 0, 1, 6, 16 ];
crash_free($node, 'no crash');
done_testing();
