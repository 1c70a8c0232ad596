# Random joins with inputs of which several rows have a key, whose columns the device keeps, and with subqueries that
# group such a table: with gpuagg off and on, the same rows.  Keys have NULLs and misses, are of several
# types, far apart, pairs with strings among them; values have NULLs, are at the ends of their types, or have sums
# beyond 64 bits.  How many tables the device has folded is asked for: no join's key is unique in an input, so each
# that an inner or left join looks up in and that came from kept columns is one.  RandomShapes.pm has what other
# schemas have.
#
# GPUAGG_SEED and GPUAGG_QUERIES in the environment try others than the ones of
# every day.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use List::Util qw(shuffle);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery;
use RandomShapes;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261127;
my $queries = $ENV{GPUAGG_QUERIES} // 300;
my $per_database = 50;
srand $seed;

my $node = new_node('folded', 'shared_buffers = 64MB', 'autovacuum = off');
regress_functions($node);
shape_functions($node);
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION folded(query text) RETURNS bigint LANGUAGE plpgsql SET gpuagg.debug_require = 'prefer' AS $$
	DECLARE
		plan jsonb;
	BEGIN
		EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
		RETURN (SELECT count(*) FROM jsonb_path_query(plan, 'strict $.**?(exists(@."Look-up Joins"))') node,
				jsonb_array_elements(node->'Look-up Joins') x
			WHERE (x->>'From Kept Columns')::bool AND x->>'Join Type' IN ('inner', 'left'));
	EXCEPTION WHEN OTHERS THEN
		RETURN 0;
	END $$;});

sub chance { return rand() < $_[0]; }

# Keys i, j, b (far apart), s, d, c of char(n) or with blanks that do not count, n numeric, l under a collation; values v, w, m, t, z (near 64 bits), e
# (the ends of int4)
sub table
{
	my ($name, $rows, $spread) = @_;
	my $x = "(n * 7919 + " . int(rand 1000) . ") % $spread";
	my $null = 2 + int rand 30;
	my $notnull = chance(0.5) ? "ALTER TABLE $name ALTER w SET NOT NULL;\n" : '';

	return sprintf(
		"CREATE TABLE %s AS SELECT CASE WHEN n %% %d > 0 THEN (%s)::%s END AS i, "
		  . "CASE WHEN n %% 13 > 0 THEN ((%s) %% %d)::%s END AS j, ((%s) %% 300)::int8 * 1000000007 AS b, "
		  . "CASE WHEN n %% 11 > 0 THEN 'k' || (%s) %% 70 END AS s, date '2024-02-01' + ((%s) %% 200)::int4 AS d, "
		  . "('k' || (%s) %% 50%s AS c, (((%s) %% 60) / %d.0)::numeric%s AS n, ('K' || (%s) %% 40) COLLATE %s AS l, "
		  . "CASE WHEN n %% %d > 0 THEN (n * 31 %% 97 - 40)::%s END AS v, (n * 17 %% 1000 - 300)::int8 AS w, "
		  . "CASE WHEN n %% 7 > 0 THEN ((n %% 400 - 100) / 7.0)::numeric(8, 2) END AS m, "
		  . "timestamp '2024-01-01' + n %% 500 * interval '1 hour' AS t, "
		  . "CASE WHEN n %% 3 > 0 THEN (n %% 9 - 4)::int8 * %s END AS z, "
		  . "CASE n %% 5 WHEN 0 THEN -2147483648 WHEN 1 THEN 2147483647 WHEN 2 THEN n END::int4 AS e "
		  . "FROM generate_series(1, %d) n;\n%sVACUUM (FREEZE, ANALYZE) %s;\n",
		$name, $null, $x, pick(qw(int2 int4 int8)), $x, 2 + int rand 30, pick(qw(int4 int8)), $x, $x, $x, $x, pick(')::char(4)', ')::char(6)', " || repeat(' ', n % 4))::bpchar"), $x,
		pick(1, 2), pick('(8, 1)', '(8, 1)', ''), $x, pick('"C"', '"en-x-icu"', 'case_blind'), 2 + int rand 9, pick(qw(int2 int4 int8)),
		pick('1000000000', '1000000000000000', '2000000000000000000'), $rows, $notnull, $name);
}

sub filter
{
	my ($t) = @_;

	return pick("${t}v > " . (int(rand 60) - 40), "${t}w % 3 = 1", "${t}d > date '2024-04-01'", "${t}s LIKE 'k1%'", "${t}m BETWEEN -5 AND 9",
		"${t}v IS NULL", "${t}i > 20", "${t}e > 0", "${t}v <> 2", "${t}j IN (1, 2, 5)", "${t}w > 100000", shape_condition("${t}v"));
}

