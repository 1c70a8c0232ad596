# MAP and BEGIN messages with which something is wrong (test/lib/rogue_client.c), and BLOCK messages and
# blocks of rows (test/lib/rogue_blocks.c): the task fails, with a reason, and nothing else is
# touched.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
(build_module('rogue_client', $dir) && build_module('rogue_blocks', $dir))
  or plan skip_all => 'no compiler, or no headers of the server';
chmod 0755, $dir;

my $node = new_node('rogue', 'shared_buffers = 64MB', 'autovacuum = off');
$node->safe_psql(
	'postgres', qq{
	CREATE FUNCTION rogue_map(relation regclass, what text, seed int DEFAULT 0) RETURNS text
	LANGUAGE c STRICT AS '$dir/rogue_client';
	CREATE FUNCTION rogue_block(what text, seed int DEFAULT 0) RETURNS text
	LANGUAGE c STRICT AS '$dir/rogue_blocks';
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 20000) i;
	CREATE TABLE cold AS SELECT i AS id FROM generate_series(1, 100) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) t');
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) cold');
my $query = 'SELECT g, count(*), sum(id) FROM t GROUP BY g ORDER BY g';
my $worker = worker_pid($node);

sub rogue
{
	my ($what, $table, $seed) = @_;

	return $node->safe_psql('postgres',
		"SELECT rogue_map('" . ($table // 't') . "', '$what', " . ($seed // 0) . ')');
}

# The cache has the table, and is right.
sub is_well
{
	my ($name) = @_;

	same_answer($node, $query, "$name: the answer");
	return is(rogue('good'), '20000 rows', "$name: all rows are there");
}

same_answer($node, $query, 'filled');
is_well('at first');
foreach my $case (
	[ 'tail', qr/^20000 rows$/ ],
	[ 'none', qr/^0 rows$/ ],
	[ 'short', qr/^garbled MAP message$/ ],
	[ 'long', qr/^garbled MAP message$/ ],
	[ 'no_bits', qr/^garbled MAP message$/ ],
	[ 'no_lsns', qr/^garbled MAP message$/ ],
	[ 'many_blocks', qr/^garbled MAP message$/ ],
	[ 'huge_blocks', qr/^garbled MAP message$/ ],
	[ 'more_blocks', qr/^MAP message about no extent$/ ],
	[ 'extent', qr/^MAP message about no extent$/ ],
	[ 'huge_extent', qr/^MAP message about no extent$/ ],
	[ 'zero_lsn', qr/^MAP message for another LSN$/ ],
	[ 'other_lsn', qr/^MAP message for another LSN$/ ],
	[ 'unused_lsns', qr/^MAP message out of order$/ ],
	[ 'more_lsns', qr/^garbled MAP message$/ ],
	[ 'fewer_lsns', qr/^garbled MAP message$/ ],
	[ 'huge_lsns', qr/^garbled MAP message$/ ],
	[ 'lsns_beyond', qr/^garbled MAP message$/ ],
	[ 'twice', qr/^MAP message out of order$/ ],
	[ 'order', qr/^batches out of order$/ ],
	[ 'no_request', qr/^unexpected MAP message$/ ])
{
	like(rogue($case->[0]), $case->[1], "MAP message: $case->[0]");
	is_well("after $case->[0]");
}
# what BEGIN tells of the map is believed only if it is so
foreach my $what ('ahead', 'ahead_wal', 'ahead_many', 'ahead_huge', 'ahead_first', 'ahead_wrapped', 'ahead_zero', 'ahead_lsn', 'ahead_kept')
{
	is(rogue($what), '20000 rows', "BEGIN message: $what");
	is_well("after $what");
}
like(rogue('use', 'cold'), qr/^MAP message out of order$/, 'use of what was not told');
is(rogue('good', 'cold'), '0 rows', 'a table of which nothing is held');
same_answer($node, 'SELECT sum(id) FROM cold', 'and its answer');

# what others tell of LSNs makes blocks be read again, no more
is(rogue('lsns'), '0 rows', 'wrong LSNs: nothing is used');
same_answer($node, $query, 'nor is it after that');
is_well('kept again');

# blocks of a plan's rows
my $rows = 'SELECT x % 7 AS g, count(*), sum(x) FROM generate_series(1, 100000) x GROUP BY 1 ORDER BY 1';
foreach my $case (
	[ 'good', qr/^10 groups$/ ],
	[ 'twice', qr/^10 groups$/ ],
	[ 'empty', qr/^0 groups$/ ],
	[ 'short', qr/^garbled BLOCK message$/ ],
	[ 'long', qr/^garbled BLOCK message$/ ],
	[ 'few_bytes', qr/^garbled ROWS message$/ ],
	[ 'more_bytes', qr/^garbled ROWS message$/ ],
	[ 'many_rows', qr/^garbled ROWS message$/ ],
	[ 'huge_rows', qr/^garbled ROWS message$/ ],
	[ 'few_rows', qr/^garbled ROWS message$/ ],
	[ 'most_bytes', qr/^the worker cannot read a block of rows$/ ],
	[ 'huge_bytes', qr/^garbled BLOCK message$/ ],
	[ 'offset', qr/^the worker cannot read a block of rows$/ ],
	[ 'huge_offset', qr/^the worker cannot read a block of rows$/ ],
	[ 'wrapped_offset', qr/^the worker cannot read a block of rows$/ ],
	[ 'no_segment', qr/^the worker cannot read a block of rows$/ ],
	[ 'states', qr/^garbled ROWS message$/ ],
	[ 'lengths', qr/^garbled ROWS message$/ ],
	[ 'huge_lengths', qr/^garbled ROWS message$/ ],
	[ 'gone_segment', qr/^(10 groups|the worker cannot read a block of rows)$/ ],
	[ 'changing', qr/^(\d+ groups|garbled ROWS message)$/ ])
{
	like($node->safe_psql('postgres', "SELECT rogue_block('$case->[0]')"), $case->[1], "BLOCK message: $case->[0]");
	is($node->safe_psql('postgres', "SELECT rogue_block('good')"), '10 groups', "after $case->[0]: a good one");
}
same_answer($node, $rows, 'rows of a plan go on');
no_tasks($node, 'no task of blocks is left');

# look-up tables that there cannot be, or whose numbers nobody has
foreach my $case (
	[ 'make_many', qr/the device makes no such look-up table/ ],
	[ 'make_three', qr/the device makes no such look-up table/ ],
	[ 'make_lower', qr/the device makes no such look-up table/ ],
	[ 'make_numbered', qr/a look-up table is not on the device any more/ ])
{
	my (undef, undef, $error) = $node->psql('postgres', "SELECT rogue_map('t', '$case->[0]')");

	like($error, $case->[1], "BEGIN message: $case->[0]");
	is_well("after $case->[0]");
}
no_tasks($node, 'no task of these is left');

# bytes at random
srand($ENV{GPUAGG_SEED} // 20260103);
my %answers;
foreach my $round (1 .. 10)
{
	my $seed = int(rand(1_000_000));

	$answers{ s/^\d+ rows/rows/r }++ foreach split /\n/,
	  $node->safe_psql('postgres', "SELECT rogue_map('t', 'fuzz', $seed + i) FROM generate_series(1, 200) i");
	same_answer($node, $query, "bytes at random, from seed $seed: the answer");
	same_answer($node, 'SELECT count(*), max(id) FROM t WHERE id % 3 = 0', "from seed $seed: another answer");
}
note("$_: $answers{$_}") foreach sort keys %answers;
cmp_ok(scalar keys %answers, '>=', 4, 'found wanting in several ways, or not');
%answers = ();
foreach my $round (1 .. 5)
{
	my $seed = int(rand(1_000_000));

	$answers{ s/^\d+ groups/groups/r }++ foreach split /\n/,
	  $node->safe_psql('postgres', "SELECT rogue_block('fuzz', $seed + i) FROM generate_series(1, 200) i");
	same_answer($node, $rows, "blocks with bytes at random, from seed $seed: the answer of others");
}
note("$_: $answers{$_}") foreach sort keys %answers;
cmp_ok(scalar keys %answers, '>=', 3, 'blocks: found wanting in several ways, or not');
is_well('after all');
is(worker_pid($node), $worker, 'the worker is the same');
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
