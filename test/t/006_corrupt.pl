# Damaged pages: PostgreSQL's error or PostgreSQL's reading of them, or our own
# error where an offset leads out of its page; never a crash.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node(
	'corrupt',
	'shared_buffers = 64MB',
	'autovacuum = off',
	'restart_after_crash = on');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id int, g int, s text, v int8);
	INSERT INTO t SELECT i, i % 5, 'str ' || i % 9, i FROM generate_series(1, 1500) i;
	VACUUM (FREEZE, ANALYZE) t;});
my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('t')");
my $query = 'SELECT g, count(*), sum(v), max(s COLLATE "C") FROM %s GROUP BY g ORDER BY g';
my $right = $node->safe_psql('postgres', sprintf $query, 't');
$node->stop;
my $intact = slurp_file($path);

# Writes a copy of the intact file with bytes at offsets of block 3.
sub damage
{
	my ($target, @patches) = @_;
	my $file = $intact;

	while (my ($offset, $bytes) = splice @patches, 0, 2)
	{
		substr($file, 3 * 8192 + $offset, length $bytes) = $bytes;
	}
	open my $fh, '>:raw', $target or die $!;
	print $fh $file;
	close $fh;
	return;
}

# The rows, the error, or CRASH.
sub answer
{
	my ($mode, $table, $query) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', $mode . sprintf $query, $table);

	return $out if $rc == 0;
	return 'ERROR ' . join "\n", grep { /ERROR/ } split /\n/, $err
	  if $node->psql('postgres', 'SELECT 1') == 0;
	$node->poll_query_until('postgres', 'SELECT true');
	wait_ready($node);
	return 'CRASH';
}

# Line pointer: lp_off 15 bits, lp_flags 2, lp_len 15
sub line { my ($off, $flags, $len) = @_; return pack 'V', $off | $flags << 15 | $len << 17; }
my $page = substr $intact, 3 * 8192, 8192;
my $lp = sub { return unpack 'V', substr $page, 24 + 4 * $_[0], 4; };
my $off = $lp->(5) & 0x7fff;
my $len = $lp->(5) >> 17;
my @cases = (
	[ 'lp_off beyond the page', 24 + 20, line(32767, 1, 48) ],
	[ 'lp_off at the very end', 24 + 20, line(8188, 1, 48) ],
	[ 'lp_off in the page header', 24 + 20, line(0, 1, $len) ],
	[ 'lp_len too long', 24 + 20, line($off, 1, 32767) ],
	[ 'lp_len too short', 24 + 20, line($off, 1, 4) ],
	[ 'lp_len zero', 24 + 20, line($off, 1, 0) ],
	[ 'lp_off not aligned', 24 + 20, line($off + 1, 1, $len) ],
	[ 'redirect to nowhere', 24 + 20, line(2000, 2, 0) ],
	[ 't_hoff too large', $off + 22, chr(255) ],
	[ 't_hoff zero', $off + 22, chr(0) ],
	[ 't_hoff not aligned', $off + 22, chr(25) ],
	[ 'natts too many', $off + 18, pack('v', 2000) ],
	[ 'natts zero', $off + 18, pack('v', 0) ],
	[ 'null bitmap that is none', $off + 20, pack('v', unpack('v', substr $page, $off + 20, 2) | 1) ],
	[ 'varlena length beyond the page', $off + 24 + 8, pack('V', 0x3fffffff << 2) ],
	[ 'varlena short header too long', $off + 24 + 8, chr(255) ],
	[ 'varlena external that points nowhere', $off + 24 + 8, chr(1) . chr(18) . ("\xff" x 8) ],
	[ 'varlena external of unknown kind', $off + 24 + 8, chr(1) . chr(77) ],
	[ 'varlena compressed, garbage', $off + 24 + 8, pack('VV', (40 << 2) | 2, 0x3fffffff) ],
	[ 'varlena length zero', $off + 24 + 8, pack('V', 0) ],
	[ 'pd_lower too large', 12, pack('v', 8190) ],
	[ 'pd_lower odd', 12, pack('v', 25) ],
	[ 'pd_lower zero', 12, pack('v', 0) ],
	[ 'pd_upper past special', 14, pack('v', 9000) ],
	[ 'pd_special past the page', 16, pack('v', 9000) ],
	[ 'wrong page version', 18, pack('v', 0x1234) ],
	[ 'all zero', 0, "\0" x 8192 ],
	[ 'all ones', 0, "\xff" x 8192 ],
	[ 'xmin of the future, not frozen', $off, pack('V', 4000000000), $off + 20, pack('v', 0x0002) ],
	[ 'line pointers all wrong', 24, line(8000, 1, 700) x 100 ]);