my @keys = (['i'], ['i'], ['i'], ['j'], ['b'], ['s'], ['d'], ['c'], ['n'], ['l'], ['i', 'j'], ['b', 'd'], ['s', 'j'], ['i', 's', 'd'],
	['j', 's', 'l'], ['n', 'j'], ['i', 'c']);

# Of which a second input has few rows
my @rare = (['i'], ['b'], ['i', 'j'], ['b', 'd'], ['i', 's', 'd'], ['i', 'c']);

sub on { my ($a, $b, @columns) = @_; return join(' AND ', map { "$a.$_ = $b.$_" . ($_ eq 'l' ? pick(' COLLATE "C"', ' COLLATE case_blind') : '') } @columns); }

# An aggregate over rows of a key; columns are those with this in front
sub aggregate
{
	my ($t) = @_;
	my $column = pick(qw(v v w m t z e d i j));
	# what is a numeric without a scale, of a subquery, no device has
	my $sums = $column =~ /[td]/ || ($t eq '' && $column =~ /[wmz]/ && chance(0.9)) ? 'count(%s)' : 'sum(%s)';
	my $of = $t eq '' && $column eq 'm' && chance(0.9) ? 'count(%s)' : pick('count(%s)', 'min(%s)', 'max(%s)', $sums);

	return "sum(octet_length(${t}c))" if $t ne '' && chance(0.07);
	return "count(*) FILTER (WHERE ${t}c LIKE 'k1% ')" if chance(0.03);
	return chance(0.15) ? 'count(*)' : chance(0.1) ? "count($t" . pick(qw(s c n l)) . ')' : sprintf($of, "$t$column");
}

# A subquery that groups a table, by what it is joined by or by more, and its aggregates' names
sub grouped
{
	my ($table, @columns) = @_;
	my @by = @columns;
	my %outputs = map { ("x$_" => aggregate('')) } 1 .. 1 + int rand 3;
	my @names;
	my $query;

	$outputs{x1} = pick('count(DISTINCT v)', 'count(DISTINCT e)', 'count(*) FILTER (WHERE v > 0)', 'count(v) + 1') if chance(0.2);
	$outputs{x9} = pick('coalesce(sum(v), 0)', 'count(DISTINCT v)', 'avg(v)', 'count(*) FILTER (WHERE v > 0)', 'sum(w) / 7', "max(s)", 'bool_and(v > 0)')
	  if chance(0.15);
	@names = sort keys %outputs;
	push @by, pick(qw(j d s)) if chance(0.1);
	if (chance(0.12))
	{
		@names = ();
		$query = 'SELECT DISTINCT ' . join(', ', @by) . " FROM $table";
	}
	else
	{
		# in any order, some of which nobody asks for
		my @list = shuffle(@columns, map { "$outputs{$_} AS $_" } sort keys %outputs);

		$query = 'SELECT ' . (chance(0.05) ? 'DISTINCT ' : '') . join(', ', @list) . " FROM $table";
	}
	$query .= ' WHERE ' . join(' AND ', map { filter('') } 1 .. 1 + int rand 2) if chance(0.4);
	$query .= ' GROUP BY ' . join(', ', chance(0.5) ? @by : reverse @by) if @names;
	$query .= ' HAVING ' . pick('count(*) > 3', 'max(v) > 5', "$by[0] IS NOT NULL", 'sum(w) < 1000') if @names && chance(0.15);
	$query .= " ORDER BY $names[0], $columns[0]" if @names && $query !~ /^SELECT DISTINCT/ && chance(0.1);
	$query .= " LIMIT 1000000" if chance(0.03);
	return ("($query)", @names);
}

# What an outer query makes of an aggregate's result
sub above { my ($x) = @_; return pick("count($x)", "min($x)", "max($x)", "sum($x)"); }

