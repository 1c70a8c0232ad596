# Columns are packed by themselves: once they rest, beside changes, and before anything goes for lack
# of memory.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('pack', 'shared_buffers = 128MB', 'autovacuum = off', 'jit = off', 'gpuagg.cache_size = 20MB');

# a GPU packs by itself only where memory is short
if (device_kind($node) ne 'host')
{
	$node->append_conf('postgresql.conf', 'gpuagg.pack = on');
	$node->reload;
}

sub make
{
	my ($table, $rows) = @_;

	$node->safe_psql('postgres', qq{
		CREATE TABLE $table (id int, g int, d date, p numeric(12, 2), at timestamptz, s text);
		INSERT INTO $table SELECT i, i % 40, date '2024-01-01' + i / 1000, (i % 5000)::numeric / 100, timestamptz '2024-01-01' + i * interval '1 s', 's' || i % 100
			FROM generate_series(1, $rows) i;});
	$node->safe_psql('postgres', "VACUUM (FREEZE, ANALYZE) $table");
	return;
}

sub query
{
	my ($table) = @_;

	return "SELECT g, s, count(*), sum(id), sum(p), max(d), min(at) FROM $table WHERE d > '2024-01-20' GROUP BY g, s ORDER BY g, s";
}

# Whether a condition about what is kept of a table comes to hold
sub comes
{
	my ($table, $condition) = @_;

	return $node->poll_query_until('postgres',
		"SELECT $condition FROM gpuagg.cache WHERE table_name = '$table' AND attnum > 0");
}

my $packed = 'sum(bytes) * 2 < sum(plain_bytes)';
my $plain = 'sum(bytes) = sum(plain_bytes)';
my $whole = 'bool_and(pages = pages_total)';

make('large', 200000);
make('small', 20000);
$node->safe_psql('postgres', "SELECT gpuagg.load('small'), gpuagg.load('large')");
is($node->safe_psql('postgres', "SELECT $plain FROM gpuagg.cache"), 't', 'what has just come is plain');
ok(comes('large', $packed), 'a table that rests is packed');
ok(comes('large', $whole), '... and all of it is there');
same_answer($node, query('large'), 'it answers');
is($node->safe_psql('postgres', "SELECT $plain FROM gpuagg.cache WHERE table_name = 'small'"), 't',
	'one of few rows is not');
$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_compare = on; " . query('large'));
pass('what is packed is what the table has');

# A row changes all the time: the rest is packed nevertheless.
$node->safe_psql('postgres', "SELECT gpuagg.unload('large')");
my $is_packed = 0;
foreach my $round (1 .. 60)
{
	$node->safe_psql('postgres', "UPDATE large SET p = p + 0 WHERE id = 5; SET gpuagg.debug_require = 'require'; " . query('large'));
	$is_packed = $node->safe_psql('postgres', "SELECT $packed FROM gpuagg.cache WHERE table_name = 'large' AND attnum > 0") eq 't';
	last if $is_packed;
	$node->safe_psql('postgres', 'SELECT pg_sleep(0.5)');
}
ok($is_packed, 'a table is packed of which a row changes all the time');
same_answer($node, query('large'), '... and answers');

# All pages change: what was packed is of no use, and goes.
my $before = $node->safe_psql('postgres', q{SELECT sum(plain_bytes) FROM gpuagg.cache WHERE table_name = 'large'});
my $after;
$node->safe_psql('postgres', 'UPDATE large SET p = p + 0 WHERE id % 20 = 3');
foreach my $round (1 .. 60)
{
	$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; " . query('large'));
	$after = $node->safe_psql('postgres', q{SELECT sum(plain_bytes) FROM gpuagg.cache WHERE table_name = 'large'});
	last if $round > 2 && $after < 1.5 * $before;
	$node->safe_psql('postgres', 'SELECT pg_sleep(0.5)');
}
cmp_ok($after, '<', 1.5 * $before, 'what is of no use goes after a change of all pages');
same_answer($node, query('large'), '... the answer');
ok(comes('large', $packed), '... and it is packed again');

