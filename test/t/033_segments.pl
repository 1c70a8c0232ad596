# Programs with large look-up tables lie in a dynamic segment, and travel in pieces where
# there is none; the answers are the same.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use Test::More;
use Time::HiRes qw(stat);

my $node = new_node('segments', 'shared_buffers = 64MB', 'dynamic_shared_memory_type = mmap',
	'max_parallel_workers_per_gather = 0');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE fact AS SELECT i % 50000 AS k, i AS v, repeat('x', 60) AS pad FROM generate_series(1, 100000) i;
	CREATE TABLE dim (k int PRIMARY KEY, n text, x int8);
	INSERT INTO dim SELECT i * 2, 'name ' || i % 700, i * 1000003::int8 FROM generate_series(1, 20000) i;
	ANALYZE fact, dim;});
my $folder = $node->data_dir . '/pg_dynshmem';
my $query = 'SELECT n, count(*), sum(x), sum(v) FROM fact JOIN dim USING (k) GROUP BY n ORDER BY n';
my $worker = worker_pid($node);

# when a segment came or went last
sub changed
{
	return (stat($folder))[9];
}

# those that are there, the server's own among them
sub made
{
	opendir(my $dir, $folder) or return -1;
	my @files = grep { !/^\./ } readdir($dir);
	closedir($dir);
	return scalar(@files);
}

my $before = made();
my $since = changed();
same_answer($node, $query, 'in a segment');
cmp_ok(changed(), '>', $since, '... which has come');
is(made(), $before, '... and gone');

chmod(0500, $folder);
$since = changed();
same_answer($node, $query, 'in pieces');
is(changed(), $since, '... and no segment');
chmod(0700, $folder);
same_answer($node, $query, 'in a segment again');
is(worker_pid($node), $worker, 'the worker has gone on');

# a query that is cancelled while it has one
$node->psql('postgres', "SET statement_timeout = 5; $query") for 1 .. 20;
is(made(), $before, 'nothing is left of those that were cancelled');
same_answer($node, $query, 'after them');
done_testing();
