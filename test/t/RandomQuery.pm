# RandomQuery.pm
#		Random tables, and random queries of them, made of what a device takes.
#		srand() decides all of it.
package RandomQuery;

use strict;
use warnings;

use Exporter 'import';
use List::Util 'shuffle';

our @EXPORT = qw(pick random_table random_query);
our @EXPORT_OK = qw(chance new_columns insert_rows churn columns_by_class expr_of odd_types types_script);

sub pick { return $_[ int rand @_ ]; }

sub chance { return rand() < $_[0]; }

# ---------- tables ----------

# By type of expressions: types of columns with values, of which x is a random
# integer of 20 bits.  Sums of these floats are exact in any order.
my %kinds = (
	int2 => [
		[ 'int2', 'x % 5' ], [ 'int2', 'x % 200 - 100' ],
		[ 'int2', 'CASE x % 60 WHEN 0 THEN 32767 WHEN 1 THEN -32768 ELSE x % 9 END' ]
	],
	int4 => [
		[ 'int4', 'x % 5' ], [ 'int4', 'x % 17 - 8' ], [ 'int4', 'x - 500000' ],
		[ 'int4', 'CASE x % 60 WHEN 0 THEN 2147483647 WHEN 1 THEN -2147483648 ELSE x % 300 END' ]
	],
	int8 => [
		[ 'int8', 'x % 5' ], [ 'int8', 'x::int8 * 100003' ],
		[ 'int8', 'CASE x % 50 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 ELSE x::int8 * 99991 END' ]
	],
	float8 => [
		[ 'float8', '(x % 2048 - 1024) / 64.0' ], [ 'float8', 'x % 5' ],
		[ 'float8', q{CASE x % 40 WHEN 0 THEN 'NaN' WHEN 1 THEN 'inf' WHEN 2 THEN -0.0 WHEN 3 THEN '-inf' ELSE (x % 512) / 16.0 END} ]
	],
	float4 => [ [ 'float4', '(x % 512 - 256) / 16.0' ], [ 'float4', 'x % 5' ] ],
	bool => [ [ 'bool', 'x % 2 = 0' ], [ 'bool', 'x % 40 > 0' ] ],
	date => [
		[ 'date', "'2000-01-01'::date + x % 20000 - 10000" ], [ 'date', "'2020-01-01'::date + x % 5" ],
		[ 'date', "CASE x % 40 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE '1999-12-01'::date + x % 90 END" ]
	],
	timestamp => [
		[ 'timestamp', "'2000-01-01'::timestamp + (x - 500000) * interval '1000.001 second'" ],
		[ 'timestamp', "'2020-01-01'::timestamp + x % 5 * interval '1 h'" ]
	],
	timestamptz => [
		[ 'timestamptz', "'2000-01-01 00:00+00'::timestamptz + (x - 500000) * interval '1000.001 second'" ],
		[ 'timestamptz', "'2018-11-04 00:00+00'::timestamptz + x % 300 * interval '7 min'" ]
	],
	time => [ [ 'time', "'00:00'::time + x % 90 * interval '15 min 0.25 s'" ], [ 'time', "'08:00'::time + x % 5 * interval '1 h'" ] ],
	# equal ones look the same, because any may be shown
	interval => [
		[ 'interval', "x % 300 * interval '7 min'" ], [ 'interval', 'make_interval(days => x % 9 - 4, secs => 0.125)' ],
		[ 'interval', 'make_interval(months => x % 30, secs => 0.5)' ]
	],
	numeric => [
		[ 'numeric(10, 2)', '(x % 2000 - 1000) / 16.0' ], [ 'numeric(15, 2)', 'x / 4.0' ], [ 'numeric(6, 4)', 'x % 5' ],
		[ 'numeric(9)', 'x - 500000' ],
		[ 'numeric(38, 3)', "CASE x % 300 WHEN 0 THEN 1e30 WHEN 1 THEN 'NaN' ELSE x END" ],
		[ 'numeric', 'round((x % 2000 - 1000) / 16.0, 1 + x % 4)' ], [ 'numeric', 'round(x / 400.0, 2)' ], [ 'numeric', 'x % 7' ],
		[ 'numeric', '(x % 5) / 7.0' ],
		[ 'numeric', "CASE x % 400 WHEN 0 THEN 1e30 WHEN 1 THEN 'NaN' WHEN 2 THEN 1e-9 WHEN 3 THEN 'inf' ELSE round(x / 70.0, x % 3) END" ]
	],
	text => [
		[ 'text', "(ARRAY['', 'a', 'ab', 'ä', 'abc abc', 'the quick brown fox jumps', 'x%y_z'])[x % 7 + 1]" ],
		[ 'text', "repeat('x', x % 5 * (x / 5 % 40))" ],
		[ 'text COLLATE "C"', "CASE x % 90 WHEN 0 THEN repeat('long' || x % 3, 1500) ELSE 'k' || x % 29 END" ],
		[ 'varchar(30)', "repeat('v', x % 12)" ], [ 'varchar', "'v' || x % 23" ]
	],
	# as their own type only: blanks behind them are no part of a text
	char => [ [ 'char(6)', "'h' || x % 7" ], [ 'char(4)', "repeat('c', x % 4)" ] ],
	uuid => [ [ 'uuid', 'md5((x % 11)::text)::uuid' ] ],
	enum => [ [ 'random_mood', '(enum_range(NULL::random_mood))[x % 7 + 1]' ] ],
	oid => [ [ 'oid', '(x % 9 * 500000000::int8)::oid' ], [ 'regtype', '(x % 4 + 20)::oid::regtype' ] ],
	money => [ [ 'money', '(x % 9000 - 4000)::numeric::money' ], [ 'money', '(x % 7 / 4.0)::money' ] ],
	name => [ [ 'name', "repeat('n', x % 5 * (x / 5 % 12))::name" ], [ 'name', "('a' || x % 11)::name" ] ],
	bytea => [ [ 'bytea', q{decode(to_hex(x % 40 + 16), 'hex')} ], [ 'bytea', q{CASE x % 70 WHEN 0 THEN decode(repeat('ab', 9000), 'hex') ELSE '\\x00ff' END} ] ],
	inet => [
		[ 'inet', "('10.' || x % 3 || '.0.' || x % 7 || '/' || x % 33)::inet" ],
		[ 'inet', "CASE WHEN x % 3 = 0 THEN ('2001:db8::' || x % 5 || '/' || x % 129)::inet ELSE ('1.2.3.' || x % 9)::inet END" ]
	],
	macaddr => [ [ 'macaddr', "('08:00:2b:01:0' || x % 10 || ':ff')::macaddr" ] ],
	timetz => [ [ 'timetz', "'10:00+00'::timetz + x % 50 * interval '1 min'" ], [ 'timetz', "('1' || x % 4 || ':00+0' || x % 4)::timetz" ] ],
	lsn => [ [ 'pg_lsn', "('0/0'::pg_lsn + x % 30 * 600000000000000000::numeric)" ] ],
	bits => [ [ 'varbit', 'substring((x % 512)::bit(9), 1, x % 10)::varbit' ] ],
	# which the device steps over
	other => [
		[ 'numeric', '(x % 1000)::numeric(10, 3)' ], [ 'int4[]', 'ARRAY[x, x % 3]' ]
	]);
