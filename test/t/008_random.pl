# Random queries of one table, and groupings of tables of random columns, with
# gpuagg off and on: the same rows or the same error.
#
# GPUAGG_SEED, GPUAGG_QUERIES and GPUAGG_LAYOUTS in the environment try others
# than the ones of every day.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20260101;
my $queries = $ENV{GPUAGG_QUERIES} // 400;
my $layouts = $ENV{GPUAGG_LAYOUTS} // 150;
srand $seed;

my $node = new_node('random', 'shared_buffers = 64MB');
my $setup = slurp_file("$FindBin::RealBin/../regress/sql/setup.sql");
$setup =~ s/^CREATE EXTENSION gpuagg;$//m;
$node->safe_psql('postgres', $setup);
$node->safe_psql(
	'postgres', q{
	CREATE TABLE r (id int4 NOT NULL, s int2, i int4, j int4, l int8, f float8, e float4, b bool, c bool,
					d date, ts timestamp, t text, v varchar(30), k text COLLATE "C", h char(6), u uuid);
	INSERT INTO r
	SELECT n, CASE WHEN n % 11 > 0 THEN (x % 200 - 100)::int2 END, CASE WHEN n % 13 > 0 THEN (x % 17 - 8)::int4 END,
		   (x % 1000003 - 500000)::int4, CASE n % 50 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN NULL ELSE x % 100000000000 END,
		   CASE n % 40 WHEN 0 THEN 'NaN' WHEN 1 THEN 'inf' WHEN 2 THEN NULL WHEN 3 THEN -0.0 ELSE (x % 2048 - 1024) / 64.0 END,
		   CASE n % 9 WHEN 0 THEN NULL ELSE (x % 512 - 256) / 16.0 END,
		   CASE x % 3 WHEN 0 THEN true WHEN 1 THEN false END, n % 2 = 0,
		   CASE WHEN n % 29 > 0 THEN '2000-01-01'::date + (x % 20000 - 10000)::int4 END,
		   CASE WHEN n % 31 > 0 THEN '2000-01-01'::timestamp + (x % 900000000 - 450000000) * interval '1.000001 second' END,
		   (ARRAY['', 'a', 'ab', 'ä', 'abc abc', 'the quick brown fox jumps', NULL, 'x%y_z'])[x % 8 + 1],
		   CASE WHEN n % 17 > 0 THEN 'v' || x % 23 END,
		   CASE n % 97 WHEN 0 THEN repeat('long' || x % 3, 1500) ELSE 'k' || x % 29 END,
		   CASE WHEN n % 19 > 0 THEN 'h' || x % 7 END, CASE WHEN n % 7 > 0 THEN md5((x % 11)::text)::uuid END
	FROM (SELECT n, hashint8extended(n, 7) & 1152921504606846975 AS x FROM generate_series(1, 1500) n) y;
	DELETE FROM r WHERE id % 37 = 0;
	ALTER TABLE r ADD COLUMN z int4 DEFAULT 5;
	UPDATE r SET z = id % 6 WHERE id % 3 = 0;
	ANALYZE r;});

sub pick { return $_[ int rand @_ ]; }

my %column = (
	int2 => ['s'],
	int4 => [ 'i', 'j', 'id', 'z' ],
	int8 => ['l'],
	float8 => ['f'],
	float4 => ['e'],
	bool => [ 'b', 'c' ],
	date => ['d'],
	timestamp => ['ts'],
	text => [ 't', 'v::text', 'k COLLATE "default"' ],
	char => ['h'],
	uuid => ['u']);
my %constant = (
	int2 => [ '1::int2', '0::int2', '-7::int2', '99::int2' ],
	int4 => [ '0', '1', '2', '-3', '10', '1000', 'NULL::int4' ],
	int8 => [ '1::int8', '0::int8', '-5::int8', '10000000000' ],
	float8 => [ '0.5::float8', '0::float8', '-2::float8', "'NaN'::float8", '100::float8' ],
	float4 => [ '1.5::float4', '-0.25::float4' ],
	bool => [ 'true', 'false', 'NULL::bool' ],
	date => [ "'2000-01-01'::date", "'1990-06-15'::date", "'2024-02-29'::date" ],
	timestamp => [ "'2000-01-01'::timestamp", "'2010-03-04 05:06:07'::timestamp" ],
	text => [ "'a'", "''", "'abc'", "'v5'", "'ä'" ],
	char => [ "'h1'::char(6)", "'h3'::char(6)" ],
	uuid => [ "md5('1')::uuid", "md5('5')::uuid" ]);
