# A table that shared_buffers does not hold: the host device's cache has a floor from the machine's memory, so
# that the second run finds the columns; a run that has to read them is predicted to take what reading takes.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use List::Util qw(max min);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('small_buffers', 'shared_buffers = 4MB', 'autovacuum = off', "gpuagg.device = 'host'");

sub sql
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

# ---------- the cache's floor ----------

# As src/host/machine.c reads it, of groups that a process sees
sub memory
{
	my ($bytes) = map { $_ * 1024 } slurp_file('/proc/meminfo') =~ /^MemTotal:\s+(\d+)/m;

	foreach my $line (split /\n/, slurp_file('/proc/self/cgroup'))
	{
		my ($root, $file, $group) =
			$line =~ /^0::(.*)/ ? ('/sys/fs/cgroup', 'memory.max', $1)
		  : $line =~ /:memory:(.*)/ ? ('/sys/fs/cgroup/memory', 'memory.limit_in_bytes', $1)
		  : next;
		do
		{
			my $path = "$root$group/$file";

			$bytes = min($bytes, $1) if -r $path && slurp_file($path) =~ /^(\d+)/ && $1 > 0;
		} while ($group =~ s{/[^/]*$}{});
	}
	return $bytes;
}

my $eighth = memory() / 8;
my $limit = sql("SELECT cache_limit FROM gpuagg.devices WHERE state = 'ready'");
cmp_ok(abs($limit / $eighth - 1), '<', 0.01, "an eighth of the machine's memory or the container's, whatever shared_buffers is ($limit)");

# ---------- a table of several times the buffers ----------
sql(q{CREATE TABLE t AS SELECT i AS id, i % 10 AS g, i::int8 AS v, repeat('x', 200) AS pad FROM generate_series(1, 100000) AS i});
sql('VACUUM (FREEZE, ANALYZE) t');

my $query = 'SELECT g, count(*), sum(v) FROM t GROUP BY g ORDER BY g';
my $pages = sql("SELECT pg_relation_size('t') / 8192");
my $unit = sql("SELECT cost_unit_ns FROM gpuagg.profile WHERE device_kind = 'host' AND device_name = '*'");

# Numbers of a plan by name
sub plan_of
{
	my ($set, $what) = @_;
	my $plan = sql("SET gpuagg.debug_require = 'prefer'; $set EXPLAIN ($what, FORMAT JSON) $query");

	return { $plan =~ /"([^"]+)": ([\d.]+)/g };
}

# A page of the kernel's costs about what seq_page_cost says, within a factor of three (doc/calibration.md)
my $read = plan_of('SET gpuagg.cache = off;', 'VERBOSE')->{'Predicted Feed Time'};
my $stock = ($pages - 512) * $unit / 1e6;
cmp_ok($read, '>', $stock / 3, "feeding has reading in it: $read ms, by PostgreSQL's cost $stock ms");
cmp_ok($read, '<', $stock * 3, 'and not much more');
my $disk = plan_of("SET gpuagg.cache = off; SET effective_cache_size = '8MB';", 'VERBOSE')->{'Predicted Feed Time'};
cmp_ok($disk, '>', $read * 1.5, "more where the kernel does not have it either: $disk ms");

my $first = plan_of('', 'ANALYZE, VERBOSE');
is($first->{'Pages'}, $pages, 'the first run reads the table');
is($first->{'Pages Kept'}, $pages, 'and keeps it whole');
my $second = plan_of('', 'ANALYZE, VERBOSE');
is($second->{'Pages'}, 0, 'the second reads nothing');
is($second->{'Cached Pages'}, $pages, 'and finds all of it');
cmp_ok($second->{'Predicted Feed Time'}, '<', $read / 10, 'which is known before');
same_answer($node, $query, 'the answer');

# ---------- a setting counts more ----------
$node->append_conf('postgresql.conf', "gpuagg.device_memory = '32MB'");
$node->restart;
wait_ready($node);
is(sql("SELECT cache_limit FROM gpuagg.devices WHERE state = 'ready'"), 16 * 1024 * 1024, 'half of gpuagg.device_memory at most');

# ---------- and what buffers can hold is not read ----------
$node->append_conf('postgresql.conf', "shared_buffers = '64MB'");
$node->restart;
wait_ready($node);
cmp_ok(plan_of('SET gpuagg.cache = off;', 'VERBOSE')->{'Predicted Feed Time'}, '<', $read / 2, 'what shared_buffers can hold is not read');

$node->stop;
done_testing();