# With their types: a bare constant is no key to GROUP BY.
my %constants = (
	int2 => [ '1::int2', '0::int2', '-7::int2', '99::int2' ],
	int4 => [ '0::int4', '1::int4', '2::int4', '-3::int4', '10::int4', '1000::int4', 'NULL::int4' ],
	int8 => [ '1::int8', '0::int8', '-5::int8', '10000000000::int8' ],
	float8 => [ '0.5::float8', '0::float8', '-2::float8', "'NaN'::float8", '100::float8' ],
	float4 => [ '1.5::float4', '-0.25::float4' ],
	bool => [ 'true::bool', 'false::bool', 'NULL::bool' ],
	date => [ "'2000-01-01'::date", "'1990-06-15'::date", "'2024-02-29'::date" ],
	timestamp => [ "'2000-01-01'::timestamp", "'2010-03-04 05:06:07'::timestamp" ],
	timestamptz => [ "'2000-01-01 00:00+00'::timestamptz", "'2018-11-04 02:30:00+00'::timestamptz" ],
	time => [ "'12:34:56.789'::time", "'00:00'::time" ],
	interval => [ "'1 day 00:00:00.3'::interval", "'2 mons 00:00:00.7'::interval", "'-05:00:00.9'::interval", "'1 year -3 days 00:00:00.1'::interval" ],
	numeric => [ '0.5::numeric', '-3::numeric', '10.25::numeric', '0::numeric', 'NULL::numeric(5, 2)' ],
	text => [ "'a'::text", "''::text", "'abc'::text", "'v5'::text", "'ä'::text" ],
	char => [ "'h1'::char(6)", "'h3'::char(6)" ],
	uuid => [ "md5('1')::uuid", "md5('5')::uuid" ],
	enum => [ "'ok'::random_mood", "'meh'::random_mood", "'fine'::random_mood" ],
	oid => [ '0::oid', '3000000000::oid', '21::oid' ],
	money => [ "'1.5'::money", "'-3'::money", "'0'::money" ],
	name => [ "'a5'::name", "''::name" ],
	bytea => [ q{'\\x12'::bytea}, q{''::bytea}, q{'\\x00ff'::bytea} ],
	inet => [ "'10.1.0.0/16'::inet", "'1.2.3.4'::inet", "'::/0'::inet", "'10.0.0.3/8'::inet" ],
	macaddr => [ "'08:00:2b:01:03:ff'::macaddr" ],
	timetz => [ "'10:05+00'::timetz", "'11:00+01'::timetz", "'12:00+02'::timetz" ],
	lsn => [ "'0/0'::pg_lsn", "'FFFFFFFF/0'::pg_lsn" ],
	bits => [ "'01'::varbit", "''::varbit" ]);
my @types = (qw(int4 int4 int8 numeric float8 float4 bool date timestamp timestamptz text text char uuid int2 time interval) x 2,
	qw(enum enum oid money name bytea inet inet macaddr timetz lsn bits));

# Functions that show equal values of a type the same
my %equal_forms = (numeric => 'trim_scale');