my @types = qw(int4 int4 int8 float8 float4 bool date timestamp text text char uuid int2);

# An expression of a type; deeper ones are rarer.
sub expr
{
	my ($type, $depth) = @_;
	my $d = $depth - 1;
	my $sub = sub { return expr($_[0], $d); };
	my @forms;

	return pick(@{ $column{$type} }) if $depth <= 0 || rand() < 0.3;
	return pick(@{ $constant{$type} }) if rand() < 0.12;
	push @forms,
	  sub { 'CASE WHEN ' . $sub->('bool') . ' THEN ' . $sub->($type) . ' ELSE ' . $sub->($type) . ' END' },
	  sub { 'CASE WHEN ' . $sub->('bool') . ' THEN ' . $sub->($type) . ' END' },
	  sub { 'coalesce(' . $sub->($type) . ', ' . $sub->($type) . ')' },
	  sub { 'nullif(' . $sub->($type) . ', ' . $sub->($type) . ')' };
	if ($type =~ /^int/)
	{
		push @forms, (
			sub { '(' . $sub->($type) . pick(' + ', ' - ', ' * ', ' / ', ' % ') . $sub->($type) . ')' },
			sub { '(' . $sub->($type) . pick(' & ', ' | ', ' # ') . $sub->($type) . ')' }) x 2,
		  sub { '(- ' . $sub->($type) . ')' }, sub { 'abs(' . $sub->($type) . ')' },
		  sub { '(' . $sub->(pick('int2', 'int4', 'int8', 'float8', 'float4')) . ")::$type" };
		push @forms, sub { 'length(' . $sub->('text') . ')' },
		  sub { '(' . $sub->('date') . ' - ' . $sub->('date') . ')' },
		  sub { 'extract(' . pick('year', 'month', 'dow', 'doy') . ' FROM ' . $sub->('date') . ')::int4' }
		  if $type eq 'int4';
	}
	elsif ($type =~ /^float/)
	{
		push @forms, (sub { '(' . $sub->($type) . pick(' + ', ' - ', ' * ', ' / ') . $sub->($type) . ')' }) x 3,
		  sub { '(- ' . $sub->($type) . ')' }, sub { 'abs(' . $sub->($type) . ')' },
		  sub { '(' . $sub->(pick('int2', 'int4', 'int8', 'float8', 'float4')) . ")::$type" };
		push @forms, sub { pick('floor', 'ceil', 'trunc', 'round') . '(' . $sub->($type) . ')' }
		  if $type eq 'float8';
	}
	elsif ($type eq 'bool')
	{
		my $t = pick(@types);

		$t = pick('int4', 'float8', 'date') if $t eq 'bool';
		push @forms,
		  (sub { '(' . $sub->($t) . pick(' = ', ' <> ') . $sub->($t) . ')' }) x 2,
		  (sub { my $o = pick('int4', 'int8', 'float8', 'date', 'timestamp', 'uuid'); '(' . $sub->($o) . pick(' < ', ' <= ', ' > ', ' >= ') . $sub->($o) . ')' }) x 3,
		  (sub { '(' . $sub->('bool') . pick(' AND ', ' OR ') . $sub->('bool') . ')' }) x 3,
		  sub { '(NOT ' . $sub->('bool') . ')' },
		  sub { '(' . $sub->($t) . pick(' IS NULL', ' IS NOT NULL') . ')' },
		  sub { '(' . $sub->('bool') . pick(' IS TRUE', ' IS NOT TRUE', ' IS FALSE', ' IS NOT FALSE', ' IS UNKNOWN', ' IS NOT UNKNOWN') . ')' },
		  sub { '(' . $sub->($t) . pick(' IS DISTINCT FROM ', ' IS NOT DISTINCT FROM ') . $sub->($t) . ')' },
		  sub { '(' . $sub->($t) . pick(' IN (', ' NOT IN (') . join(', ', map { pick(@{ $constant{$t} }) } 1 .. 1 + int rand 5) . '))' },
		  sub { my $o = pick('int4', 'float8', 'date'); '(' . $sub->($o) . pick(' BETWEEN ', ' NOT BETWEEN ') . $sub->($o) . ' AND ' . $sub->($o) . ')' },
		  sub { '(' . $sub->('text') . pick(' LIKE ', ' NOT LIKE ') . pick("'a%'", "'%b%'", "'_'", "'%'", "'v_%'", "'%ong%'", "'%quick%fox%'") . ')' };
	}
	elsif ($type eq 'date')
	{
		push @forms, sub { '(' . $sub->('date') . pick(' + ', ' - ') . '(' . $sub->('int4') . ' % 1000))' },
		  sub { $sub->('timestamp') . '::date' };
	}
	elsif ($type eq 'timestamp')
	{
		push @forms, sub { "date_trunc('" . pick('hour', 'day', 'week', 'month', 'year', 'second') . "', " . $sub->('timestamp') . ')' },
		  sub { $sub->('date') . '::timestamp' };
	}
	elsif ($type eq 'text')
	{
		push @forms, sub { 'substr(' . $sub->('text') . ', ' . pick('1', '2', '0', '3') . ', ' . pick('1', '2', '5') . ')' },
		  sub { $sub->('char') . '::text' };
	}
	return (pick(@forms))->();
}

