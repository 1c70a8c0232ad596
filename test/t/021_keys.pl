# Keys whose bytes are nearly all alike: grouping them takes about as long as grouping
# others, and gives the same groups.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Chains of a hash table would be thousands of times as long; a machine that others
# use is not that much slower for one of two queries at their fastest.
use constant MOST_TIMES_SLOWER => 8;

my $node = new_node('keys', 'shared_buffers = 256MB');
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION mixed(i int) RETURNS int8 IMMUTABLE LANGUAGE sql AS
		$$ SELECT ('x' || left(md5(i::text), 16))::bit(64)::int8 $$;
	CREATE FUNCTION fastest_ms(q text) RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE
		best float8 := 'Infinity';
		start timestamptz;
	BEGIN
		FOR i IN 1 .. 5 LOOP
			start := clock_timestamp();
			EXECUTE q;
			best := least(best, 1000 * extract(epoch FROM clock_timestamp() - start));
		END LOOP;
		RETURN best;
	END $$;});

# type of the key, keys made to be alike (of i, 0 to 199999), others
foreach my $case (
	[ 'int4', 'i << 13', 'mixed(i) >> 32' ],
	[ 'int8', 'i::int8 << 46', 'mixed(i)' ],
	[ 'int8', 'i::int8 << 32 | i', 'mixed(i)' ],
	[ 'float8', 'i', 'mixed(i)' ],
	[ 'timestamp', q('2000-01-01'::timestamp + i * interval '1 day'), q('2000-01-01'::timestamp + mixed(i) % 100000000000 * interval '1 us') ],
	[ 'text', q(repeat('long equal prefix ', 10) || i), q(md5(i::text) || repeat('long equal suffix ', 9)) ],
	[ 'text', q(lpad('', i % 200, ' ') || i / 200), q(md5(i::text) || lpad('', i % 200, ' ')) ])
{
	my ($type, $alike, $other) = @$case;
	my $group = 'SELECT %s, count(*), sum(v) FROM keys GROUP BY 1';

	$node->safe_psql(
		'postgres', qq{
		DROP TABLE IF EXISTS keys;
		CREATE TABLE keys AS SELECT ($alike)::$type AS alike, ($other)::$type AS other, i AS v
		FROM generate_series(0, 199999) i;
		VACUUM (FREEZE, ANALYZE) keys;});
	same_answer($node, sprintf("$group ORDER BY 1", 'alike'), "$type, $alike: the same groups");
	my ($slow, $fast) = split /\|/, $node->safe_psql('postgres',
		sprintf "SET gpuagg.debug_require = 'require'; SET work_mem = '256MB'; SELECT fastest_ms('$group'), fastest_ms('$group')",
		'alike', 'other');
	note("$alike: $slow ms, $other: $fast ms");
	cmp_ok($slow, '<', MOST_TIMES_SLOWER * $fast, "$type, $alike: about as fast as $other");
}
crash_free($node, 'no crash');
$node->stop;
done_testing();