# Types of which the device has the bytes alone or nothing, types that stand for others,
# and values that are equal and look different.  They come up once odd_types() is called.
my %odd = (
	int4 => [ [ 'random_code', 'x % 6' ] ],
	text => [ [ 'random_word', "'w' || x % 9" ] ],
	float8 => [ [ 'float8', q{CASE x % 4 WHEN 0 THEN 0.0 WHEN 1 THEN -0.0 WHEN 2 THEN 'NaN' ELSE 1 END::float8} ] ],
	interval => [
		[ 'interval', q{(ARRAY['1 mon', '30 days', '720:00', '1 day', '24:00', '-1 day 48:00']::interval[])[x % 6 + 1]} ],
		[ 'interval', 'make_interval(years => x % 90 - 45, secs => x % 3)' ]
	],
	numeric => [
		[ 'numeric', q{(ARRAY[1, 1.0, 1.00, 10.5, 10.50, 0.0, 'NaN', 12345678901234567890.5]::numeric[])[x % 8 + 1]} ],
		[ 'numeric(20, 10)', '(x % 9 - 4) / 8.0' ], [ 'numeric', 'x / 3.0' ]
	],
	jsonb => [
		[ 'jsonb', q{jsonb_build_object('k', x % 5, 'n', repeat('j', x % 3))} ],
		[ 'jsonb', q{CASE x % 9 WHEN 0 THEN 'null' WHEN 1 THEN '[]' WHEN 2 THEN '{"k": [1, 2]}' ELSE to_jsonb(x % 4) END::jsonb} ],
		[ 'jsonb', q{jsonb_build_object('k', repeat(md5((x % 3)::text), 100))} ]
	],
	array => [ [ 'int4[]', 'ARRAY[x % 3, x % 2]' ], [ 'int4[]', "CASE x % 5 WHEN 0 THEN '{}' ELSE ARRAY[x % 4, NULL] END::int4[]" ] ],
	pair => [ [ 'random_pair', "ROW(x % 3, 'p' || x % 2)::random_pair" ] ],
	range => [ [ 'int4range', 'int4range(x % 5, x % 5 + x % 3)' ] ],
	icu => [ [ 'text COLLATE "en-x-icu"', q{(ARRAY['a', 'A', 'b', 'B', 'ä', 'e\u0301', 'é', ''])[x % 8 + 1]} ], [ 'varchar(9) COLLATE "de-x-icu"', q{'Z' || x % 5} ] ],
	nocase => [ [ 'text COLLATE random_nocase', q{(ARRAY['a', 'A', 'b', 'B', 'c'])[x % 5 + 1]} ] ]);
my %odd_constants = (
	jsonb => [ q{'{"k": 1, "n": ""}'::jsonb}, q{'2'::jsonb}, q{'null'::jsonb} ],
	array => [ "'{1,1}'::int4[]", "'{}'::int4[]", "'{3,NULL}'::int4[]" ],
	pair => [ "ROW(1, 'p1')::random_pair", "ROW(2, NULL)::random_pair" ],
	range => [ "'[1,3)'::int4range", "'empty'::int4range" ],
	icu => [ q{('a' COLLATE "en-x-icu")}, q{('B' COLLATE "en-x-icu")} ],
	nocase => [ q{('A' COLLATE random_nocase)}, q{('b' COLLATE random_nocase)} ]);
my $odd;
# what the odd types need
my $odd_script = <<'SQL';
DO $$ BEGIN CREATE DOMAIN random_code AS int4 CHECK (VALUE < 1000000);
CREATE DOMAIN random_word AS text COLLATE "C" CHECK (VALUE <> 'w99'); CREATE TYPE random_pair AS (a int4, b text);
CREATE COLLATION random_nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN duplicate_object THEN END $$;
SQL

sub odd_types
{
	return if $odd++;
	push @{ $kinds{$_} }, @{ $odd{$_} } foreach keys %odd;
	$constants{$_} = $odd_constants{$_} foreach keys %odd_constants;
	push @types, sort keys %odd_constants;
	@equal_forms{qw(interval nocase)} = qw(justify_interval lower);
	return;
}

# A statement that inserts rows with these numbers; the columns' values are
# shuffled by their places, and some are NULL
sub insert_rows
{
	my ($table, $from, $to) = @_;
	my @columns = grep { !$_->{dropped} } @{ $table->{columns} };
	my @values = map {
		my $x = "(hashint4extended(n, $_->{number}) & 1048575)::int4";
		my $value = $_->{value} =~ s/\bx\b/$x/gr;

		$_->{nulls} ? "CASE WHEN $x % 7 > 0 THEN $value END" : $value
	} @columns;

	return "INSERT INTO $table->{name} (" . join(', ', 'id', map { $_->{name} } @columns) . ') SELECT ' .
	  join(', ', 'n', @values) . " FROM generate_series($from, $to) n;\n";
}

sub new_column
{
	my ($table) = @_;
	my $class = chance(0.08) ? 'other' : pick(@types);
	my ($type, $value) = @{ pick(@{ $kinds{$class} }) };
	my $number = @{ $table->{columns} } + 1;
	my $column = {
		name => "c$number",
		number => $number,
		class => $class,
		type => $type,
		value => $value,
		nulls => chance($table->{nulls})
	};

	push @{ $table->{columns} }, $column;
	return $column;
}

sub new_columns
{
	my ($table, $count) = @_;

	new_column($table) foreach 1 .. $count;
	return;
}

# What columns' types need
sub types_script
{
	return ($odd ? $odd_script : '') .
	  "DO \$\$ BEGIN CREATE TYPE random_mood AS ENUM ('sad', 'ok', 'fine', 'happy');\n" .
	  "ALTER TYPE random_mood ADD VALUE 'meh' BEFORE 'ok'; ALTER TYPE random_mood ADD VALUE 'low' BEFORE 'sad';\n" .
	  "EXCEPTION WHEN duplicate_object THEN END \$\$;\n";
}

# Columns go, and others come that older rows do not hold.
sub alter
{
	my ($table) = @_;
	my $name = $table->{name};
	my $sql = '';

	foreach my $column (@{ $table->{columns} })
	{
		next unless chance(0.15);
		$column->{dropped} = 1;
		$sql .= "ALTER TABLE $name DROP COLUMN $column->{name};\n";
	}
	foreach (1 .. int rand 4)
	{
		my $column = new_column($table);
		my $default = $constants{ $column->{class} };

		$sql .= "ALTER TABLE $name ADD COLUMN $column->{name} $column->{type}" .
		  ($default && chance(0.7) ? ' DEFAULT ' . $default->[0] : '') . ";\n";
	}
	return $sql;
}