sub aggregate
{
	my $form = pick(qw(count* count sum avg min max bool bit));
	my $filter = rand() < 0.25 ? ' FILTER (WHERE ' . expr('bool', 2) . ')' : '';
	my $float = 0;
	my $call;

	if ($form eq 'count*') { $call = 'count(*)'; }
	elsif ($form eq 'count') { $call = 'count(' . expr(pick(@types), 2) . ')'; }
	elsif ($form =~ /sum|avg/)
	{
		my $type = pick(qw(int2 int4 int8 float8 float4));

		# sum(float4) adds in single precision in PostgreSQL
		$float = $type eq 'float8' || $form eq 'avg' && $type eq 'float4' ? 1e-9 : $type eq 'float4' ? 1e-4 : 0;
		$call = "$form(" . expr($type, 3) . ')';
	}
	elsif ($form =~ /min|max/)
	{
		my $type = pick(qw(int2 int4 int8 float8 date timestamp));

		$call = "$form(" . expr($type, 3) . ($type eq 'float8' ? ' + 0.0' : '') . ')';
		$call = "$form(k)" if rand() < 0.1;
	}
	elsif ($form eq 'bool') { $call = pick('bool_and', 'bool_or', 'every') . '(' . expr('bool', 3) . ')'; }
	else { $call = pick('bit_and', 'bit_or', 'bit_xor') . '(' . expr(pick('int4', 'int8'), 2) . ')'; }
	return ("$call$filter", $float);
}

