# Seeing gpuagg at work: counters of tables and databases, and what becomes of them
# when there are too many, a database goes, queries fail; metrics in Prometheus's
# format; doc/grafana.json against them; auto_explain; wait events.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('monitoring', 'autovacuum = off', 'gpuagg.device = host', 'gpuagg.debug_require = prefer',
	'shared_buffers = 64MB');

sub sql { return $node->safe_psql('postgres', $_[0]); }

# Counters of a table
sub of_table
{
	my ($table, $columns) = @_;

	return sql("SELECT $columns FROM gpuagg.stat_tables WHERE relid = '$table'::regclass");
}

sql(q{
	CREATE TABLE t (id int, g int, v float8, s text);
	INSERT INTO t SELECT i, i % 10, i, CASE WHEN i = 7 THEN repeat(md5(i::text), 300) ELSE 'x' END FROM generate_series(1, 20000) i;
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (2000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (2000) TO (9000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 8999) i;
	CREATE TABLE "od""d\ ta{ble}" AS SELECT i AS g FROM generate_series(1, 100) i;
	VACUUM (FREEZE, ANALYZE);});

# ---------- tables and databases ----------

sql('SELECT gpuagg.stat_reset()');
sql('SELECT g, sum(v) FROM t WHERE id <= 5000 GROUP BY g');
my $pages = sql(q{SELECT pg_relation_size('t') / 8192});
is(of_table('t', 'runs, fallbacks, refusals, rows_scanned, rows_passed, rows_evaluated, groups, pages, pages_cached, pages_kept'),
	"1|0|0|20000|5000|0|10|$pages|0|$pages", 'a query');
sql('SELECT g, sum(v) FROM t WHERE id <= 5000 GROUP BY g');
is(of_table('t', 'runs, groups, pages, pages_cached, zones_read + zones_skipped > 0'), "2|20|$pages|$pages|t",
	'the same from cached columns');
is(of_table('t', 'run_ms > 0 AND run_ms < 60000 AND device_ms > 0 AND device_ms <= run_ms * 2'), 't', 'times in milliseconds');
sql('SELECT count(s), max(s) FROM t');
is(of_table('t', 'rows_evaluated'), '1', 'a row that PostgreSQL evaluated');

my ($ret) = $node->psql('postgres', 'SELECT sum(g / (id - id)) FROM t');
isnt($ret, 0, 'an error of the data');
is(of_table('t', 'runs, fallbacks, rows_scanned'), '3|1|60000', 'counts as a fallback, its rows do not');
sql(q{SET gpuagg.debug_fault = 'begin'; SELECT sum(id) FROM t});
is(of_table('t', 'runs, fallbacks'), '3|2', 'a failing device, too');

sql(q{SELECT array_agg(g ORDER BY g) FROM t});
is(of_table('t', 'runs, refusals'), '3|1', 'a refusal');
sql(q{SELECT * FROM gpuagg.why_not('SELECT array_agg(g ORDER BY g) FROM t')});
is(of_table('t', 'refusals'), '1', 'asking why is none');

sql('SELECT g, count(*) FROM parts GROUP BY g');
is(of_table('parts', 'runs, rows_scanned, groups'), '1|9000|7', 'a partitioned table has its own row');
is(sql(q{SELECT count(*) FROM gpuagg.stat_tables WHERE relid IN ('parts1'::regclass, 'parts2'::regclass)}), '0',
	'its partitions have none');
my $database = q{SELECT runs, rows_scanned FROM gpuagg.stat_databases WHERE datname = 'postgres'};
my ($runs, $rows) = split /\|/, sql($database);
sql('SELECT g, count(*) FROM (SELECT g FROM parts1 UNION ALL SELECT g FROM t) u GROUP BY g');
is(sql($database), join('|', $runs + 1, $rows + 22000), 'UNION ALL counts for the database');
is(sql('SELECT sum(rows_scanned) FROM gpuagg.stat_tables'), $rows, 'and for no table');

# more tables than there is room for
sql(q{DO $$ BEGIN FOR i IN 1..1200 LOOP EXECUTE format('CREATE TABLE many_%s AS SELECT 1 AS g', i); END LOOP; END $$});
sql('SELECT gpuagg.stat_reset()');
sql(q{DO $$ BEGIN FOR i IN 1..1200 LOOP EXECUTE format('SELECT g, count(*) FROM many_%s GROUP BY g', i); END LOOP; END $$});
my $known = sql('SELECT count(*) FROM gpuagg.stat_tables');
cmp_ok($known, '<=', 1024, 'tables are bounded');
cmp_ok($known, '>', 512, 'and there are many');
is(counter($node, 'tables_forgotten'), 1200 - $known, 'those that gave way are counted');
is(sql($database), '1200|1200', 'the database has them all');
cmp_ok(of_table('many_1200', 'runs'), '==', 1, 'the last one stays');

# databases
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION gpuagg; CREATE TABLE x AS SELECT 1 AS g; SELECT g, count(*) FROM x GROUP BY g');
is(sql(q{SELECT datname, relation IS NULL, runs FROM gpuagg.stat_tables WHERE datname = 'other'}), 'other|t|1',
	'a table of another database, without its name');
is(sql(q{SELECT runs FROM gpuagg.stat_databases WHERE datname = 'other'}), '1', 'and that database');
$node->safe_psql('postgres', 'DROP DATABASE other');
is(sql('SELECT count(*) FROM gpuagg.stat_tables WHERE datname IS NULL'), '0', 'a dropped database is forgotten');
is(sql('SELECT count(*) FROM gpuagg.stat_databases WHERE datname IS NULL'), '0', 'by both views');

# ---------- metrics ----------

sql('SELECT gpuagg.stat_reset()');
sql('CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher; GRANT USAGE ON SCHEMA gpuagg TO watcher');
sql('SELECT g, sum(v) FROM t GROUP BY g');
sql(q{SELECT g, count(*) FROM "od""d\ ta{ble}" GROUP BY g});
my $text = $node->safe_psql('postgres', 'SET ROLE watcher; SELECT gpuagg.metrics_text()');
my $sample = qr/^([a-z][a-z0-9_]*)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (-?[0-9.]+(?:e[+-]?\d+)?)$/;
my (%type, %labels, %value, @wrong);

foreach my $line (split /\n/, $text)
{
	if ($line =~ /^# TYPE (\S+) (counter|gauge)$/)
	{
		push @wrong, $line if $type{$1};
		$type{$1} = $2;
	}
	elsif ($line =~ $sample)
	{
		my ($name, $of, $value) = ($1, $2 // '', $3);

		push @wrong, $line if !$type{$name} || ($type{$name} eq 'counter') != ($name =~ /_total$/);
		$labels{$name}{$1} = 1 while $of =~ /([a-z]+)="/g;
		push @wrong, "twice: $line" if exists $value{"${name}\{$of}"};
		$value{"${name}\{$of}"} = $value;
	}
	elsif ($line !~ /^# HELP [a-z][a-z0-9_]* \S.*$/) { push @wrong, $line; }
}
is_deeply(\@wrong, [], "metrics_text() is Prometheus's format");
is($value{'gpuagg_tasks_total{}'}, 2, 'a counter');
is($value{'gpuagg_device_ready{device="0",kind="host"}'}, 1, 'a gauge of the device');
is($value{'gpuagg_database_rows_scanned_total{database="postgres"}'}, 20100, 'of the database');
is($value{'gpuagg_table_rows_scanned_total{database="postgres",relation="t",schema="public"}'}, 20000, 'of a table');
is($value{'gpuagg_table_groups_total{database="postgres",relation="od\\"d\\\\ ta{ble}",schema="public"}'}, 100,
	'of one with a name that wants quoting');
is(scalar(grep { /^gpuagg_table_runs_total/ } keys %value), 2, 'only of those that were used');
is(sql('SELECT count(*) FROM gpuagg.stat'), scalar(grep { !/^gpuagg_(device|database|table)_/ } keys %type),
	'every counter of gpuagg.stat is a metric');

# ---------- the dashboard ----------

SKIP:
{
	my $file = "$FindBin::RealBin/../../doc/grafana.json";

	skip 'no documents here', 4 if !-f $file;
	require JSON::PP;
	my $dashboard = JSON::PP::decode_json(slurp_file($file));
	my @panels = grep { $_->{type} ne 'row' } @{ $dashboard->{panels} };
	my %ids = map { $_->{id} => 1 } @{ $dashboard->{panels} };
	my %builtin = map { $_ => 1 } qw(rate sum by instance datasource __rate_interval label_values);
	my @exprs = map { $_->{expr} } map { @{ $_->{targets} } } @panels;
	my (@unknown, %used);

	push @exprs, map { $_->{query}{query} } grep { ref $_->{query} } @{ $dashboard->{templating}{list} };
	foreach my $expr (@exprs)
	{
		my @names = $expr =~ /(gpuagg_\w+)/g;
		my %known = map { $_ => 1 } map { keys %{ $labels{$_} // {} } } @names;

		$used{$_} = 1 for @names;
		push @unknown, grep { !$type{$_} } @names;
		push @unknown, "$expr: nothing of gpuagg" unless @names;
		# what it selects and groups by are labels of its metrics
		push @unknown, map { "$expr: $_" } grep { !$known{$_} && $_ ne 'instance' }
		  map { split /,\s*/ } $expr =~ /\bby \(([^)]*)\)/g;
		push @unknown, map { "$expr: $_" } grep { !$known{$_} && $_ ne 'instance' } $expr =~ /[{,](\w+)=~?"/g;
		# counters are shown as rates, gauges are not
		push @unknown, map { "$expr: $_ as it is" }
		  grep { ($type{$_} // '') eq 'counter' && $expr !~ /rate\($_\b/ && $expr !~ /^label_values/ } @names;
		push @unknown, map { "$expr: a rate of $_" } grep { ($type{$_} // '') eq 'gauge' && $expr =~ /rate\($_\b/ } @names;
	}
	foreach my $target (map { @{ $_->{targets} } } @panels)
	{
		my %known = map { $_ => 1 } map { keys %{ $labels{$_} // {} } } $target->{expr} =~ /(gpuagg_\w+)/g;

		push @unknown, map { "legend $target->{legendFormat}: $_" } grep { !$known{$_} } $target->{legendFormat} =~ /\{\{(\w+)\}\}/g;
	}
	is_deeply(\@unknown, [], 'doc/grafana.json asks for metrics and labels that there are');
	cmp_ok(scalar(@panels), '>=', 12, 'it has panels');
	cmp_ok(scalar(keys %used), '>=', 25, 'of many metrics');
	is(scalar(keys %ids), scalar(@{ $dashboard->{panels} }), 'each with a number of its own');
}

# ---------- auto_explain, wait events ----------

SKIP:
{
	my ($rc, $out, $err) = $node->psql('postgres', q{LOAD 'auto_explain'});

	skip 'auto_explain is not installed', 3 if $rc != 0;
	my $offset = -s $node->logfile;
	sql(q{LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
		SET auto_explain.log_verbose = on; SELECT g, sum(v) FROM t WHERE id <= 5000 GROUP BY g;
		SELECT sum(g / (id - id)) FILTER (WHERE id < 0) FROM t; SET gpuagg.debug_fault = 'begin'; SELECT sum(id) FROM t});
	my $log = slurp_file($node->logfile, $offset);
	like($log, qr/Custom Scan \(GpuAgg\).*Groups: 10\b/s, 'auto_explain shows the node and its figures');
	like($log, qr/Predicted Time: .* Bound By: |Predicted Time: /, 'and what was predicted');
	like($log, qr/Fallback Reason: device/, 'and why it fell back');
}

slow_table($node, 4000);
my $event = $node->pg_version >= 17 ? 'GpuAggTask' : 'Extension';
my $slow = start_psql($node, slow_query(8, $node));

wait_task($node);
ok( $node->poll_query_until('postgres', qq{SELECT count(*) > 0 FROM pg_stat_activity a JOIN gpuagg.tasks t USING (pid)
		WHERE a.wait_event_type = 'Extension' AND a.wait_event = '$event'}),
	'who waits for the device shows it in pg_stat_activity');
sql('SELECT pg_cancel_backend(pid) FROM gpuagg.tasks');
finish_psql($slow);
no_tasks($node);
crash_free($node, 'no crash');

$node->stop;
done_testing();
