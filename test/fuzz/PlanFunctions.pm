# PlanFunctions.pm
#		Calls of every function, operator, aggregate and cast of a server, with values
#		of every type.  srand() decides all of it.
package PlanFunctions;

use strict;
use warnings;

use Exporter 'import';
use RandomQuery qw(pick chance);

our @EXPORT = qw(catalogue_query read_catalogue catalogue_size any_subject plain_subject value constant with_typmod
  condition aggregate_of user_functions namesakes sorts groups merged);

# ---------- what is left out ----------

# Stable or immutable, and yet not to be asked twice of one database for the same answer, or
# not for nothing.  Volatile ones of PostgreSQL are planned, and never run.
my @left_out = (
	[ qr/^(?:satisfies_hash|pg_stat|pg_backend|pg_conf|pg_last_|pg_blocking|pg_isolation|pg_safe|pg_lock|pg_cursor|pg_prepared|pg_is_|pg_get_(?:replication|wal|shmem|backend|publication))/, 'what it tells changes from one statement to the next' ],
	[ qr/^(?:pg_(?:database|tablespace|table|indexes|total_relation|relation)_size|pg_relation_file|pg_filenode|pg_column_|pg_my_temp|pg_listening|pg_control|age|mxid_age|txid_|pg_current|pg_snapshot_|pg_xact|pg_postmaster|pg_jit|pg_options|pg_event_trigger)/, 'likewise, or it tells of files and transactions' ],
	[ qr/^(?:(?:query|table|cursor|schema|database)_to_xml|ts_stat|ts_rewrite|connectby|crosstab|xpath_table|dblink)/, 'runs statements that it is given, or a whole database' ],
	[ qr/^(?:bt\w+cmp|\w+_cmp)$/, 'of its result the sign alone is defined' ],
	[ qr/^(?:current_query|gp_|set_limit|show_limit|pg_read|pg_ls|pg_file|pg_import|pg_hba|pg_ident|binary_upgrade|pg_extension|pg_available|pg_describe|pg_identify|pg_get_object)/, 'tells of the server, its files or the statement' ],
	[ qr/^(?:generate_series|repeat|lpad|rpad|factorial|gen_|crypt|pg_input|normal_rand|levenshtein|pg_size_bytes|brin_|gin_|gist_|gbt_|g_int|g_intbig|gtrgm|ltree_g|_ltree_|hstore_.*pickle|ghstore|spg_|hash_.*internal)/, 'takes unbounded time or memory of some values, or is of an index alone' ]);

sub reason_left_out
{
	my ($name) = @_;

	foreach my $rule (@left_out)
	{
		return $rule->[1] if $name =~ $rule->[0];
	}
	return undef;
}

# ---------- types ----------