my %outcomes;
my @failures;
my $script = '';
my @asked;
foreach my $n (1 .. $queries)
{
	my ($float, @aggs, @keys) = (0);

	foreach (1 .. 1 + int rand 3)
	{
		my ($call, $f) = aggregate();

		push @aggs, $call;
		$float = $f if $f > $float;
	}
	foreach (1 .. int rand 4)
	{
		my $type = pick(@types);

		# -0 and 0 are one group; either may be shown
		push @keys, '(' . expr($type, 2) . ')' . ($type =~ /float/ ? ' + 0.0::float8' : '');
	}
	my $query = 'SELECT ' . join(', ', @keys, @aggs) . ' FROM r';
	$query .= ' WHERE ' . expr('bool', 3) if rand() < 0.6;
	$query .= ' GROUP BY ' . join(', ', @keys) if @keys;
	push @asked, $query;
	$script .= sprintf "SELECT replace(compare(\$q\$%s\$q\$, 'try'%s), E'\\n', ' ');\n", $query, $float ? ", $float" : '';
}
my @answers = split /\n/, $node->safe_psql('postgres', $script);
is(scalar @answers, $queries, 'every query was answered');
foreach my $n (0 .. $#answers)
{
	my ($outcome) = $answers[$n] =~ /^(ok, not on the device|ok|same error)/;

	# Where several errors wait, the first depends on the plan (sort or hash).
	$outcome = 'another error'
	  if $answers[$n] =~ /^DIFFERENT ERRORS: stock: 22\w{3} .* device: 22\w{3} /;

	$outcomes{ $outcome // 'different' }++;
	push @failures, "$asked[$n]\n  $answers[$n]" unless defined $outcome;
}
note("$_: $outcomes{$_}") foreach sort keys %outcomes;
diag($_) foreach @failures;
is(scalar @failures, 0, "$queries random queries (seed $seed)");
cmp_ok($outcomes{ok} // 0, '>', $queries / 4, 'many ran on the device');
# ---------- tables ----------

my @columns = (
	[ 'int2', 'x % 5' ], [ 'int4', 'x % 5' ], [ 'int8', 'x % 5' ], [ 'bool', 'x % 2 = 0' ],
	[ 'float4', 'x % 5' ], [ 'float8', 'x % 5' ], [ 'uuid', 'md5((x % 5)::text)::uuid' ],
	[ 'date', "'2020-01-01'::date + x % 5" ], [ 'timestamp', "'2020-01-01'::timestamp + x % 5 * interval '1 h'" ],
	([ 'text', "repeat('x', x % 5 * (x / 5 % 40))" ], [ 'varchar(30)', "repeat('v', x % 12)" ], [ 'char(4)', "repeat('c', x % 4)" ]) x 2,
	# which the device steps over
	[ 'numeric', '(x % 1000)::numeric(10, 3)' ], [ 'interval', "x * interval '1 h'" ]);

# Rows in SQL: of each column's values, shuffled by its number, some are NULL
sub rows
{
	my ($from, $to, $nulls, @shape) = @_;
	my @values;

	while (my ($i, $column) = each @shape)
	{
		my $x = "(hashint4extended(n, $i) & 1048575)::int4";
		my $value = $column->[1] =~ s/\bx\b/$x/gr;

		push @values, rand() < $nulls ? "CASE WHEN $x % 7 > 0 THEN $value END" : $value;
	}
	return "INSERT INTO layout SELECT " . join(', ', @values) . " FROM generate_series($from, $to) n;\n";
}

$script = 'SET client_min_messages = warning;';
@asked = ();
while (@asked < $layouts)
{
	my @shape = map { pick(@columns) } 1 .. 1 + int rand pick(2, 4, 24);
	my @grouped = grep { $shape[$_][0] !~ /numeric|interval/ && rand() < 0.4 } 0 .. $#shape;
	my $nulls = pick(0, 0.3);
	my $ddl = 'CREATE TABLE layout (' . join(', ', map { "c$_ $shape[$_][0]" } 0 .. $#shape) . ')';
	my $keys = join ', ', map { "c$_" . ($shape[$_][0] =~ /float/ ? ' + 0.0::float8' : '') } @grouped;

	next unless @grouped;
	$script .= "DROP TABLE IF EXISTS layout; $ddl;\n" . rows(1, 200, $nulls, @shape);
	if (rand() < 0.3)
	{
		$script .= "ALTER TABLE layout ADD late text DEFAULT 'mm', ADD number int4 DEFAULT 4;\n" .
		  rows(201, 250, $nulls, @shape) =~ s/layout/'layout (' . join(', ', map { "c$_" } 0 .. $#shape) . ')'/er;
		$keys .= ', late, number';
	}
	push @asked, "$ddl\n  SELECT $keys, count(*) FROM layout GROUP BY $keys";
	$script .= "SELECT replace(compare('SELECT $keys, count(*) FROM layout GROUP BY $keys'), E'\\n', ' ');\n";
}
@answers = split /\n/, $node->safe_psql('postgres', $script);
is(scalar @answers, $layouts, 'every table was grouped');
@failures = map { "$asked[$_]\n  $answers[$_]" } grep { $answers[$_] !~ /^ok: / } 0 .. $#answers;
diag($_) foreach @failures;
is(scalar @failures, 0, "$layouts random tables (seed $seed)");

no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