sub query
{
	my $from = 'f';
	my @where;
	my @aggs = ('count(*)');
	my $plain = 0;
	my @groups = map { 'f.' . pick(qw(j s d v j s)) } 1 .. int rand 3;

	foreach my $n (1 .. 1 + int rand 3)
	{
		my $table = pick(qw(a a a b b e));
		my $t = "t$n";
		my @columns = @{ pick(@keys) };
		my $kind = rand;
		my $left = chance(0.5) ? 'LEFT JOIN' : 'JOIN';

		if ($kind < 0.45 && $plain < 2)
		{
			@columns = @{ pick(@rare) } if $plain++ > 0;
			$from .= " $left $table $t ON " . on('f', $t, @columns) . (chance(0.3) ? ' AND ' . filter("$t.") : '');
			push @aggs, map { aggregate("$t.") } 1 .. 1 + int rand 3;
		}
		elsif ($kind < 0.85)
		{
			my ($subquery, @names) = grouped($table, @columns);

			$from .= " $left $subquery $t ON " . on('f', $t, @columns);
			# sums of times are none
			push @aggs, map { my $x = "$t.$_"; $_ eq 'x9' ? "count($x)" : $subquery =~ /(?:min|max)\([td]\) AS $_/ ? "max($x)" : above($x) }
			  grep { $_ ne 'x9' || chance(0.5) } @names;
			push @where, "$t.$names[0] IS NOT NULL" if @names && chance(0.1);
			push @where, "$t.$columns[0] IS " . pick('', 'NOT ') . 'NULL' if chance(0.1);
			push @groups, "$t.$names[0]" if @names && chance(0.1);
		}
		elsif ($kind < 0.95)
		{
			push @where, pick('', 'NOT ') . "EXISTS (SELECT FROM $table $t WHERE " . on('f', $t, @columns) .
			  pick('', " AND $t.v < f.v", " AND $t.w > f.w", " AND $t.v <> f.v", " AND $t.d >= f.d", ' AND ' . filter("$t.")) . ')';
		}
		else
		{
			push @where, "f.$columns[0] " . pick('', 'NOT ') . "IN (SELECT $columns[0] FROM $table WHERE $columns[0] IS NOT NULL GROUP BY 1)";
		}
	}
	push @aggs, pick('sum(f.v)', 'count(f.w)', 'min(f.m)', 'avg(f.w)', shape_count(), 'sum(' . shape_cast('f.v') . ')') if chance(0.5);
	push @where, filter('f.') if chance(0.3);
	return 'SELECT ' . join(', ', @groups, @aggs) . " FROM $from" . (@where ? ' WHERE ' . join(' AND ', @where) : '')
	  . (@groups ? ' GROUP BY ' . join(', ', 1 .. @groups) : '');
}

my @settings = ('', '', '', 'SET enable_hashjoin = off;', 'SET enable_nestloop = off;', 'SET join_collapse_limit = 1;',
	'SET gpuagg.debug_filters = always;', "SET gpuagg.strategy = 'partitioned';", 'SET gpuagg.cost_scale = 0.001;',
	'SET enable_hashagg = off;', "SET gpuagg.lookup_memory = '1MB';");
my %columns = map { $_ => $_ } qw(i v m s d);
my %outcomes;
my $different = 0;
my $asked = 0;
my %folded = (tables => 0, subqueries => 0);
while ($asked < $queries)
{
	my $make = "CREATE COLLATION IF NOT EXISTS case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
	  . table('f', 1000 + int rand 1000, 900) . table('a', 2000 + int rand 3000, 150 + int rand 500)
	  . table('b', 300 + int rand 900, 40 + int rand 100) . table('e', int rand 40, 5) . shape_tables('a', 'i');
	my @queries = map { pick(@settings) . "\n" . (chance(0.2) ? shape_query([ 'f', 'a', 'b' ], \%columns) : query()) } 1 .. $per_database;
	my $script = $make;

	foreach (@queries)
	{
		my ($set, $query) = split /\n/;

		$script .= "$set SELECT replace(" . compared($query) . ", E'\\n', ' '); SELECT folded(\$q\$$query\$q\$); RESET ALL;\n";
	}
	my ($rc, $out, $err) = $node->psql('postgres', "SET client_min_messages = warning;\n$script " . shape_drop() . ' DROP TABLE f, a, b, e;', on_error_stop => 1);
	my @answers = split /\n/, $out;

	if ($rc != 0 || @answers != 2 * @queries)
	{
		fail('every query is answered');
		diag("$make\n$err\nof query " . (@answers / 2 + 1) . ": $queries[@answers / 2]");
		last;
	}
	foreach my $n (0 .. $#queries)
	{
		my ($answer, $tables) = @answers[ 2 * $n, 2 * $n + 1 ];
		my $what = $answer =~ /^ok, not/ ? 'not on the device' : $answer =~ /^ok: / ? 'on the device'
		  : $answer =~ /^same error/ ? 'same error' : 'different';

		$outcomes{$what}++;
		# whether a query's tables are those of its subqueries is known where it has no others
		$folded{$queries[$n] =~ /JOIN [abe] / ? 'tables' : 'subqueries'} += $tables;
		diag("$make$queries[$n]\n  $answer\n") if $what eq 'different' && $different++ < 5;
	}
	$asked += @queries;
}
cmp_ok($asked, '>=', $queries, 'so many were asked');
is($different, 0, "random joins (seed $seed)");
never_refused($node);
note("Summary: seed $seed, $asked queries, $folded{tables} tables and $folded{subqueries} subqueries alone folded: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes));
cmp_ok($folded{tables}, '>', $asked * 0.2, 'many tables were folded of kept columns');
cmp_ok($folded{subqueries}, '>', $asked * 0.03, 'so were those of subqueries alone');
no_tasks($node, 'nothing left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