my %literals = (
	boolean => [ 't', 'f' ], smallint => [ 0, 1, -7, 32767 ], integer => [ 0, 1, 2, 3, 10, -3, 100, 2147483647 ], bigint => [ 0, 1, -5, 3, 10000000000 ],
	real => [ 0, 1.5, -0.25 ], 'double precision' => [ 0, 1, 0.5, -2, 100, 'NaN' ], numeric => [ 0, 1, 0.5, '-3', 10.25, 2, '1e10' ],
	text => [ 'a', '', 'abc', 'k1', '1', 'YYYY-MM', 'day', 'UTC', 'hour', 'America/New_York', 'right/UTC', 'month', 'epoch' ], 'character varying' => [ 'a', 'v1', '' ], character => [ 'a', 'c2 ' ], '"char"' => ['a'], name => [ 'a', 'pg_class' ],
	cstring => [ '1', 'a' ], unknown => [ 'a', '1' ], bytea => [ '\x12', '', '\x00ff' ], date => [ '2024-01-03', '2000-01-01', 'infinity' ], 'time without time zone' => [ '12:34:56.789', '00:00' ],
	'time with time zone' => [ '10:05+00', '11:00+01' ], 'timestamp without time zone' => [ '2024-01-02 03:04:05', '2010-03-04' ], 'timestamp with time zone' => [ '2024-01-02 03:04:05+00', '2018-11-04 02:30+00' ],
	interval => [ '1 day', '2 mons 00:00:00.7', '-05:00', '7 min' ], uuid => [ '00000000-0000-0000-0000-000000000001' ], money => [ '1.5', '0', '-3' ], oid => [ 0, 21, 1259 ],
	regclass => ['pg_class'], regproc => ['now'], regprocedure => ['now()'], regoper => ['||/'], regoperator => ['+(integer,integer)'], regtype => [ 'int4', 'text' ], regrole => ['postgres'],
	regnamespace => ['pg_catalog'], regconfig => ['english'], regdictionary => ['simple'], regcollation => ['"C"'], tid => [ '(0,1)', '(1,2)' ], xid => [3], xid8 => [3], cid => [1], pg_lsn => [ '0/0', 'FF/0' ],
	inet => [ '10.1.0.0/16', '1.2.3.4', '::/0' ], cidr => ['10.0.0.0/8'], macaddr => ['08:00:2b:01:03:ff'], macaddr8 => ['08:00:2b:01:03:ff:00:01'], bit => [ '101', '1' ], 'bit varying' => [ '01', '' ],
	json => [ '{"a": 1}', '[1, 2]', '"x"' ], jsonb => [ '{"k": 1, "n": "x"}', '[1, 2]', '2', 'null' ], jsonpath => [ '$.k', '$[*]' ], xml => ['<a>1</a>'], tsvector => ['a b:1'], tsquery => [ 'a & b', 'a' ],
	point => [ '(1,2)', '(0,0)' ], line => ['{1,2,3}'], lseg => ['[(0,0),(1,1)]'], box => ['(1,1),(0,0)'], path => ['((0,0),(1,1),(2,0))'], polygon => ['((0,0),(1,1),(2,0))'], circle => ['<(0,0),2>'],
	int4range => [ '[1,3)', 'empty' ], int8range => ['[1,30)'], numrange => ['[1.5,3)'], daterange => ['[2024-01-01,2024-02-01)'], tsrange => ['[2024-01-01,2024-02-01)'], tstzrange => ['[2024-01-01,2024-02-01)'],
	int4multirange => ['{[1,3),[5,6)}'], nummultirange => ['{[1,3)}'], datemultirange => ['{[2024-01-01,2024-02-01)}'], int2vector => ['1 2'], oidvector => ['1 2'], refcursor => ['none'], pg_snapshot => ['10:20:15'],
	txid_snapshot => ['10:20:15'], aclitem => ['postgres=r/postgres'], 'fuzz.mood' => [ 'sad', 'ok', 'happy' ], 'fuzz.code' => [ 1, 5 ], citext => [ 'A', 'b' ], hstore => ['a=>1,b=>2'], ltree => ['a.b.c'],
	lquery => ['a.*'], ltxtquery => ['a & b'], cube => ['(1,2,3)'], seg => ['1..2'], isbn => ['0-14-200057-1'], earth => ['(1,2,3)'], query_int => ['1&2']);
my %range_of = (integer => 'int4range', bigint => 'int8range', numeric => 'numrange', date => 'daterange');
my %multirange_of = (integer => 'int4multirange', numeric => 'nummultirange', date => 'datemultirange');

# ---------- the catalogue ----------