# Rows that are dead, moved, locked or of transactions that were undone
sub churn
{
	my ($table, $rows) = @_;
	my $name = $table->{name};
	my ($column) = grep { !$_->{dropped} } @{ $table->{columns} };
	my @steps = (
		"DELETE FROM $name WHERE id % " . pick(2, 3, 7, 37) . " = 0;\n",
		"UPDATE $name SET id = id WHERE id % " . pick(2, 3, 5, 11) . " = 1;\n",
		"DELETE FROM $name WHERE id BETWEEN " . int($rows / 3) . ' AND ' . int($rows / 2) . ";\n",
		"BEGIN; " . insert_rows($table, $rows + 1, $rows + 50) . "ROLLBACK;\n",
		"BEGIN; DELETE FROM $name WHERE id % 3 = 1; ROLLBACK;\n",
		"BEGIN; SAVEPOINT s; DELETE FROM $name; ROLLBACK TO s; UPDATE $name SET id = id WHERE id % 4 = 2; COMMIT;\n",
		"BEGIN; SELECT count(*) AS locked FROM (SELECT FROM $name FOR UPDATE) q \\gset\nCOMMIT;\n");
	push @steps, "UPDATE $name SET $column->{name} = NULL WHERE id % 6 = 3;\n"
	  if $column;

	return join '', (shuffle @steps)[ 0 .. int rand 4 ];
}

# A table and the script that makes it
sub random_table
{
	my ($name) = @_;
	my $table = { name => $name, columns => [], nulls => pick(0, 0.5, 1) };
	my $rows = pick(0, 1, 50, 200, 200, 1500, 1500, 5000);
	my @with = ('autovacuum_enabled = off');
	my $unlogged = chance(0.15);
	my $sql = types_script();

	# a hundred columns and more for those who have odd types, too
	new_columns($table, $odd && chance(0.04) ? 100 + int rand 60 : 1 + int rand pick(4, 12, 24));
	push @with, 'fillfactor = ' . pick(10, 40, 70) if chance(0.4);
	$sql .= 'CREATE ' . ($unlogged ? 'UNLOGGED ' : '') . "TABLE $name (" .
	  join(', ', 'id int4 NOT NULL', map { "$_->{name} $_->{type}" } @{ $table->{columns} }) .
	  ') WITH (' . join(', ', @with) . ");\n";
	foreach my $column (grep { $_->{class} eq 'text' && chance(0.3) } @{ $table->{columns} })
	{
		my @storage = (qw(EXTERNAL EXTENDED MAIN), $column->{value} =~ /long/ ? () : 'PLAIN');

		$sql .= "ALTER TABLE $name ALTER COLUMN $column->{name} SET STORAGE " . pick(@storage) . ";\n";
	}
	$sql .= insert_rows($table, 1, $rows);
	$sql .= alter($table) . insert_rows($table, $rows + 1, $rows += int $rows / 5)
	  if chance(0.5);
	$sql .= churn($table, $rows) if chance(0.6);
	$sql .= 'VACUUM ' . (chance(0.5) ? '(FREEZE) ' : '') . "$name;\n" if chance(0.6);
	$sql .= insert_rows($table, $rows + 100, $rows + 150) . churn($table, $rows)
	  if chance(0.3);
	$sql .= "ANALYZE $name;\n" if chance(0.8);
	# whose columns would not stay on the device
	$sql .= "SELECT gpuagg.load('$name') AS loaded \\gset\n" if !$unlogged && chance(0.3);

	$table->{of_class} = columns_by_class($table);
	return ($table, $sql);
}

# Names of a table's columns by class, with this before each
sub columns_by_class
{
	my ($table, $prefix) = (@_, '');
	my %of_class = (int4 => ["${prefix}id"]);

	foreach my $column (grep { !$_->{dropped} } @{ $table->{columns} })
	{
		my $default = $column->{class} eq 'text' && $column->{type} =~ /COLLATE|random_word/;

		push @{ $of_class{ $column->{class} } },
		  $prefix . $column->{name} . ($default ? ' COLLATE "default"' : '');
	}
	return \%of_class;
}

# ---------- expressions ----------

# Of which table's columns expressions are made: names by type
my $of_class;

# expr(), all of one depth
sub exprs
{
	my ($depth, @of) = @_;

	return map { expr($_, $depth) } @of;
}

# By type: forms that make an expression out of ones of a depth.  One that is
# listed twice comes up twice as often.
my @any = (
	sub { my ($type, $d) = @_; sprintf 'CASE WHEN %s THEN %s ELSE %s END', exprs($d, 'bool', $type, $type) },
	sub { my ($type, $d) = @_; sprintf 'CASE WHEN %s THEN %s END', exprs($d, 'bool', $type) },
	sub { my ($type, $d) = @_; sprintf '%s(%s, %s)', pick(qw(coalesce nullif)), exprs($d, $type, $type) },
	sub { my ($type, $d) = @_; sprintf '%s(%s, %s)', pick(qw(least greatest)), exprs($d, $type, $type) });
my @number = (
	sub { my ($type, $d) = @_; sprintf '(- %s)', exprs($d, $type) },
	sub { my ($type, $d) = @_; sprintf 'abs(%s)', exprs($d, $type) },
	sub { my ($type, $d) = @_; sprintf '(%s)::%s', exprs($d, pick(qw(int2 int4 int8 float8 float4))), $type });
my @float = (
	(sub { my ($type, $d) = @_; sprintf '(%s %s %s)', expr($type, $d), pick(qw(+ - * /)), expr($type, $d) }) x 3,
	@number);
my @integer = (
	(
		sub { my ($type, $d) = @_; sprintf '(%s %s %s)', expr($type, $d), pick(qw(+ - * / %)), expr($type, $d) },
		sub { my ($type, $d) = @_; sprintf '(%s %s %s)', expr($type, $d), pick('&', '|', '#'), expr($type, $d) }
	) x 2,
	@number);