# Changes, by several at once, and readers, each of whom sees the same sum whenever he looks
my @changes = map { qq{BEGIN;
UPDATE large SET p = p - 1 WHERE id % 1000 = $_;
UPDATE large SET p = p + 1 WHERE id % 1000 = $_ + 500;
COMMIT;
} } 1 .. 40;
my $sum = $node->safe_psql('postgres', 'SET gpuagg.enable = off; SELECT sum(p), count(*) FROM large');
my @reads = map { "SET gpuagg.debug_require = 'prefer';\nSELECT 1 / (sum(p) = @{[(split /\|/, $sum)[0]]} AND count(*) = 200000)::int FROM large;\n" } 1 .. 40;
my @running = map { start_psql($node, join('', 'SET gpuagg.debug_pack = on;', @$_)) } (\@changes, \@reads, \@reads);
foreach my $i (0 .. $#running)
{
	my $psql = finish_psql($running[$i]);

	ok($psql->{ok}, $i == 0 ? 'rows change' : "... beside a reader of what is packed, $i") or diag($psql->{stderr});
}
same_answer($node, query('large'), 'the answer after it');
$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_compare = on; " . query('large'));
pass('what is kept is what the table has');

# Of three tables that do not fit as they come all is kept: what is there is packed before it goes.
$node->safe_psql('postgres', "SELECT gpuagg.unload('large'), gpuagg.unload('small')");
make("part$_", 150000) foreach 1 .. 4;
$node->safe_psql('postgres', "SELECT gpuagg.load('part$_')") foreach 1 .. 4;
cmp_ok($node->safe_psql('postgres', 'SELECT sum(plain_bytes) / (20 << 20) FROM gpuagg.cache'), '>', 1, 'tables beyond the limit');
ok(comes("part$_", $whole), "... are there, $_") foreach 1 .. 4;
same_answer($node, query("part$_"), "... and answer, $_") foreach 1 .. 4;

# Only as far as memory is short
$node->safe_psql('postgres', "SELECT gpuagg.unload('part$_')") foreach 1 .. 4;
$node->append_conf('postgresql.conf', 'gpuagg.pack = needed');
$node->reload;
ok($node->poll_query_until('postgres', 'SHOW gpuagg.pack', 'needed'), 'packing where it is needed');
$node->safe_psql('postgres', "SELECT pg_sleep(1), gpuagg.load('part1')");
$node->safe_psql('postgres', 'SELECT pg_sleep(5)');
ok(comes('part1', $plain), 'a table that has room stays plain');
make('rest', 60000);
$node->safe_psql('postgres', "SELECT gpuagg.load('part$_')") foreach 2 .. 3;
$node->safe_psql('postgres', "SELECT gpuagg.load('rest')");
my $used = $node->safe_psql('postgres', 'SELECT sum(plain_bytes) / (20 << 20) FROM gpuagg.cache');
cmp_ok($used, '>', 0.75, 'memory is short');
cmp_ok($used, '<', 1, '... and nothing has to go');
ok($node->poll_query_until('postgres', 'SELECT sum(bytes) < 0.76 * (20 << 20) FROM gpuagg.cache'), '... so some is packed');
ok($node->poll_query_until('postgres', 'SELECT sum(bytes) > 0.5 * (20 << 20) FROM gpuagg.cache'), '... and no more');
$node->safe_psql('postgres', "SELECT gpuagg.unload('rest'), gpuagg.load('part4')");
ok($node->poll_query_until('postgres', "SELECT sum(bytes) < sum(plain_bytes) * 0.9 AND sum(bytes) <= 20 << 20 FROM gpuagg.cache"),
	'four that have none do not');
ok(comes("part$_", $whole), "... are there, $_") foreach 1 .. 4;
same_answer($node, query("part$_"), "... and answer, $_") foreach 1 .. 4;

# Turned off
$node->safe_psql('postgres', "SELECT gpuagg.unload('part$_')") foreach 1 .. 4;
$node->append_conf('postgresql.conf', 'gpuagg.pack = off');
$node->reload;
ok($node->poll_query_until('postgres', 'SHOW gpuagg.pack', 'off'), 'packing is turned off');
$node->safe_psql('postgres', "SELECT pg_sleep(1), gpuagg.load('large')");
$node->safe_psql('postgres', 'SELECT pg_sleep(5)');
$node->safe_psql('postgres', "SELECT count(*) FROM large");
ok(comes('large', $plain), 'nothing is packed');
same_answer($node, query('large'), 'the answer');

crash_free($node, 'no crash');
$node->stop;
done_testing();