# What there is for a role: lines of fields
sub catalogue_query
{
	my ($role) = @_;
	my $type = sub { return "(SELECT string_agg(format_type(u, NULL), ';' ORDER BY n) FROM unnest($_[0]) WITH ORDINALITY x(u, n))"; };

	return qq{
	SELECT concat_ws(E'\x1f', 'function', prokind, CASE nspname WHEN 'pg_catalog' THEN '' ELSE quote_ident(nspname) || '.' END || quote_ident(proname),
			format_type(prorettype, NULL), CASE WHEN nspname = 'pg_catalog' THEN provolatile ELSE 's' END, proretset, format_type(NULLIF(provariadic, 0), NULL) IS NOT NULL,
			pronargdefaults, coalesce(aggkind, '-'), coalesce(aggnumdirectargs, 0), coalesce(${\$type->('proargtypes')}, ''))
	FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
	WHERE nspname IN ('pg_catalog', 'public', 'fuzz') AND has_function_privilege('$role', p.oid, 'EXECUTE')
		AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype, 'language_handler'::regtype, 'fdw_handler'::regtype,
			'index_am_handler'::regtype, 'tsm_handler'::regtype, 'table_am_handler'::regtype, 'void'::regtype)
		AND NOT 'internal'::regtype = ANY (proargtypes) AND prokind <> 'p'
		AND (nspname <> 'public' OR EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e'))
	UNION ALL
	SELECT concat_ws(E'\x1f', 'operator', provolatile, CASE nspname WHEN 'pg_catalog' THEN oprname ELSE format('OPERATOR(%I.%s)', nspname, oprname) END,
			format_type(oprresult, NULL), CASE WHEN oprleft = 0 THEN '' ELSE format_type(oprleft, NULL) END, format_type(oprright, NULL))
	FROM pg_operator o JOIN pg_namespace n ON n.oid = oprnamespace JOIN pg_proc p ON p.oid = oprcode
	UNION ALL
	SELECT concat_ws(E'\x1f', 'cast', format_type(castsource, NULL), format_type(casttarget, NULL)) FROM pg_cast
	ORDER BY 1};
}

# Names of types that stand for themselves in a cast
my %written = (character => 'bpchar', bit => '"bit"');
my (@subjects, %producers, %bare, @taken, %equal, @constants, $next);