my %forms = (
	int2 => \@integer,
	int4 => [
		@integer,
		sub { sprintf '%s(%s)', pick(qw(length octet_length)), expr('text', $_[1]) },
		sub { sprintf '(%s - %s)', exprs($_[1], 'date', 'date') },
		sub { sprintf 'extract(%s FROM %s)::int4', pick(qw(year month dow doy)), expr('date', $_[1]) },
		sub { sprintf 'extract(%s FROM %s)::int4', pick(qw(year quarter day hour minute)), expr(pick(qw(timestamp timestamptz)), $_[1]) }
	],
	int8 => [
		@integer,
		sub { sprintf '%s(%s, %s)', pick(qw(gcd lcm mod)), exprs($_[1], 'int8', pick(qw(int4 int8))) }
	],
	numeric => [
		(sub { my ($type, $d) = @_; sprintf '(%s %s %s)', expr($type, $d), pick(qw(+ - *)), expr($type, $d) }) x 3,
		sub { sprintf '(%s %% %s)', exprs($_[1], 'numeric', 'numeric') },
		sub { sprintf '((%s)::numeric / %s)', expr(pick(qw(numeric int4 int8)), $_[1]), pick(qw(100 100.0 2 0.25 1000.00 -8 0.002 1.6 10000 0.05)) },
		sub { sprintf '%s(%s, %s)', pick(qw(gcd lcm mod)), exprs($_[1], 'numeric', 'numeric') },
		sub { sprintf 'sign(%s)', exprs($_[1], 'numeric') },
		sub { sprintf '(- %s)', expr('numeric', $_[1]) },
		sub { sprintf '%s(%s)', pick(qw(abs floor ceil trunc round)), expr('numeric', $_[1]) },
		sub { sprintf '%s(%s, %d)', pick(qw(round trunc)), expr('numeric', $_[1]), pick(-2, 0, 1, 3, 6) },
		sub { sprintf '(%s)::numeric(%d, %d)', expr(pick(qw(numeric int4)), $_[1]), pick(8, 15), pick(0, 1, 4) },
		sub { sprintf 'extract(%s FROM %s)', pick(qw(epoch second milliseconds microseconds)), expr(pick(qw(timestamp timestamptz interval)), $_[1]) },
		sub { sprintf 'floor(extract(epoch FROM %s) / %d)', expr(pick(qw(timestamp timestamptz)), $_[1]), pick(60, 300, 3600, 86400) }
	],
	float4 => \@float,
	float8 => [
		@float,
		sub { sprintf '%s(%s)', pick(qw(floor ceil trunc round)), expr('float8', $_[1]) },
		sub { sprintf 'sqrt(abs(%s))', expr('float8', $_[1]) },
		sub { sprintf 'sign(%s)', expr('float8', $_[1]) }
	],
	bool => [
		(sub { my $t = pick(grep { $_ ne 'bool' } @types); sprintf '(%s %s %s)', expr($t, $_[1]), pick('=', '<>'), expr($t, $_[1]) }) x 2,
		(
			sub {
				my $t = pick(qw(int4 int8 numeric float8 date timestamp timestamptz time interval uuid text), qw(int4 enum oid money bytea inet macaddr timetz lsn));
				sprintf '(%s %s %s)', expr($t, $_[1]), pick(qw(< <= > >=)), expr($t, $_[1]);
			},
			sub { sprintf '(%s %s %s)', expr('bool', $_[1]), pick(qw(AND OR)), expr('bool', $_[1]) }
		) x 3,
		sub { sprintf '(NOT %s)', expr('bool', $_[1]) },
		sub { sprintf '(%s IS %sNULL)', expr(pick(@types), $_[1]), pick('', 'NOT ') },
		sub { sprintf '(%s IS %s%s)', expr('bool', $_[1]), pick('', 'NOT '), pick(qw(TRUE FALSE UNKNOWN)) },
		sub { my $t = pick(@types); sprintf '(%s IS %sDISTINCT FROM %s)', expr($t, $_[1]), pick('', 'NOT '), expr($t, $_[1]) },
		sub {
			my $t = pick(@types);
			sprintf '(%s %s (%s))', expr($t, $_[1]), pick('IN', 'NOT IN'), join ', ', map { pick(@{ $constants{$t} }) } 1 .. 1 + int rand 5;
		},
		sub { my $t = pick(qw(int4 float8 date)); sprintf '(%s %sBETWEEN %s AND %s)', expr($t, $_[1]), pick('', 'NOT '), exprs($_[1], $t, $t) },
		sub {
			sprintf '(%s %sLIKE %s)', expr('text', $_[1]), pick('', 'NOT '), pick("'a%'", "'%b%'", "'_'", "'%'", "'v_%'", "'%ong%'", "'%quick%fox%'");
		},
		sub { sprintf 'starts_with(%s, %s)', expr('text', $_[1]), pick(@{ $constants{text} }) }
	],
	date => [
		sub { sprintf '(%s %s (%s %% 1000))', expr('date', $_[1]), pick(qw(+ -)), expr('int4', $_[1]) },
		sub { sprintf '(%s)::date', expr(pick(qw(timestamp timestamptz)), $_[1]) }
	],
	timestamp => [
		sub { sprintf "date_trunc('%s', %s)", pick(qw(hour day week month year second)), expr('timestamp', $_[1]) },
		sub { sprintf '(%s)::timestamp', expr(pick(qw(date timestamptz)), $_[1]) },
		sub { sprintf '(%s %s %s)', expr(pick(qw(timestamp date)), $_[1]), pick('+', '-'), expr('interval', $_[1]) },
		sub { sprintf "date_bin('%s', %s, '2001-01-01')", pick('15 min', '1 day 1 h', '7.5 s'), expr('timestamp', $_[1]) },
		sub { sprintf '(%s AT TIME ZONE %s)', expr('timestamptz', $_[1]), pick("'Asia/Kathmandu'", "'America/New_York'") }
	],
	timestamptz => [
		sub { sprintf "date_trunc('%s', %s)", pick(qw(hour minute second day month)), expr('timestamptz', $_[1]) },
		sub { sprintf "date_trunc('%s', %s, 'Asia/Kathmandu')", pick(qw(hour day)), expr('timestamptz', $_[1]) },
		sub { sprintf '(%s %s %s)', expr('timestamptz', $_[1]), pick('+', '-'), expr('interval', $_[1]) },
		sub { sprintf '(%s)::timestamptz', expr(pick(qw(date timestamp)), $_[1]) },
		sub { sprintf 'to_timestamp(%s)', expr('float8', $_[1]) }
	],
	time => [ sub { sprintf '(%s)::time', expr(pick(qw(timestamp timestamptz)), $_[1]) } ],
	interval => [ sub { my $t = pick(qw(timestamp timestamptz)); sprintf '(%s - %s)', exprs($_[1], $t, $t) } ],
	text => [
		sub { sprintf 'substr(%s, %d, %d)', expr('text', $_[1]), pick(1, 2, 0, 3), pick(1, 2, 5) },
		sub { sprintf '(%s)::text', expr('char', $_[1]) }
	],
	char => [],
	uuid => [],
	money => [
		sub { sprintf '(%s %s %s)', expr('money', $_[1]), pick(qw(+ -)), expr('money', $_[1]) },
		sub { sprintf '(%s %s %s)', expr('money', $_[1]), pick(qw(* /)), expr(pick(qw(int2 int4 int8)), $_[1]) }
	],
	map { $_ => [] } qw(enum oid name bytea inet macaddr timetz lsn bits));

