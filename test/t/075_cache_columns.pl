# Columns come to what is kept while others use it: clients that never pause and ask for
# different columns do not keep each other from filling.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('cache_columns', 'shared_buffers = 256MB', 'autovacuum = off',
	'gpuagg.cache_size = 512MB');
my @columns = qw(a b c d s);

# u has compressed values, which the device leaves to PostgreSQL, in the rows of some pages.
sub make_table
{
	my ($name, $copy) = @_;
	my $rows = q{SELECT i AS id, i % 10 AS g, nullif(i % 7, 0) AS a, i::int8 * 3 AS b, i / 4.0::float8 AS c,
		date '2024-01-01' + i % 100 AS d, 's' || i % 50 AS s,
		CASE WHEN i % 1000 = 0 THEN repeat('u', 3000) ELSE 'u' || i % 3 END AS u FROM generate_series(1, 100000) i};

	$node->safe_psql('postgres', "DROP TABLE IF EXISTS $name; CREATE TABLE $name AS $rows; VACUUM (FREEZE, ANALYZE) $name;");
	return;
}

sub query
{
	my ($column, $table) = @_;

	return "SELECT g, count($column), min($column), max($column) FROM $table GROUP BY g ORDER BY g";
}

# Pages that a query read, and those that it had from the device
sub pages
{
	my ($q) = @_;
	my $plan = $node->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) $q");

	return map { $plan =~ /"$_": (\d+)/ ? $1 : -1 } ('Pages', 'Cached Pages');
}

sub is_running
{
	return $node->safe_psql('postgres', "SELECT count(*) FROM gpuagg.tasks WHERE state = 'running'");
}

# A task reads one column for seconds.  It ends with what it began with, whatever comes.
SKIP:
{
	slow_table($node, 3000);
	my $slow = slow_query(6, $node);
	my $reference = $node->safe_psql('postgres', "SET gpuagg.enable = off; $slow");
	$node->safe_psql('postgres', "SELECT gpuagg.unload('slow')");
	$node->safe_psql('postgres', "SELECT gpuagg.load('slow', '{g,t}')");
	my $seconds = slow_seconds($node, $slow);
	skip "a task over kept columns takes $seconds s here, which is too short to do anything beside it", 14 if $seconds < 3;

	my $psql = start_psql($node, "SET gpuagg.debug_require = require; $slow;");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM gpuagg.tasks WHERE state = 'running'");
	my $query = 'SELECT g, count(*), sum(id) FROM slow GROUP BY g ORDER BY g';
	my ($read, $cached) = pages($query);
	cmp_ok($read, '>', 0, "another column is read ($read)");
	($read, $cached) = pages($query);
	is($read, 0, 'and kept');
	cmp_ok($cached, '>', 0, "at the second run all is there ($cached)");
	same_answer($node, $query, 'its answer');
	is(is_running(), 1, 'the task uses them still');
	finish_psql($psql);
	is($psql->{stdout}, $reference, 'which has its answer');
	same_answer($node, 'SELECT g, count(*), sum(id), min(length(t)) FROM slow GROUP BY g ORDER BY g', 'both together');

	# a column of which some rows are left to PostgreSQL: which rows there are stays
	$node->safe_psql('postgres', q{
		ALTER TABLE slow ADD u text;
		ALTER TABLE slow ALTER t SET STORAGE PLAIN, ALTER u SET STORAGE MAIN;
		UPDATE slow SET u = CASE WHEN id % 100 = 0 THEN repeat('u', 3000) ELSE 'u' END;});
	$node->safe_psql('postgres', 'VACUUM FULL slow');
	$node->safe_psql('postgres', 'VACUUM slow');
	$node->safe_psql('postgres', "SELECT gpuagg.load('slow', '{g,t}')");
	$psql = start_psql($node, "SET gpuagg.debug_require = require; $slow;");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM gpuagg.tasks WHERE state = 'running'");
	$query = 'SELECT g, count(*), min(u), max(u) FROM slow GROUP BY g ORDER BY g';
	my ($all) = pages($query);
	($read) = pages($query);
	cmp_ok($read, '>', 0, "pages with compressed values are read each time ($read)");
	cmp_ok($read, '<', $all, "others of $all are not");
	same_answer($node, $query, 'the answer');
	is(is_running(), 1, 'the task uses its columns still');
	finish_psql($psql);
	is($psql->{stdout}, $reference, 'and has its answer');
	($read) = pages('SELECT g, count(*), min(length(t)) FROM slow GROUP BY g ORDER BY g');
	is($read, 0, 'its columns are there as before');
	same_answer($node, 'SELECT g, count(*), min(length(t)) FROM slow GROUP BY g ORDER BY g', 'with all rows');
}