# Some of what devices have, which is drawn more often than what else there is
my $taken = qr/^(?:[-+*\/%]|<>|<|>=|=|~~|!~~|date_trunc|date_part|extract|timezone|to_char|upper|lower|length|octet_length|substr|substring|left|right|round|trunc|floor|ceil|abs|sign|mod|div|sqrt|power|coalesce|concat|btrim|ltrim|rtrim|replace|position|starts_with|ascii|chr|md5|hashint4|width_bucket|int4|int8|numeric|float8|text|date|timestamp|timestamptz|\w+::(?:integer|bigint|numeric|text|date|smallint|double precision|timestamp \w+ time zone)|count|sum|avg|min|max|bool_and|bool_or|bit_and|bit_or|stddev\w*|var\w*|regr_\w+|corr|covar_\w+|percentile_\w+|mode|rank|jsonb_\w+|->>?|#>>|\&\&|\@>|\|\|)$/;

sub written { my ($type) = @_; return $type =~ s/^(character|bit)\b(?! varying)/$written{$1}/r; }

sub read_catalogue
{
	my ($text) = @_;

	@subjects = @taken = %bare = %producers = %equal = ();
	foreach my $line (split /\n/, $text)
	{
		my ($what, @f) = split /\x1f/, $line, -1;
		my $of = $what eq 'function'
		  ? { what => $f[0] eq 'a' ? 'aggregate' : $f[0] eq 'w' ? 'window' : 'function', name => $f[1], result => $f[2], volatile => $f[3] eq 'v', set => $f[4] eq 't',
			variadic => $f[5] eq 't', defaults => $f[6], kind => $f[7], direct => $f[8], args => [ split /;/, $f[9] ] }
		  : $what eq 'operator' ? { what => $what, volatile => $f[0] eq 'v', name => $f[1], result => $f[2], args => [ grep { $_ ne '' } @f[ 3, 4 ] ] }
		  :                       { what => $what, name => "$f[0]::$f[1]", result => $f[1], args => [ $f[0] ] };

		next if defined reason_left_out($of->{name} =~ s/.*\.//r);
		$equal{ $of->{args}[0] } = 1 if $what eq 'operator' && $of->{name} eq '=' && $of->{args}[0] eq $of->{args}[1];
		push @subjects, $of;
		push @taken, $of if $of->{name} =~ $taken;
		push @{ $bare{ $of->{result} } }, "$of->{name}()" if $of->{what} eq 'function' && $of->{name} =~ /^fuzz\./ && !@{ $of->{args} };
		push @{ $producers{ $of->{result} } }, $of if $of->{what} =~ /function|operator|cast/ && !$of->{set} && !$of->{volatile};
	}
	# of those types that this server has
	my %there = map { $_ => 1 } 'unknown', map { ($_->{result}, @{ $_->{args} }) } @subjects;
	@constants = grep { $there{$_} } sort keys %literals;
	$next = 0;
	return;
}

sub catalogue_size { return scalar @subjects; }

# ---------- values ----------

# A constant of a type
sub constant
{
	my ($type) = @_;
	my $written = written($type);

	return "NULL::$written" if chance(0.06);
	return chance(0.2) ? "'{}'::$written" : 'ARRAY[' . join(', ', map { constant($1) } 1 .. pick(1, 2, 3)) . "]::$written" if $type =~ /(.*)\[\]$/;
	return chance(0.5) ? "ROW(1, 'x')" : "ROW(2, 'p')::fuzz.pair" if $type eq 'record' || $type eq 'fuzz.pair';
	return $type eq 'text' && chance(0.4) ? "'k1'" : 'NULL' if $type eq 'unknown';
	my $of = $literals{$type};
	return "NULL::$written" unless $of;
	my $value = pick(@$of);
	# as it is usually written, too
	return $value if $type =~ /^(?:integer|numeric)$/ && $value =~ /^[\d.]+$/ && chance(0.3) && ($type eq 'integer') == ($value !~ /[.]/);
	return "'$value'::$written";
}

# A value of a type: a column, a constant, or a call
sub value
{
	my ($type, $columns, $depth) = @_;
	my $own = $columns->{$type};
	my $producers = $producers{$type};

	# functions of users that have no arguments
	return pick(@{ $bare{$type} }) if $bare{$type} && chance(0.08);
	return pick(@$own) if $own && chance(0.68);
	return (call(pick(@$producers), $columns, $depth - 1))[0] if $producers && $depth > 0 && chance(0.45);
	return pick(@$own) if $own && chance(0.3);
	return "CASE WHEN " . pick(@{ $columns->{boolean} }) . " THEN ${\constant($type)} ELSE ${\constant($type)} END" if $columns->{boolean} && chance(0.12);
	return constant($type);
}

my @sorted = (qw(boolean smallint integer bigint real numeric text date interval uuid money oid bytea inet jsonb int4range name pg_lsn macaddr tid fuzz.mood fuzz.code), 'double precision',
	'character varying', 'character', 'time without time zone', 'time with time zone', 'timestamp without time zone', 'timestamp with time zone', 'bit varying', 'integer[]', 'text[]');
my %sorted = map { $_ => 1 } @sorted;

# Whether rows can be sorted by a type, in one way; whether they can be grouped
sub sorts { return $sorted{ $_[0] }; }
sub groups { return $sorted{ $_[0] }; }

# Columns of one and of another, by type
sub merged
{
	my %all;

	foreach my $columns (@_)
	{
		push @{ $all{$_} }, @{ $columns->{$_} } foreach keys %$columns;
	}
	return \%all;
}

# ---------- calls ----------

# Which types stand for polymorphic ones, in one call
sub concrete
{
	my ($of, $columns) = @_;
	my $signature = "@{ $of->{args} } $of->{result}";
	my @own = grep { /^[a-z]/ && !/\[\]|record/ } sort keys %$columns;
	my $element = $signature =~ /multirange/ ? pick(sort keys %multirange_of) : $signature =~ /any\w*range/ ? pick(sort keys %range_of) : $signature =~ /anyenum/ ? 'fuzz.mood' : pick(@own ? @own : 'integer');
	my %is;

	$is{$_} = $element foreach qw(anyelement anynonarray anyenum anycompatible anycompatiblenonarray);
	$is{$_} = "$element\[]" foreach qw(anyarray anycompatiblearray);
	$is{$_} = $range_of{$element} // 'int4range' foreach qw(anyrange anycompatiblerange);
	$is{$_} = $multirange_of{$element} // 'int4multirange' foreach qw(anymultirange anycompatiblemultirange);
	return sub { my ($type) = @_; return $type eq '"any"' ? pick('unknown', @own ? @own : 'integer') : $is{$type} // $type; };
}

# Types of a call's arguments: some of those that have defaults, any number of those of one that is variadic
sub argument_types
{
	my ($of, $is) = @_;
	my @types = @{ $of->{args} };

	splice @types, @types - int rand($of->{defaults} + 1) if $of->{defaults} && chance(0.7);
	if ($of->{variadic} && @types == @{ $of->{args} })
	{
		my $last = pop @types;

		return ((map { $is->($_) } @types), [ $is->($last) ]) if $last ne '"any"' && chance(0.3);
		return map { $is->($_) } @types, ($last =~ s/\[\]$//r =~ s/anyarray/anyelement/r =~ s/anycompatiblearray/anycompatible/r) x pick(1, 1, 2, 3);
	}
	return map { $is->($_) } @types;
}

# A call of a function, operator or cast, and its type
sub call
{
	my ($of, $columns, $depth) = @_;
	my $is = concrete($of, $columns);
	my $result = $is->($of->{result});
	my @types = argument_types($of, $is);
	my @args = map { ref $_ ? 'VARIADIC ' . value($_->[0], $columns, $depth) : value($_, $columns, $depth) } @types;

	return ("$of->{name}(" . join(', ', @args) . ')', $result) if $of->{what} eq 'function';
	return ('(' . join(" $of->{name} ", @args > 1 ? @args : ('', @args)) . ')', $result) if $of->{what} eq 'operator';
	return (with_typmod("($args[0])", $result), $result);
}

# A cast, often with a modifier of its type
sub with_typmod
{
	my ($sql, $type) = @_;
	my $scale = int(rand 9) - 5;
	my %modified = (
		numeric => 'numeric(' . (1 + int rand 20) . (chance(0.8) ? ", $scale" : '') . ')', 'character varying' => 'varchar(' . pick(1, 3, 9) . ')', character => 'char(' . pick(1, 2, 9) . ')',
		bit => 'bit(' . pick(1, 3, 70) . ')', 'bit varying' => 'varbit(' . pick(1, 5) . ')', interval => pick('interval(1)', 'interval day', 'interval hour to second(0)', 'interval year'),
		map { ($_ => s/ /'(' . pick(0, 2, 6) . ') '/er) } 'time without time zone', 'time with time zone', 'timestamp without time zone', 'timestamp with time zone');

	return "$sql\::" . ($modified{$type} && chance(0.5) ? $modified{$type} : written($type));
}

# Those whose result depends on the order of rows
my $ordered = qr/^(?:(?:array|string|json|jsonb|json_object|jsonb_object|xml)_?agg(?:_strict)?(?:_unique)?)$/;

# An aggregate of these columns; with an argument of the caller's, if there is one of its type
sub aggregate_call
{
	my ($of, $columns, $depth) = @_;
	my $is = concrete($of, $columns);
	my @types = map { ref $_ ? $_->[0] : $_ } argument_types({ %$of, variadic => $of->{variadic} && chance(0.5) }, $is);
	my $result = $is->($of->{result});
	my @args = map { value($_, $columns, $depth) } @types;

	if ($of->{kind} ne 'n')
	{
		my $direct = $of->{kind} eq 'h' ? int(@args / 2) : $of->{direct};
		my @given = map { constant($_) } @types[ 0 .. $direct - 1 ];
		my @rest = $of->{kind} eq 'h' ? map { value($_, $columns, $depth) } @types[ 0 .. $direct - 1 ] : @args[ $direct .. $#args ];

		return ("$of->{name}(" . join(', ', @given) . ') WITHIN GROUP (ORDER BY ' . join(', ', @rest) . ')', $result);
	}
	return ("$of->{name}(*)", $result) unless @args;
	my $list = join ', ', @args;
	return ("$of->{name}($list ORDER BY $list)", $result) if $of->{name} =~ $ordered;
	return ("$of->{name}(" . (chance(0.12) && @args == 1 ? 'DISTINCT ' : '') . "$list)", $result);
}

# An aggregate of a value that a device may have
sub aggregate_of
{
	my ($sql, $type) = @_;
	my @names = ('count(%s)', 'count(DISTINCT %s)');

	push @names, ('min(%s)', 'max(%s)') x 2 if $type =~ /^(?:smallint|integer|bigint|real|double precision|numeric|text|date|time|timestamp|interval|money|oid|inet|character|fuzz.mood|fuzz.code)/;
	push @names, ('sum(%s)', 'avg(%s)', 'sum(%s)', 'avg(%s)', 'stddev(%s)', 'var_pop(%s)') if $type =~ /^(?:smallint|integer|bigint|real|double precision|numeric)$/;
	push @names, ('sum(%s)') x 2 if $type =~ /^(?:interval|money)$/;
	push @names, ('bool_and(%s)', 'bool_or(%s)') x 2 if $type eq 'boolean';
	return sprintf pick(@names), $sql;
}

# ---------- subjects ----------

my @argument_types = ('smallint', 'integer', 'bigint', 'numeric', 'double precision', 'text', 'date', 'timestamp without time zone', 'timestamp with time zone', 'interval', 'boolean', 'character varying', 'fuzz.mood', 'fuzz.code');
my (@known, %namesakes, @namesakes);

# Each function, operator, aggregate and cast in its turn, or one that devices may have
sub any_subject
{
	my ($columns) = @_;

	return counted_subject($columns) if @known && chance(0.06);
	my $of = chance(0.35) ? pick(@taken) : $subjects[ $next++ * 7919 % @subjects ];
	my ($sql, $type) = $of->{what} =~ /aggregate|window/ ? aggregate_call($of, $columns, 1) : call($of, $columns, 1);

	return { sql => $sql, type => $type, what => $of->{what}, name => $of->{name}, volatile => $of->{volatile}, set => $of->{set} };
}

# What devices have: columns, constants, casts, sums of them
sub plain_subject
{
	my ($columns) = @_;
	my $type = pick(sort keys %$columns);
	my $column = pick(@{ $columns->{$type} });
	my @numbers = grep { $columns->{$_} } qw(smallint integer bigint numeric);
	my $kind = rand;

	return { sql => $column, type => $type, what => 'column', name => $type } if $kind < 0.4 || !@numbers;
	if ($kind < 0.6)
	{
		my $constant = pick('unknown', 'unknown', @constants);

		return { sql => constant($constant), type => $constant, what => 'constant', name => $constant };
	}
	my $number = pick(@{ $columns->{ pick(@numbers) } });
	return { sql => with_typmod("($number)", 'numeric'), type => 'numeric', what => 'cast', name => 'numeric' } if $kind < 0.75;
	return { sql => "($number " . pick('+', '-', '*', '%') . ' ' . pick(1, 3, 10, pick(@{ $columns->{ pick(@numbers) } })) . ')', type => 'numeric', what => 'operator', name => 'arithmetic' };
}

# A condition of a value
sub condition
{
	my ($sql, $type, $columns) = @_;

	return pick($sql, $sql, "NOT $sql", "$sql IS NOT TRUE", "$sql = " . value('boolean', $columns, 1)) if $type eq 'boolean';
	return $sql . pick(' IS NULL', ' IS NOT NULL') if !$equal{$type} || chance(0.1);
	return "$sql = " . value($type, $columns, 2) if chance(0.5) || !sorts($type);
	return "$sql " . pick('<', '>=', '<>', 'IS DISTINCT FROM') . ' ' . value($type, $columns, 1) if chance(0.6);
	return "$sql IN (" . join(', ', map { constant($type) } 1 .. pick(2, 3)) . ')';
}

# ---------- names that planning knows, with any number of arguments ----------

# Types that stand for those of any
my %of_any = ('"any"' => 'integer', anyelement => 'integer', anyarray => 'integer[]', anyenum => 'fuzz.mood');

# Types of so many arguments of a row: more than it has are of any type
sub counted_types
{
	my ($row, $n) = @_;

	return map { $_ < @{ $row->{types} } ? $of_any{ $row->{types}[$_] } // $row->{types}[$_] : pick(@argument_types) } 0 .. $n - 1;
}

# Functions and aggregates of users that are called as those of the rows, with one argument less
# or more, or none at all.  Rows: name, types of arguments and of the result, is it an aggregate?
sub namesakes
{
	my ($rows, $count) = @_;
	my $sql = '';

	@known = grep { !defined reason_left_out($_->{name}) && !grep { $_ eq 'internal' } @{ $_->{types} } } @$rows;
	%namesakes = @namesakes = ();
	foreach (1 .. $count)
	{
		my $row = pick(@known);
		my $has = @{ $row->{types} };
		my $n = pick(grep { $_ != $has } 0 .. $has + 1);
		my @types = counted_types($row, $n);
		my $list = join ', ', map { written($_) } @types;
		my $result = $row->{aggregate} ? 'bigint' : $of_any{ $row->{type} } // $row->{type};
		my $name = "fuzz.\"$row->{name}\"";

		next if $namesakes{ $row->{name} }[$n];
		$namesakes{ $row->{name} }[$n] = { types => \@types, type => $result };
		push @namesakes, [ $row, $n ];
		$sql .= $row->{aggregate}
		  ? "CREATE FUNCTION fuzz.\"$row->{name}_$n\"(bigint" . ($n ? ", $list" : '') . ") RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT \$1 + 1';\n" .
			"CREATE AGGREGATE $name(" . ($n ? $list : '*') . ") (sfunc = fuzz.\"$row->{name}_$n\", stype = bigint, initcond = '0');\n"
		  : "CREATE FUNCTION $name($list) RETURNS ${\written($result)} " . pick('IMMUTABLE', 'STABLE') . ' ' .
			pick("LANGUAGE sql AS \$f\$SELECT ${\constant($result)}\$f\$", "LANGUAGE plpgsql AS \$f\$BEGIN RETURN ${\constant($result)}; END\$f\$") . ";\n";
	}
	return $sql;
}

# A call of a name with 0 to n + 1 arguments, where PostgreSQL's own has n
sub counted_subject
{
	my ($columns) = @_;
	my ($row, $n) = @namesakes && chance(0.6) ? @{ pick(@namesakes) } : (pick(@known), undef);
	my $has = @{ $row->{types} };

	$n //= int rand($has + 2);
	my $users = $namesakes{ $row->{name} }[$n];
	my @args = map { value($_, $columns, 1) } $users ? @{ $users->{types} } : counted_types($row, $n);
	my $aggregate = $row->{aggregate} && ($users || $n == $has);

	return { sql => "\"$row->{name}\"(" . (@args || !$aggregate ? join ', ', @args : '*') . ')', type => $users ? $users->{type} : $of_any{ $row->{type} } // $row->{type},
		what => $aggregate ? 'aggregate' : 'function', name => "$row->{name} of $n", volatile => 0, set => 0 };
}

# ---------- functions of users ----------

# of PostgreSQL's own library: symbol, result, arguments
my @symbols = ([ 'int4pl', 'integer', 'integer', 'integer' ], [ 'textlen', 'integer', 'text' ], [ 'dpi', 'double precision' ], [ 'now', 'timestamp with time zone' ], [ 'int8abs', 'bigint', 'bigint' ],
	[ 'float8um', 'double precision', 'double precision' ], [ 'date_mi', 'integer', 'date', 'date' ], [ 'numeric_sign', 'numeric', 'numeric' ], [ 'booleq', 'boolean', 'boolean', 'boolean' ],
	[ 'timestamp_mi', 'interval', 'timestamp without time zone', 'timestamp without time zone' ], [ 'text_larger', 'text', 'text', 'text' ]);

# A function: of a language, with 0, 1, 2 .. arguments
sub user_function
{
	my ($name) = @_;
	my $language = pick('sql', 'plpgsql', 'plpgsql', 'internal');
	my ($result, @args) = (pick(@argument_types), map { pick(@argument_types) } 1 .. pick(0, 0, 0, 1, 1, 2, 3));
	my $body;
	# a function of C's that is told nothing of NULL gets none
	my $strict = $language eq 'internal' ? 'STRICT' : pick('STRICT', '', '');

	if ($language eq 'internal')
	{
		($body, $result, @args) = @{ pick(@symbols) };
	}
	else
	{
		my %columns;

		push @{ $columns{ $args[$_] } }, '$' . ($_ + 1) foreach 0 .. $#args;
		$body = value($result, \%columns, 1);
		$body = $language eq 'sql' ? "SELECT ($body)::${\written($result)}" : "BEGIN RETURN $body; END";
	}
	my $list = join ', ', map { written($args[$_]) . ($_ == $#args && chance(0.15) && $language ne 'internal' ? ' DEFAULT ' . constant($args[$_]) : '') } 0 .. $#args;
	return "CREATE FUNCTION fuzz.$name($list) RETURNS ${\written($result)} LANGUAGE $language " . join(' ', pick('STABLE', 'STABLE', 'IMMUTABLE', 'VOLATILE'), $strict, pick('LEAKPROOF', '', ''),
		pick('PARALLEL SAFE', '')) . " AS \$f\$$body\$f\$;\n";
}

# All that users add: functions, aggregates, operators, casts, of types of their own
sub user_functions
{
	my ($count) = @_;

	return join('', map { user_function("u$_") } 1 .. $count) . <<'SQL';
CREATE AGGREGATE fuzz.total(integer) (sfunc = int4pl, stype = integer, initcond = '0', msfunc = int4pl, minvfunc = int4mi, mstype = integer, minitcond = '0', parallel = safe, combinefunc = int4pl);
CREATE AGGREGATE fuzz.longest(text) (sfunc = text_larger, stype = text, sortop = >);
CREATE AGGREGATE fuzz.rows(*) (sfunc = int8inc, stype = bigint, initcond = '0');
CREATE FUNCTION fuzz.next_sum(numeric, numeric, integer) RETURNS numeric IMMUTABLE LANGUAGE sql AS 'SELECT $1 + coalesce($2, 0) * coalesce($3, 1)';
CREATE AGGREGATE fuzz.weighted(numeric, integer) (sfunc = fuzz.next_sum, stype = numeric, initcond = '0');
CREATE FUNCTION fuzz.near(integer, integer) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT abs($1::bigint - $2) < 3';
CREATE FUNCTION fuzz.twice(numeric) RETURNS numeric STABLE LANGUAGE plpgsql AS 'BEGIN RETURN 2 * $1; END';
CREATE OPERATOR fuzz.=~= (leftarg = integer, rightarg = integer, function = fuzz.near, commutator = OPERATOR(fuzz.=~=), restrict = eqsel, join = eqjoinsel);
CREATE OPERATOR fuzz.## (rightarg = numeric, function = fuzz.twice);
CREATE FUNCTION fuzz.as_number(fuzz.mood) RETURNS integer IMMUTABLE LANGUAGE sql AS $$ SELECT CASE $1 WHEN 'sad' THEN 1 WHEN 'ok' THEN 2 ELSE 3 END $$;
CREATE CAST (fuzz.mood AS integer) WITH FUNCTION fuzz.as_number(fuzz.mood);
CREATE FUNCTION fuzz.as_text(fuzz.pair) RETURNS text STABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1.a || $1.b; END';
CREATE CAST (fuzz.pair AS text) WITH FUNCTION fuzz.as_text(fuzz.pair);
SQL
}

1;