# One more form of a type's expressions, made of one of another type
sub more_forms
{
	my ($type, $form, $of) = @_;

	push @{ $forms{$type} }, sub { $form->(expr($of, $_[1])) };
	return;
}

# An expression of a type; deeper ones are rarer.
sub expr
{
	my ($type, $depth) = @_;

	return pick(@{ $constants{$type} }) if chance(0.12);
	return pick(@{ $of_class->{$type} // $constants{$type} }) if $depth <= 0 || chance(0.3);
	return pick(@any, @{ $forms{$type} })->($type, $depth - 1);
}

# One that names a column, which any table has as an integer
sub column_expr
{
	my ($type, $depth) = @_;
	my $expr = expr($type, $depth);

	$expr = expr($type, $depth) until $expr =~ /\b(?:c\d+|id)\b/;
	return $expr;
}

# An expression of a type over columns by class, as columns_by_class() gives them
sub expr_of
{
	($of_class, my $type, my $depth) = @_;
	return expr($type, $depth);
}

# ---------- queries ----------

my @variances = qw(var_pop var_samp variance stddev stddev_pop stddev_samp);
my @comoments = qw(corr covar_pop covar_samp regr_count regr_sxx regr_syy regr_sxy regr_avgx regr_avgy regr_slope);

# What only PostgreSQL computes, of a column that the device can group by; without
# text columns any expression
sub computed
{
	my ($type) = @_;
	my $column = $of_class->{text} ? pick(@{ $of_class->{text} }) : return expr($type, 2);
	my %computed = (
		bool => [ "$column ILIKE '%B%'", "$column ~ 'a.*b'", "upper($column) = 'A'", "$column < 'b'", "reverse($column) LIKE 'x%'" ],
		int4 => [ "strpos($column, 'b')", "ascii($column)", "length(upper($column))" ],
		text => [ "lower($column)", "left($column, 2)", "split_part($column, ' ', 1)", "md5($column)", "($column || 'z')" ]);

	return '(' . pick(@{ $computed{$type} }) . ')';
}

# The same of the odd types, and of others what a device does not have
sub computed_odd
{
	my %forms = (
		jsonb => [ "%s->>'k'", "%s @> '{\"k\": 1}'", "%s ? 'k'", 'jsonb_typeof(%s)', "%s->'k'" ],
		array => [ '%s[1]', 'cardinality(%s)', '2 = ANY (%s)', '%s || 7' ],
		pair => [ '(%s).a', '(%s).b' ],
		range => [ '%s @> 2', 'lower(%s)', 'isempty(%s)' ],
		icu => [ 'lower(%s)', '%s < \'b\'', "%s || 'x'" ],
		nocase => [ 'lower(%s)', 'length(%s)' ],
		numeric => [ 'trim_scale(round(%s / 7, 8))', '(%s > 3.3)', 'width_bucket(%s, 0, 10, 5)' ],
		interval => [ 'justify_interval(%s * 2)', "justify_interval(%s + '1 h')" ],
		timestamp => [ "to_char(%s, 'Day DD')", "(%s::text < '2000')" ],
		text => [ 'upper(%s)', "%s ~ '^[a-k]'", "split_part(%s, ' ', 2)", "(%s COLLATE \"C\" < 'k')" ]);
	my ($class) = grep { $of_class->{$_} } shuffle sort keys %forms;

	return $class ? '(' . sprintf(pick(@{ $forms{$class} }), pick(@{ $of_class->{$class} })) . ')' : 'id';
}

# An aggregate, and by how much it may be off: sums in another order
sub aggregate
{
	my $form = pick(qw(count* count sum avg min max bool bit variance moments), $odd ? qw(ordered rows computed) : ());
	my $tolerance = 0;
	my $alike = '';
	my $call;

	if ($form eq 'count*') { $call = 'count(*)'; }
	elsif ($form eq 'count') { $call = 'count(' . expr(pick(@types), 2) . ')'; }
	elsif ($form eq 'sum' && chance(0.1))
	{
		$form = 'money';
		$call = 'sum(' . expr('money', 2) . ')';
	}
	elsif ($form =~ /sum|avg/)
	{
		my $type = pick(qw(int2 int4 int8 numeric numeric float8 float4 interval));

		# sum(float4) adds in single precision in PostgreSQL
		$tolerance = $type eq 'float8' || $form eq 'avg' && $type eq 'float4' ? 1e-9 : $type eq 'float4' ? 1e-4 : 0;
		$call = "$form(" . expr($type, 3) . ')';
		$alike = $type if $odd && $type eq 'numeric';
		$form = 'interval' if $type eq 'interval';
	}
	elsif ($form =~ /min|max/)
	{
		my $type = pick(qw(int2 int4 int8 numeric float8 date timestamp timestamptz time interval text), qw(enum oid money inet timetz lsn));

		# The extreme of a constant is that of the first row, and no other is read.
		# Of -0 and 0 either may be shown, and of 1.0 and 1.00.
		$alike = $type;
		$call = "$form(" . column_expr($type, 3) . ($type eq 'float8' ? ' + 0.0' : '') . ')';
	}
	elsif ($form eq 'variance')
	{
		$call = pick(@variances) . '(' . expr(pick(qw(int2 int4 int8 numeric)), 3) . ')';
	}
	elsif ($form eq 'moments')
	{
		# Beside 1, for what should be 0 may be some roundings of it.
		my @of = map { pick(@{ $of_class->{float8} // $of_class->{float4} // [1.5] }) } 1 .. 2;

		$tolerance = 1e-6;
		$call = '1 + ' . (chance(0.5) ? pick(@variances) . "($of[0])" : pick(@comoments) . "($of[0], $of[1])");
	}
	elsif ($form eq 'ordered')
	{
		my $type = pick('int4', 'int4', grep { $_ !~ /float|other/ } sort keys %$of_class);
		my @functions = ('percentile_disc(0.5)', 'mode()');

		push @functions, 'percentile_disc(ARRAY[0, 0.3, 1])' unless $equal_forms{$type};
		push @functions, 'percentile_cont(0.5)', 'percentile_cont(ARRAY[0.1, 0.9])' if $type eq 'int4';
		$call = pick(@functions) . ' WITHIN GROUP (ORDER BY ' . column_expr($type, 3) . ')';
		$alike = $type;
	}
	elsif ($form eq 'rows') { $call = sprintf 'count(DISTINCT (%s, %s))', map { column_expr(pick(grep { $_ !~ /range|other/ } sort keys %$of_class), 2) } 1 .. 2; }
	elsif ($form eq 'computed') { $call = pick('count(', 'count(DISTINCT ') . computed_odd() . ')'; }
	elsif ($form eq 'bool') { $call = pick(qw(bool_and bool_or every)) . '(' . column_expr('bool', 3) . ')'; }
	else { $call = pick(qw(bit_and bit_or bit_xor)) . '(' . expr(pick(qw(int4 int8)), 2) . ')'; }
	# the first of equal values in another order may be shown otherwise
	$call =~ s/\(/(DISTINCT / if $form =~ /^(?:count|sum|avg|bool|bit)$/ && chance(0.2);
	$call .= ' FILTER (WHERE ' . (chance(0.1) ? computed('bool') : expr('bool', 2)) . ')' if chance(0.25);
	$call = "$equal_forms{$alike}($call)" if $equal_forms{$alike};
	return { call => $call, tolerance => $tolerance, form => $form };
}

# How a group key is shown, where that is not as it is: 1.0 and 1.00 are one group
my %shown;

sub shown { return map { $shown{$_} // $_ } @_; }

# Keys: some expressions, or many columns
sub keys_of
{
	my ($table) = @_;
	my @columns = map { my $class = $_; map { [ $class, $_ ] } @{ $of_class->{$class} } }
	  grep { $_ ne 'other' } sort keys %$of_class;
	my @keys = chance(0.15)
	  ? (shuffle @columns)[ 0 .. int rand @columns ]
	  : map { my $type = pick(@types); [ $type, '(' . expr($type, 2) . ')' ] } 1 .. int rand 4;

	push @keys, [ 'day', sprintf "date_trunc('%s', %s)", pick(qw(day week month)), column_expr('timestamptz', 1) ]
	  if $of_class->{timestamptz} && chance(0.3);

	push @keys, [ 'month', sprintf "to_char(%s, '%s')", column_expr(pick(qw(timestamp timestamptz)), 1), pick('YYYY-MM', 'YYYY-MM-DD HH24', 'IYYY-IW') ]
	  if $of_class->{timestamp} && $of_class->{timestamptz} && chance(0.3);

	%shown = map { $_->[1] => "$equal_forms{$_->[0]}($_->[1])" } grep { $equal_forms{$_->[0]} } @keys;

	my $computed = pick(qw(bool int4 text));
	push @keys, [ $computed, computed($computed) ] if chance(0.08);
	push @keys, [ 'odd', computed_odd() ] if $odd && chance(0.08);

	# -0 and 0 are one group; either may be shown
	return map { $_->[1] . ($_->[0] =~ /float/ ? ' + 0.0::float8' : '') } @keys;
}

sub having
{
	my ($aggregates, $keys, $keyed) = @_;
	my @exact = grep { !$_->{tolerance} } @$aggregates;
	my @terms = ('count(*) ' . pick('>', '<=', '<>') . ' ' . pick(0, 1, 3, 20));

	push @terms, map { "$_->{call} " . pick('<', '>=', '=') . ' ' . pick(0, 5, 1000) }
	  grep { $_->{form} =~ /count|sum|avg/ } @exact;
	push @terms, map { "$_->{call} IS NOT NULL" } @$aggregates;
	push @terms, map { "$_ IS NOT NULL" } @$keys;
	# of another table's rows
	push @terms, "count(*) " . pick('>', '<=') . " (SELECT min(id) + 3 FROM $keyed)", "count(*) NOT IN (SELECT id FROM $keyed)",
	  map { "($_)::text " . pick('<', '>=') . " (SELECT max(id)::text FROM $keyed)", "EXISTS (SELECT FROM $keyed WHERE id::text = ($_)::text)" } @$keys
	  if $keyed && chance(0.5);
	return ' HAVING ' . join(pick(' AND ', ' AND ', ' OR '), (shuffle @terms)[ 0 .. int rand 2 ]);
}

# An order that leaves nothing open; its rows are numbered, so that they are
# compared in it.  Limits with it, but for DISTINCT in aggregates: for that PostgreSQL
# sorts, and may stop before a group whose values raise an error.
sub in_order
{
	my ($query, $keys, @aggregates) = @_;
	my @exact = grep { !$aggregates[ $_ - @$keys - 1 ]->{tolerance} } @$keys + 1 .. @$keys + @aggregates;
	my @terms = ((shuffle @exact)[ 0 .. int(rand 2) * @exact - 1 ], shuffle 1 .. @$keys);

	$query .= ' ORDER BY ' . join ', ', map { $_ . pick('', ' DESC') . pick('', '', ' NULLS FIRST', ' NULLS LAST') } @terms;
	# as constants of a type, which may become parameters
	my $type = $odd ? '::int8' : '';
	$query .= ' LIMIT ' . pick(0, 1, 3, 10, 100) . $type if chance(0.7) && $query !~ /\(DISTINCT /;
	$query .= ' OFFSET ' . pick(0, 1, 5) . $type if chance(0.3);
	return "SELECT row_number() OVER (), q.* FROM ($query) q";
}

sub sample
{
	return sprintf ' TABLESAMPLE %s (%s) REPEATABLE (%d)',
	  pick([ 'BERNOULLI', pick(0, 5, 50, 100) ], [ 'SYSTEM', pick(10, 50, 100) ], [ 'gpuagg.random_rows', pick(0, 10, 1000) ])->@*,
	  int rand 1000;
}

# Targets of a grouping that are neither keys nor aggregates
sub above
{
	my ($sets, @keys) = @_;
	my @above;

	push @above, 'grouping(' . join(', ', @keys) . ')' if $sets && chance(0.5);
	my $key = pick(@keys);
	push @above, pick("sum(count(*)) OVER (PARTITION BY $key)", "rank() OVER (ORDER BY count(*), $key)", "max(count(*)) OVER (ORDER BY $key)")
	  if @keys && chance(0.08);
	return @above;
}

sub one_set
{
	my @keys = @_;

	return pick('ROLLUP', 'CUBE') . ' (' . join(', ', @keys) . ')' if chance(0.6);
	return 'GROUPING SETS (' . join(', ', map { '(' . join(', ', grep { chance(0.5) } @keys) . ')' } 0 .. 1 + int rand 3) . ')';
}

# One of several, or two that are multiplied
sub grouping_sets
{
	my @keys = @_;

	return one_set(@keys) unless $odd && @keys > 1 && chance(0.3);
	my @some = splice @keys, 0, 1 + int rand $#keys;
	return pick('', 'DISTINCT ') . one_set(@some) . ', ' . (chance(0.5) ? one_set(@keys) : join ', ', @keys);
}

# A list of targets with names, as views need them
sub named
{
	return join ', ', map { "$_[$_] AS x$_" } 0 .. $#_;
}

# A query of a table, by how much its numbers may be off, and settings for it
sub random_query
{
	my ($table) = @_;
	my $settings = 'SET gpuagg.cache = ' . pick('on', 'on', 'off') . '; SET gpuagg.strategy = ' .
	  pick(("'auto'") x 4, map { "'$_'" } qw(single-pass block-local multi-pass-naive multi-pass-copy partitioned spatial)) .
	  '; SET gpuagg.scope_size = ' . pick(0, 0, "'16kB'") . "; SET TimeZone = '" .
	  pick(qw(UTC Europe/Berlin America/Sao_Paulo Asia/Tehran Australia/Lord_Howe)) . "';";

	$of_class = $table->{of_class};
	my $from = ' FROM ' . ($table->{from} // $table->{name} . (chance(0.1) ? sample() : ''));
	my @where = @{ $table->{where} // [] };
	push @where, column_expr('bool', 3) if chance(0.6);
	push @where, computed('bool') if chance(0.05);
	$from .= ' WHERE ' . join ' AND ', @where if @where;
	my @keys = keys_of($table);
	return ('SELECT DISTINCT ' . named(shown(@keys)) . $from, 0, $settings)
	  if @keys && chance(0.08);
	my @aggregates = map { aggregate() } 1 .. int rand 4;

	@aggregates = aggregate() if !@keys && !@aggregates;
	my ($tolerance) = sort { $b <=> $a } 0, map { $_->{tolerance} } @aggregates;
	my $sets = @keys && @keys < 5 && chance(0.12);
	my @above = $odd ? above($sets, @keys) : ();
	my $query = 'SELECT ' . named(shown(@keys), (map { $_->{call} } @aggregates), @above) . $from;
	$query .= ' GROUP BY ' . ($sets ? grouping_sets(@keys) : join(', ', @keys)) if @keys;
	$query .= having(\@aggregates, \@keys, $table->{keyed}) if $sets ? $odd && chance(0.2) : chance(0.15);
	return ($query, $tolerance, $settings) if $sets;
	$query = in_order($query, \@keys, @aggregates) if @keys && chance(0.3);
	$query = "SELECT count(*) FROM ($query LIMIT " . pick(0, 1, 7) . ') q'
	  if @keys && $query !~ /LIMIT|\(DISTINCT / && chance(0.05);
	return ($query, $tolerance, $settings);
}

1;
