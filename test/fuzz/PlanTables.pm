# PlanTables.pm
#		Relations of every kind with the same columns.  srand() decides all of it.
package PlanTables;

use strict;
use warnings;

use Exporter 'import';
use List::Util 'shuffle';
use PlanFunctions;
use RandomQuery qw(pick chance);

our @EXPORT = qw(world session_tables relation of_alias dead_condition);

# ---------- relations ----------

# Columns of all tables: name, type, values by row number n
my @columns = (
	[ 'id', 'integer', 'n' ], [ 'k', 'integer', 'n % 7' ], [ 'g', 'smallint', 'n % 3' ], [ 'b', 'bigint', 'n * 100003::bigint' ], [ 'f', 'double precision', '(n % 32) / 4.0' ], [ 'r', 'real', '(n % 8) / 2.0' ],
	[ 'm', 'numeric', '(n % 50 - 9) / 4.0', '(9, 2)' ], [ 'w', 'numeric', '(n % 20)::numeric + 0.5' ], [ 't', 'text', q{'k' || n % 5} ], [ 'v', 'character varying', q{'v' || n % 4} ],
	[ 'c', 'character', q{'c' || n % 3}, '(5)' ], [ 'd', 'date', q{'2024-01-01'::date + n % 9} ], [ 'ts', 'timestamp without time zone', q{'2024-01-01'::timestamp + n % 11 * interval '7 h'} ],
	[ 'tz', 'timestamp with time zone', q{'2024-03-30 12:00+00'::timestamptz + n % 11 * interval '5 h'} ], [ 'ti', 'time without time zone', q{'08:00'::time + n % 5 * interval '1 h'} ],
	[ 'iv', 'interval', q{n % 6 * interval '7 min'} ], [ 'o', 'boolean', 'n % 2 = 0' ], [ 'u', 'uuid', q{md5((n % 4)::text)::uuid} ], [ 'e', 'fuzz.mood', q{(enum_range(NULL::fuzz.mood))[n % 3 + 1]} ],
	[ 'mo', 'money', '(n % 5)::numeric::money' ], [ 'ip', 'inet', q{('10.0.0.' || n % 5)::inet} ], [ 'j', 'jsonb', q{jsonb_build_object('k', n % 3, 'n', 'x' || n % 2)} ], [ 'a', 'integer[]', 'ARRAY[n % 3, n % 2]' ],
	[ 'x', 'fuzz.code', 'n % 6' ], [ 'ba', 'bytea', q{decode(to_hex(n % 40 + 16), 'hex')} ], [ 'pt', 'point', 'point(n % 3, 1)' ], [ 'rg', 'int4range', 'int4range(n % 3, n % 3 + 2)' ]);
my $names = join ', ', map { $_->[0] } @columns;

sub of_alias { my ($alias) = @_; return columns_of($alias, @columns); }

