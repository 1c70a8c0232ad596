# The regression tests as "make installcheck" runs them, on a cluster as a package makes
# it: a locale that is not C, and no settings but the preload.  Without those that take
# long and depend on neither.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/../..";
my %long = map { $_ => 1 } qw(groups topn strategy gpusample sample returned statistics numeric numeric_free
  numeric_average numeric_regroup numeric_long timezones hour_keys intervals joins join_bounds joined_rows joins_windows
  correlated feeders random_rows shared_states grouping_sets zones packed);

plan skip_all => 'PostgreSQL is built without ICU, whose locales need no package'
  if `pg_config --configure` !~ /--with-icu/;

# Which tests failed: a line of each, of PostgreSQL 16 and later, and before.  The test's first
# difference tells it, for of a long log little may be shown.
sub failed
{
	my ($dir) = @_;
	my @names = slurp_file("$dir/log") =~ /^not ok \d+ +[-+] +(\w+)|(\w+) +\.\.\. FAILED/mg;

	return join(' ', grep { defined } @names);
}

# the first differences: logs of a whole run are cut
sub told
{
	my ($dir) = @_;
	my @differences = -e "$dir/regression.diffs" ? split(/\n/, slurp_file("$dir/regression.diffs")) : ();

	return join("\n", splice(@differences, 0, 60));
}

my $node = PostgreSQL::Test::Cluster->new('installcheck');
$node->init(extra => [ '--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8', '--encoding=UTF8' ]);
# what VACUUM calls all-visible depends on who else has a snapshot, and tests ask that
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpuagg'\nautovacuum = off\ngpuagg.autoload = off");
$node->start;
is($node->safe_psql('postgres', q{SELECT 'a-b' < 'A#B', current_setting('max_prepared_transactions')}),
	't|0', 'words are sorted as words, and nothing is set');

my @names = grep { !/^gpuagg--/ && $_ ne 'setup' && !$long{$_} } map { m{([^/]+)\.sql$} } sort glob("$top/sql/*.sql");
my $out = PostgreSQL::Test::Utils::tempdir();
my $ran = PostgreSQL::Test::Utils::run_log([ $ENV{PG_REGRESS}, "--bindir=$ENV{PG_BINDIR}", "--inputdir=$top",
	"--outputdir=$out", '--host=' . $node->host, '--port=' . $node->port, '--dbname=installcheck',
	'setup', @names ], '>', "$out/log", '2>&1');
is(failed($out), '', 'no regression test fails') or diag(told($out));
ok($ran, 'the regression tests pass');
crash_free($node, 'no crash');
$node->stop;
done_testing();