# Rows that are locked: their pages get other LSNs, and are what they were.
make_table('locked');
pages(query('a', 'locked'));
$node->safe_psql('postgres', 'SELECT count(*) FROM (SELECT FROM locked FOR UPDATE) l');
pages(query($_, 'locked')) foreach qw(b a);
foreach my $column (qw(b a))
{
	my ($read) = pages(query($column, 'locked'));
	is($read, 0, "$column is there though rows were locked before it came");
	same_answer($node, query($column, 'locked'), "and $column is right");
}

# Pages have changed of which others are kept: what nobody could use any more gives way.
$node->safe_psql('postgres', 'UPDATE locked SET b = -b WHERE id % 50000 < 5000');
$node->safe_psql('postgres', 'VACUUM locked');
pages(query('d', 'locked'));
is((pages(query('d', 'locked')))[0], 0, 'after changes a new column is there at the second run');
same_answer($node, query($_, 'locked'), "and $_ is right") foreach qw(d a b);
pages(query($_, 'locked')) foreach qw(a b);
is((pages(query($_, 'locked')))[0], 0, "$_ is there again") foreach qw(a b d);

# Clients without pause, different columns each, and some that count rows
sub clients
{
	my ($table, $seconds) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my @clients;

	foreach my $column (@columns, 'u', '*')
	{
		my $file = "$directory/" . ($column eq '*' ? 'rows' : $column) . '.sql';

		append_to_file($file, $column eq '*' ? "SELECT count(*) FROM $table;\n" : query($column, $table) . ";\n");
		push @clients, start_pgbench($node, 120, '-c', 2, '-T', $seconds, '-f', $file);
	}
	return @clients;
}

# Columns of which all pages are there; seconds to wait for them
sub resident
{
	my ($table, $seconds) = @_;
	my $columns = join ',', map { "'$_'" } ('g', @columns);
	my $n;

	for (my $i = 0; $i < 10 * $seconds; $i++)
	{
		$n = $node->safe_psql('postgres',
			"SELECT count(*) FROM gpuagg.cache WHERE table_name = '$table' AND column_name IN ($columns) AND pages = pages_total");
		last if $n == 1 + @columns;
		select undef, undef, undef, 0.1;
	}
	return $n;
}

$node->append_conf('postgresql.conf', "gpuagg.debug_require = 'prefer'\n");
$node->reload;
make_table('t');
my @clients = clients('t', 8);
is(resident('t', 6), 1 + @columns, 'beside clients that never pause all columns are there soon');
same_answer($node, query($_, 't'), "and $_ is right") foreach @columns, 'u';
$node->safe_psql('postgres', 'UPDATE t SET b = b + 1, s = s || 1 WHERE id % 50000 < 5000');
finish_pgbench($_) foreach @clients;
cmp_ok($_->{transactions}, '>', 4, "they did something ($_->{transactions})") foreach @clients;
same_answer($node, query($_, 't'), "after a change, too, $_ is right") foreach @columns, 'u';

# Pages without an LSN
$node->append_conf('postgresql.conf', "wal_level = minimal\nmax_wal_senders = 0\n");
$node->restart;
wait_ready($node);
my $file = PostgreSQL::Test::Utils::tempdir() . '/rows';
$node->safe_psql('postgres', "COPY t TO '$file'; BEGIN; CREATE TABLE frozen (LIKE t); COPY frozen FROM '$file' (FREEZE); COMMIT;");
@clients = clients('frozen', 8);
is(resident('frozen', 6), 1 + @columns, 'pages that were never logged: all columns are there soon');
finish_pgbench($_) foreach @clients;
same_answer($node, query($_, 'frozen'), "and $_ is right") foreach @columns, 'u';
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
