# Queries on a hot standby, while the primary writes and vacuums, and after
# promotion.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = new_node('primary', 'shared_buffers = 64MB', 'autovacuum = off');
$primary->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g, i % 100 AS v FROM generate_series(1, 50000) i;
	ALTER TABLE t SET (autovacuum_enabled = off);
	CREATE TABLE balance AS SELECT i AS id, i % 10 AS g, 100 AS amount FROM generate_series(1, 20000) i;});
$primary->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) t');
$primary->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) balance');
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf',
	"max_standby_streaming_delay = -1\nhot_standby_feedback = on\n");
$standby->start;
wait_ready($standby);
my $query = 'SELECT g, count(*), sum(v), min(id), max(id) FROM t GROUP BY g ORDER BY g';

sub both
{
	my ($what) = @_;

	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('flush'));
	same_answer($standby, $query, "standby: $what");
	is( $standby->safe_psql(
			'postgres', "SET gpuagg.debug_require = 'require'; $query"),
		$primary->safe_psql(
			'postgres', "SET gpuagg.debug_require = 'require'; $query"),
		"primary and standby agree: $what");
	return;
}
both('all visible');
$primary->safe_psql('postgres', 'DELETE FROM t WHERE id % 7 = 0');
both('deleted');
$primary->safe_psql('postgres', 'UPDATE t SET v = v + 1 WHERE id % 3 = 0');
both('updated');
$primary->safe_psql('postgres', 'VACUUM t');
both('vacuumed');
$primary->safe_psql('postgres',
	'INSERT INTO t SELECT i, i % 13, 1 FROM generate_series(60001, 65000) i');
both('inserted');
# in progress on the primary: not to be seen
my $writer = $primary->background_psql('postgres');
$writer->query_safe('BEGIN');
$writer->query_safe('UPDATE t SET v = 1000000; DELETE FROM t WHERE g = 3');
$primary->safe_psql('postgres', 'INSERT INTO t VALUES (1, 1, 1)');
both('beside an open transaction');
$writer->query_safe('ROLLBACK');
$writer->quit;
both('after its abort');
# an old snapshot on the standby keeps its rows
my $reader = $standby->background_psql('postgres');
$reader->query_safe("SET gpuagg.debug_require = 'require'");
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
my $seen = $reader->query_safe($query);
$primary->safe_psql('postgres', 'UPDATE t SET v = 7');
$primary->safe_psql('postgres', 'INSERT INTO t VALUES (2, 2, 2)');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('flush'));
is($reader->query_safe($query), $seen, 'an old snapshot stays as it was');
$reader->query_safe('COMMIT');
$reader->quit;
both('after it');

# On a standby a page's mark that all its rows are visible to all is not trusted, as
# there are snapshots that the primary does not know: half of these rows are deleted,
# and the mark is set by hand.
$primary->safe_psql(
	'postgres', q{
	CREATE TABLE marked AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 1000) i;
	DELETE FROM marked WHERE id % 2 = 0;
	CHECKPOINT});
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('flush'));
my $file = $standby->data_dir . '/'
  . $standby->safe_psql('postgres', "SELECT pg_relation_filepath('marked')");
$standby->stop;
for (my $at = 0; $at < -s $file; $at += 8192)
{
	my ($pd_flags, $all_visible) = (10, 0x0004);
	open my $page, '+<:raw', $file or die $!;
	seek $page, $at + $pd_flags, 0;
	read $page, my $flags, 2;
	seek $page, $at + $pd_flags, 0;
	print $page pack 'S', $all_visible | unpack 'S', $flags;
	close $page or die $!;
}
$standby->start;
wait_ready($standby);
is( $standby->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; SELECT count(*), sum(id) FROM marked"),
	'500|250000',
	'all-visible pages of a standby are not trusted');

# a sum that every transaction of the primary keeps, read on the standby
# while they run and vacuum removes their dead rows
my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/move.sql", q{
\set a random(1, 20000)
\set b random(1, 20000)
BEGIN;
UPDATE balance SET amount = amount - 1 WHERE id = :a;
UPDATE balance SET amount = amount + 1 WHERE id = :b;
COMMIT;
});
$primary->safe_psql('postgres', 'CREATE INDEX ON balance (id)');
my $bench = start_pgbench($primary, 100, '-c', 2, '-T', 6, '-f', "$dir/move.sql");
my ($rounds, $wrong) = (0, 0);
while ($bench->{run}->pumpable)
{
	$bench->{run}->pump_nb;
	my $sum = $standby->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; SELECT count(*), sum(amount) FROM balance");
	$rounds++;
	if ($sum ne '20000|2000000')
	{
		$wrong++;
		diag("standby saw $sum");
	}
	$sum = $primary->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; SELECT count(*), sum(amount) FROM balance");
	if ($sum ne '20000|2000000')
	{
		$wrong++;
		diag("primary saw $sum");
	}
	$primary->safe_psql('postgres', 'VACUUM balance') if $rounds % 5 == 0;
}
cmp_ok(finish_pgbench($bench)->{transactions}, '>', 10, 'amounts moved');
cmp_ok($rounds, '>', 5, "many rounds ($rounds)");
is($wrong, 0, 'every snapshot sums up');
# promotion
$standby->promote;
$standby->safe_psql('postgres', 'UPDATE t SET v = v + 1; DELETE FROM t WHERE id < 100');
same_answer($standby, $query, 'promoted');
crash_free($_, 'no crash') foreach ($primary, $standby);
$standby->stop;
$primary->stop;
done_testing();
