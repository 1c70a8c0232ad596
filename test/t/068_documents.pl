# README.md and doc/: every example in SQL runs, and what a document shows as its result is
# what psql prints; a server starts with every block of settings.
#
# A block of code is SQL where its language is "sql", settings of a server where it is "conf".
# A word behind that keeps a block from being run here: %elsewhere has the reason.  What readers
# need not see (tables of an example) stands in a comment, "<!-- sql ... -->".  Behind a
# statement and an empty line a block may show the result, in which "..." is anything.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %elsewhere = (
	citus => 'needs Citus and two workers: test/citus/run',
	servers => 'names another machine: 029_foreign.pl');

my $root = "$FindBin::RealBin/../..";
my $data = "$root/test/data/us_baby_names_1880_2010.csv.xz";
my @documents = grep { -f "$root/$_" } 'README.md', map { s{^\Q$root/}{}r } sort glob "$root/doc/*.md";

plan skip_all => 'no documents here' if !@documents || !-f $data;

# Blocks of a document: kind, mark, and paragraphs, each with the line on which it begins
sub blocks
{
	my ($name) = @_;
	my ($n, $end, @blocks) = (0, undef);

	foreach my $line (split /\n/, slurp_file("$root/$name"))
	{
		$n++;
		if (!defined $end && $line =~ /^(?:```|<!-- (?=sql))(\w*) ?(\w*)$/)
		{
			push @blocks, { kind => $1, mark => $2, begin => $n, paragraphs => [ { begin => $n + 1, lines => [] } ] };
			$end = $line =~ /^`/ ? '```' : '-->';
		}
		elsif (defined $end && $line eq $end) { undef $end; }
		elsif (defined $end && $line eq '') { push @{ $blocks[-1]{paragraphs} }, { begin => $n + 1, lines => [] }; }
		elsif (defined $end) { push @{ $blocks[-1]{paragraphs}[-1]{lines} }, $line; }
	}
	return @blocks;
}

# A script that has the document's SQL on the document's lines, so that psql's errors name
# these, and the results that are shown, by the lines on which their statements begin.
# Paragraphs that are indented are results.
sub script
{
	my (@script, %shown);

	foreach my $block (@_)
	{
		my $statements;

		# what a block before has turned off, its readers have turned on again
		$script[ $block->{begin} - 1 ] = 'RESET gpuagg.enable;';
		foreach my $paragraph (@{ $block->{paragraphs} })
		{
			my ($begin, @lines) = ($paragraph->{begin}, @{ $paragraph->{lines} });

			if (@lines && $lines[0] =~ /^ /) { $shown{$statements} = \@lines; next; }
			$statements = $begin;
			$script[ $begin - 2 ] .= "\\echo === $begin";
			@script[ $begin - 1 .. $begin - 2 + @lines ] = @lines;
		}
	}
	# half a minute and more of measuring is not what is tested here
	return (join("\n", map { ($_ // '') =~ s/gpuagg\.calibrate\((?:'(\w+)', '\w+')?\)/"gpuagg.calibrate('" . ($1 \/\/ 'auto') . "', 'low')"/er } @script) . "\n", \%shown);
}

# Without the headings of EXPLAIN and blanks at the ends of lines
sub plain
{
	return map { s/ +$//r } grep { !/^ *QUERY PLAN *$|^-+$/ } @_;
}

sub same
{
	my ($shown, $printed) = @_;
	my $pattern = join '\n', map { join '.*', map { quotemeta } split /\.\.\./, s/^ *\.\.\.$/.../r, -1 } plain(@$shown);

	$pattern =~ s/(^|\\n)\.\*(?=\\n|$)/$1(?s:.*)/g;
	return join("\n", plain(@$printed)) =~ /^$pattern$/;
}

my $node = new_node('documents', 'gpuagg.device = host', 'gpuagg.host_threads = 2', 'shared_buffers = 512MB', 'autovacuum = off',
	'max_worker_processes = 16', "shared_preload_libraries = 'gpuagg, pg_stat_statements'");

$node->safe_psql('postgres', q{DROP EXTENSION gpuagg; CREATE DATABASE names});
$node->safe_psql('names', 'CREATE EXTENSION pg_stat_statements');
$node->safe_psql('names', 'CREATE TABLE babies (year int, sex char(1), name text, births int)');
system("xz -dc '$data' | psql -XAtq -d '" . $node->connstr('names') . "' -c '\\copy babies FROM STDIN (FORMAT csv)'") == 0
  or die 'the quick start\'s data cannot be loaded';
$node->safe_psql('names', 'VACUUM (ANALYZE) babies');

# README's install the extension and make tables; the other documents go on from there, each by itself
foreach my $document (@documents)
{
	my @sql = grep { $_->{kind} eq 'sql' && $_->{mark} eq '' } blocks($document);
	my $database = $document eq 'README.md' ? 'names' : 'document';
	my ($script, $shown) = script(@sql);
	my $file = File::Temp->new;
	my (%printed, $at);

	next if !@sql;
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS document; CREATE DATABASE document TEMPLATE names') if $database ne 'names';
	print $file $script;
	$file->flush;
	local $ENV{PGOPTIONS} = '-c gpuagg.debug_require=prefer -c client_min_messages=error';
	IPC::Run::run([ 'psql', '-Xq', '-P', 'footer=off', '-d', $node->connstr($database), '-f', $file->filename ], '>', \my $out, '2>', \my $err);
	is($err =~ s/psql:[^:]*:(\d+)/$document:$1/gr, '', "$document: every example runs");
	foreach my $line (split /\n/, $out)
	{
		if ($line =~ /^=== (\d+)$/) { $at = $1; }
		elsif ($line ne '') { push @{ $printed{$at} }, $line; }
	}
	foreach my $line (sort { $a <=> $b } keys %$shown)
	{
		ok(same($shown->{$line}, $printed{$line} // []), "$document:$line: the result that is shown")
		  or diag(join "\n", 'printed:', plain(@{ $printed{$line} // [] }), 'shown:', plain(@{ $shown->{$line} }));
	}
}

my @blocks = map { my $name = $_; map { { %$_, document => $name } } blocks($name) } @documents;
is_deeply([ sort { $a cmp $b } keys %{ { map { $_->{mark} => 1 } grep { $_->{mark} ne '' } @blocks } } ], [ sort keys %elsewhere ],
	'marks of blocks that run elsewhere, each with its reason');
foreach my $block (grep { $_->{kind} !~ /^(sql|conf)$/ } @blocks)
{
	my @lines = map { @{ $_->{lines} } } @{ $block->{paragraphs} };

	is(scalar(grep { /^(SELECT|EXPLAIN|CREATE|SET|PREPARE|VACUUM|ALTER|INSERT|WITH)\b|^[a-z_.]+ = / } @lines), 0,
		"$block->{document}:$block->{begin}: neither SQL nor settings that nobody tries");
}

# ---------- names ----------

sub words { return map { split /\n/ } $node->safe_psql('names', $_[0]); }

# What doc/NAME.md has between two headings, of rows of tables the cells
sub rows_of
{
	my ($name, $heading) = @_;
	my ($text) = slurp_file("$root/doc/$name.md") =~ /^#+ \Q$heading\E\n(.*?)(?=^#|\z)/ms;

	return map { [ split / *\| */, s/^\| *//r ] } grep { /^\| `/ } split /\n/, $text;
}

sub quoted { return $_[0] =~ /`([^`]+)`/g; }

my %ours = map { $_ => 1 } words(q{
	SELECT 'gpuagg.' || relname FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace
	UNION SELECT 'gpuagg.' || proname FROM pg_proc WHERE pronamespace = 'gpuagg'::regnamespace
	UNION SELECT name FROM pg_settings WHERE name LIKE 'gpuagg.%'});
my %files = map { $_ => 1 } qw(gpuagg.so gpuagg.new gpuagg.prom gpuagg.control);
my %columns;

push @{ $columns{ (split /\|/)[0] } }, (split /\|/)[1] foreach words(q{
	SELECT attrelid::regclass, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
	WHERE relnamespace = 'gpuagg'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped});
foreach my $document (@documents)
{
	my $text = slurp_file("$root/$document") =~ s/\]\([^)]*\)//gr;
	my %wrong = map { $_ => 1 } grep { !$ours{$_} && !$files{$_} } $text =~ /(?<![\w\/.-])(gpuagg\.[a-z_]+)/g;

	is(join(' ', sort keys %wrong), '', "$document: each gpuagg.NAME is there");
}

# Columns: all that there are, in milliseconds, bytes or pages as their COMMENTs say
my $section = 'Columns and units';
my @sections = grep { $_->[0] =~ /^`gpuagg/ } rows_of('monitoring', $section);
my %said = map { my ($view, $cells) = @$_; ((quoted($view))[0] => [ quoted($cells) ]) } @sections;
$said{'gpuagg.stat_databases'} = [ grep { !/^rel/ } @{ $said{'gpuagg.stat_tables'} } ];
is_deeply([ sort @{ $said{$_} } ], [ sort @{ $columns{$_} // [] } ], "monitoring.md: columns of $_") foreach sort keys %said;
is_deeply([ sort map { quoted($_->[0]) } rows_of('cache', 'View gpuagg.cache') ], [ sort @{ $columns{'gpuagg.cache'} } ],
	'cache.md: columns of gpuagg.cache');
my %unit_of = map { split /\|/, $_, 2 } words(q{
	SELECT attrelid::regclass || '.' || attname, translate(col_description(attrelid, attnum), E'\n', ' ') FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
	WHERE relnamespace = 'gpuagg'::regnamespace AND relkind = 'v' AND attnum > 0});
foreach my $row (@sections)
{
	my ($view) = quoted($row->[0]);

	foreach my $part (split /; */, $row->[1])
	{
		my ($unit) = $part =~ /^(bytes|pages|milliseconds|per cent) /;

		foreach my $column (defined $unit ? quoted($part) : ())
		{
			my $comment = $unit_of{"$view.$column"} // '';

			ok($comment =~ /\b$unit/ || $unit eq 'milliseconds' && $column =~ /_ms$/ || $unit eq 'bytes' && $column =~ /bytes$/,
				"monitoring.md: $view.$column is $unit") or diag($comment);
		}
	}
}
# what tells no unit has none in its name
is(join(' ', grep { my $name = $_; $name =~ /_ms$|bytes$/ && slurp_file("$root/doc/monitoring.md") !~ /(?:milliseconds|bytes) (?:`\w+`, )*`$name`/ }
		map { @{ $said{$_} } } sort keys %said), '', 'monitoring.md: milliseconds and bytes are called so');

# Settings: each stands in doc/settings.md with its default, unit and context
my %setting = map { my ($name, @rest) = split /\|/, $_, -1; ($name => \@rest) } words(
	q{SELECT name, boot_val, unit, context FROM pg_settings WHERE name LIKE 'gpuagg.%'});
my %context = (user => 'user', superuser => 'superuser', sighup => 'reload', postmaster => 'server start');
my @rows = map { [ map { s/ *$//r } split / *\| */, s/^\| *//r ] } grep { /^\| `gpuagg/ } split /\n/, slurp_file("$root/doc/settings.md");
is_deeply([ sort map { quoted($_->[0]) } @rows ], [ sort keys %setting ], 'settings.md: all settings');
foreach my $row (@rows)
{
	my ($name) = quoted($row->[0]);
	my ($value, $unit, $context) = @{ $setting{$name} // [] };
	my $default = $row->[1] =~ /^(\d+)s$/ ? ($unit eq 'ms' ? 1000 * $1 : $1) : $row->[1];

	is("$default $row->[2] $row->[3]", "$value $unit $context{$context}", "settings.md: default, unit and context of $name");
}

# A dashboard's units are those of what it shows
my @wrong;
foreach my $panel (grep { $_->{type} ne 'row' } @{ decode_json(slurp_file("$root/doc/grafana.json"))->{panels} })
{
	foreach my $expr (map { $_->{expr} } @{ $panel->{targets} })
	{
		my $unit = $panel->{fieldConfig}{defaults}{unit};
		my $true = $expr =~ m{\) / |\} / } ? 'percentunit' : $expr !~ /rate\(/ ? 'none' : $expr =~ /_seconds_total/ ? 'none'
		  : $expr =~ /gpuagg_(table_|database_)?bytes/ ? 'Bps' : $expr =~ /rows_/ ? 'rowsps' : $expr =~ /pages/ ? 'suffix: pages/s' : 'ops';

		push @wrong, "$panel->{title}: $unit, not $true" if $unit ne $true;
	}
}
is_deeply(\@wrong, [], 'grafana.json: units');
is($node->safe_psql('names', q{SELECT name FROM gpuagg.metrics WHERE name ~ '_(ms|kb|mb)(_total)?$' OR name ~ 'seconds' AND help !~ '^seconds'}), '',
	'metrics have seconds and bytes');

# ---------- settings ----------

# Settings, on a machine as it is: without memory for huge pages, with less memory than theirs
foreach my $block (grep { $_->{kind} eq 'conf' && $_->{mark} eq '' } @blocks)
{
	my $what = "$block->{document}:$block->{begin}";
	my $conf = join("\n", map { @{ $_->{lines} } } @{ $block->{paragraphs} }) =~ s/^(shared_buffers) = \w+/$1 = 64MB/mr;

	$node->stop;
	my $file = $node->data_dir . '/postgresql.conf';
	my $before = slurp_file($file);
	append_to_file($file, "$conf\n");
	ok($node->start(fail_ok => 1), "$what: a server starts with these settings");
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_file_settings WHERE error IS NOT NULL}), '0', "$what: and takes them");
	ok(wait_ready_in($node), "$what: a device is ready");
	$node->stop;
	unlink $file;
	append_to_file($file, $before);
	$node->start;
}
cmp_ok(scalar(grep { $_->{kind} eq 'conf' } @blocks), '>=', 3, 'there were such blocks');
crash_free($node, 'no crash');
$node->stop;
done_testing();

sub wait_ready_in
{
	return $_[0]->poll_query_until('names', "SELECT count(*) > 0 FROM gpuagg.devices WHERE state IN ('ready', 'fallback')");
}