# and at random
srand 42;
foreach my $n (1 .. 60)
{
	my @patch;
	push @patch, int rand 8180, pack 'V', int rand 0xffffffff for 1 .. 1 + $n % 8;
	push @cases, [ "random $n", @patch ];
}

# One table each, so that a server does for all
$node->start;
$node->safe_psql(
	'postgres', join '',
	map {
		"CREATE TABLE c$_ (LIKE t); INSERT INTO c$_ SELECT * FROM t; VACUUM (FREEZE, ANALYZE) c$_;"
	} (0 .. $#cases));
my @paths = map { $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('c$_')") } (0 .. $#cases);
$node->stop;
damage($paths[$_], @{ $cases[$_] }[ 1 .. $#{ $cases[$_] } ]) foreach (0 .. $#cases);
$node->start;
wait_ready($node);
my ($crashes, $unlike, $errors, $found) = (0, 0, 0, 0);
# Groups; rows that the device chooses by all columns, and by their numbers only
my @queries = ($query,
	'SELECT ctid, id, v FROM %s TABLESAMPLE BERNOULLI (100) REPEATABLE (1) WHERE v > 0 AND s IS NOT NULL',
	'SELECT ctid, id FROM %s TABLESAMPLE SYSTEM (100) REPEATABLE (1)');
foreach my $try (0 .. @queries * @cases - 1)
{
	my ($i, $query) = (int $try / @queries, $queries[ $try % @queries ]);
	my $name = "$cases[$i][0]: $query";
	my $require = $query =~ /TABLESAMPLE/ ? "SET gpuagg.debug_require = 'prefer';" : '';
	# First, so that it is tried on what crashes PostgreSQL, too.
	my $device = answer('SET jit = off; SET gpuagg.debug_require = prefer; SET max_parallel_workers_per_gather = 0;' . $require,
		"c$i", $query);

	# what we refuse to follow, whatever PostgreSQL makes of it
	if ($device =~ /corrupt page|was chosen, but is no tuple/)
	{
		$found++;
		next;
	}
	# Where PostgreSQL reads past a page's end, it finds what the neighbouring
	# buffer holds: only from the second time on it finds the same.
	my $first = answer('SET gpuagg.enable = off;', "c$i", $query);
	my $stock = answer('SET gpuagg.enable = off;', "c$i", $query);
	# It does not survive every damage.
	next if $first eq 'CRASH' || $stock eq 'CRASH';
	$errors++ if $stock =~ /^ERROR/;
	next if $stock eq $device;
	$device eq 'CRASH' ? $crashes++ : $unlike++;
	diag("$name:\nPostgreSQL: $stock\ngpuagg: $device");
}
is($crashes, 0, 'no damage crashes what PostgreSQL survives');
is($unlike, 0, 'what is not refused is read as PostgreSQL reads it');
cmp_ok($found, '>', 10, 'offsets that leave the page are found');
cmp_ok($errors, '>', 3, 'some damage is an error of PostgreSQL');
unlike(slurp_file($node->logfile),
	qr/background worker "gpuagg[^"]*" .*terminated by signal/,
	'the device worker survives all of it');
wait_ready($node);
same_answer($node, (sprintf $query, 't'), 'an intact table reads on');
is( $node->safe_psql('postgres', "SET gpuagg.debug_require = 'require';" . sprintf $query, 't'),
	$right, 'and as before');
# the file is shorter than it was
$node->stop;
truncate $path, 5 * 8192 or die $!;
$node->start;
wait_ready($node);
same_answer($node, (sprintf $query, 't'), 'a file cut short reads as PostgreSQL reads it');
$node->stop;
done_testing();