sub declared { return join ', ', map { "$_->[0] " . ($_->[1] eq 'character' ? 'char' : $_->[1]) . ($_->[3] // '') } @columns; }

# Rows from one number to another, some of whose values are NULL
sub rows
{
	my ($from, $to) = @_;
	my @values = map { my ($name, $type, $value, $modifier) = @$_; $name =~ /^(?:id|k)$/ || chance(0.3) ? $value : "CASE WHEN (n + " . int(rand 50) . ') % ' . pick(5, 11, 23) . " > 0 THEN $value END" } @columns;

	return 'SELECT ' . join(', ', @values) . " FROM generate_series($from, $to) n";
}

sub insert { my ($name, @range) = @_; return "INSERT INTO fuzz.$name ($names) " . rows(@range) . ";\n"; }

# All tables, in schema fuzz.  $dir: where the server may write a file
sub world
{
	my ($role, $dir) = @_;
	my $columns = declared();
	my $many = pick(60, 90, 150);
	my $sql = <<"SQL";
CREATE SCHEMA fuzz;
GRANT USAGE ON SCHEMA fuzz TO $role;
SET search_path = fuzz, public;
SET client_min_messages = error;
CREATE TYPE fuzz.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE fuzz.pair AS (a integer, b text);
CREATE DOMAIN fuzz.code AS integer CHECK (VALUE < 1000000);
SQL

	$sql .= "CREATE TABLE fuzz.$_ ($columns);\n" foreach qw(many few none again parent guarded indexed);
	$sql .= insert('many', 1, $many) . insert('few', 1, 9) . insert('again', 1, 40) . insert('again', 1, 40) . insert('guarded', 1, 50) . insert('indexed', 1, 60);
	$sql .= <<"SQL";
CREATE TABLE fuzz.ranges ($columns) PARTITION BY RANGE (id);
CREATE TABLE fuzz.ranges_1 PARTITION OF fuzz.ranges FOR VALUES FROM (0) TO (40);
CREATE TABLE fuzz.ranges_2 PARTITION OF fuzz.ranges FOR VALUES FROM (40) TO (70) PARTITION BY LIST (k);
CREATE TABLE fuzz.ranges_2a PARTITION OF fuzz.ranges_2 FOR VALUES IN (0, 1, 2);
CREATE TABLE fuzz.ranges_2b PARTITION OF fuzz.ranges_2 FOR VALUES IN (3, 4, 5, 6);
CREATE TABLE fuzz.ranges_3 PARTITION OF fuzz.ranges FOR VALUES FROM (70) TO (500);
CREATE TABLE fuzz.one_part ($columns) PARTITION BY RANGE (id);
CREATE TABLE fuzz.one_part_1 PARTITION OF fuzz.one_part FOR VALUES FROM (0) TO (100);
CREATE TABLE fuzz.no_part ($columns) PARTITION BY RANGE (id);
CREATE TABLE fuzz.days ($columns) PARTITION BY RANGE (d);
CREATE TABLE fuzz.days_1 PARTITION OF fuzz.days FOR VALUES FROM ('2024-01-01') TO ('2024-01-05');
CREATE TABLE fuzz.days_2 PARTITION OF fuzz.days FOR VALUES FROM ('2024-01-05') TO ('2024-02-01');
CREATE TABLE fuzz.child_1 (more integer, CHECK (id < 500)) INHERITS (fuzz.parent);
CREATE TABLE fuzz.child_2 (CHECK (id < 500)) INHERITS (fuzz.parent);
ALTER TABLE fuzz.parent ADD CHECK (id < 500);
SQL
	$sql .= insert('ranges', 1, 90) . insert('one_part', 1, 30) . insert('parent', 1, 10) . insert('child_1', 11, 30) . insert('child_2', 20, 50);
	$sql .= "INSERT INTO fuzz.days SELECT $names FROM fuzz.many WHERE d IS NOT NULL;\nCREATE UNIQUE INDEX ON fuzz.many (id);\nCREATE INDEX ON fuzz.again (k, t);\n";
	$sql .= <<"SQL";
CREATE VIEW fuzz.seen AS SELECT $names FROM fuzz.many WHERE k <> 6;
CREATE VIEW fuzz.barrier WITH (security_barrier) AS SELECT $names FROM fuzz.again WHERE k <> 5;
CREATE MATERIALIZED VIEW fuzz.made AS SELECT $names FROM fuzz.many WHERE id % 3 = 0;
ALTER TABLE fuzz.guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON fuzz.guarded USING (k < 5);
CREATE FUNCTION fuzz.rows_sql(integer) RETURNS SETOF fuzz.many STABLE LANGUAGE sql AS 'SELECT * FROM fuzz.many WHERE k > \$1';
CREATE FUNCTION fuzz.rows_plpgsql() RETURNS SETOF fuzz.many STABLE LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT * FROM fuzz.many; END';
CREATE EXTENSION IF NOT EXISTS file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
COPY (SELECT $names FROM fuzz.many WHERE id < 40) TO '$dir/far.csv' CSV;
CREATE FOREIGN TABLE fuzz.far ($columns) SERVER files OPTIONS (filename '$dir/far.csv', format 'csv');
CREATE TABLE fuzz.mixed ($columns) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE fuzz.mixed_1 PARTITION OF fuzz.mixed FOR VALUES FROM (0) TO (40) SERVER files OPTIONS (filename '$dir/far.csv', format 'csv');
CREATE TABLE fuzz.mixed_2 PARTITION OF fuzz.mixed FOR VALUES FROM (40) TO (500);
INSERT INTO fuzz.mixed SELECT $names FROM fuzz.many WHERE id BETWEEN 40 AND 90;
GRANT SELECT ON ALL TABLES IN SCHEMA fuzz TO $role;
SQL
	# others are planned without statistics
	$sql .= "ANALYZE fuzz.$_;\n" foreach grep { chance(0.8) } qw(many few none again parent guarded indexed ranges one_part no_part days far mixed made);
	return $sql;
}

# What a session has by itself
sub session_tables { return "CREATE TEMP TABLE mine AS SELECT $names FROM fuzz.few;\n"; }

my @tables = (
	(qw(many few again) x 3), (qw(ranges one_part no_part days parent) x 2), qw(none guarded indexed far mixed mine made seen barrier));

# Of which no table is left to read, where one is partitioned or has child tables
sub dead_condition
{
	my ($alias) = @_;

	return pick("$alias.id > 1000", "$alias.id > 1000 AND $alias.k = 2", "$alias.id < 5 AND $alias.id > 8", 'false', "$alias.id = 3 AND $alias.id = 4", "$alias.d > '2030-01-01' AND $alias.id < -1", 'NULL::bool');
}

sub live_condition
{
	my ($alias) = @_;

	return pick("$alias.id < 40", "$alias.id BETWEEN 10 AND 60", "$alias.k <> 3", "$alias.k IN (1, 2, 9)", "$alias.t > 'k1'", "$alias.d < '2024-01-05'", "$alias.id = 12", "$alias.o", "$alias.g = 1 OR $alias.k = 2");
}

sub filtered
{
	my ($name, $alias) = @_;
	my $kind = rand;

	return "FROM $name $alias" . ($kind < 0.5 ? '' : ' WHERE ' . ($kind < 0.7 ? dead_condition($alias) : live_condition($alias)));
}

# Some of the columns
sub some_columns
{
	my ($count) = @_;
	my %is = map { $_ => 1 } 'id', 'k', map { $_->[0] } (shuffle grep { $_->[0] !~ /^(?:pt|rg|j|ba)$/ } @columns)[ 0 .. $count ];

	return grep { $is{ $_->[0] } } @columns;
}

sub columns_of
{
	my ($alias, @some) = @_;
	my %of;

	push @{ $of{ $_->[1] } }, "$alias.$_->[0]" foreach @some;
	return \%of;
}

my %relations = (
	table => sub { my ($alias) = @_; return { from => pick(@tables) . " $alias" }; },
	subquery => sub { my ($alias) = @_; return { from => '(SELECT * ' . filtered(pick(@tables), 's') . pick('', '', ' OFFSET 0', ' OFFSET 0', ' LIMIT 1000', ' ORDER BY id OFFSET 0') . ") $alias" }; },
	distinct => sub {
		my ($alias) = @_;
		my @some = some_columns(pick(0, 1, 2));

		return { from => '(SELECT DISTINCT ' . join(', ', map { $_->[0] } @some) . ' ' . filtered(pick(@tables), 's') . ") $alias", of => columns_of($alias, @some) };
	},
	grouped => sub {
		my ($alias) = @_;
		my @some = some_columns(pick(0, 1));
		my $list = join ', ', map { $_->[0] } @some;

		return {
			from => "(SELECT $list, max(t) AS most, count(*) AS n, sum(m) AS total " . filtered(pick(@tables), 's') . " GROUP BY $list) $alias",
			of => merged(columns_of($alias, @some), { text => ["$alias.most"], bigint => ["$alias.n"], numeric => ["$alias.total"] })
		};
	},
	cte => sub {
		my ($alias) = @_;

		return { with => "w_$alias AS " . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . '(SELECT * ' . filtered(pick(@tables), 's') . ')', from => "w_$alias $alias" };
	},
	function => sub {
		my ($alias) = @_;

		return { from => pick('fuzz.rows_sql(' . pick(0, 3, 5, 9) . ')', 'fuzz.rows_plpgsql()') . " $alias" };
	},
	series => sub {
		my ($alias) = @_;

		return { from => 'generate_series(' . pick('1, 40', '0, 6', '5, 1', '1, 900, 50') . ") $alias(id)", of => { integer => ["$alias.id"] } } if chance(0.6);
		return { from => "unnest(ARRAY[1, 2, 2, 5], ARRAY['k1', 'k2', NULL]) $alias(id, t)", of => { integer => ["$alias.id"], text => ["$alias.t"] } };
	},
	values => sub {
		my ($alias) = @_;
		my @rows = map { '(' . join(', ', $_, $_ % 3, pick("'k1'", "'k2'", 'NULL::text'), pick("'2024-01-02'::date", "'2024-01-04'::date"), pick('1.50', '2.25', '0.5')) . ')' } 1 .. pick(1, 4, 9);

		return {
			from => '(VALUES ' . join(', ', @rows) . ") $alias(id, k, t, d, m)",
			of => { integer => [ "$alias.id", "$alias.k" ], text => ["$alias.t"], date => ["$alias.d"], numeric => ["$alias.m"] }
		};
	},
	sample => sub {
		my ($alias) = @_;

		return { from => pick(qw(many again ranges one_part no_part parent made)) . " $alias TABLESAMPLE " . pick('SYSTEM', 'BERNOULLI') . ' (' . pick(0, 40, 100) . ') REPEATABLE (' . pick(1, 7) . ')' };
	},
	united => sub {
		my ($alias) = @_;
		my @parts = map { "SELECT $names " . filtered(pick(@tables), "s$_") } 1 .. pick(1, 2, 2, 3);

		return { from => '(' . join(' UNION ALL ', @parts) . ") $alias" };
	},
	# that of a table with partitions or child tables which the planner leaves out, all of them
	dead => sub { my ($alias) = @_; return { from => pick(qw(ranges one_part no_part days parent mixed)) . " $alias", on => dead_condition($alias) }; });
my @relations = ((qw(table) x 8), (qw(subquery distinct grouped cte united dead) x 2), qw(function series values sample));

# One by this name: { from => what FROM has, with => what WITH has, on => a condition of it, of => columns by type }
sub relation
{
	my ($alias) = @_;

	return { of => of_alias($alias), %{ $relations{ pick(@relations) }->($alias) } };
}

1;
