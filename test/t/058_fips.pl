# A cryptographic library that keeps to FIPS 140 refuses MD5: then md5() raises an error, as in
# PostgreSQL's plan, of which the device must not drop the rows.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'PostgreSQL is built without OpenSSL' if `pg_config --configure` !~ /openssl/;

# The library's own algorithms stand in for validated ones, which may not be installed: each
# is refused by its property, but for random numbers, without which no server starts.
my $library = PostgreSQL::Test::Utils::tempdir() . '/openssl.cnf';
append_to_file(
	$library, q{
openssl_conf = init
[init]
providers = providers
alg_section = algorithms
random = numbers
[providers]
default = all
[all]
activate = 1
[algorithms]
default_properties = fips=yes
[numbers]
random = CTR-DRBG
cipher = AES-256-CTR
properties = -fips
});

my $node = new_node('fips', 'shared_buffers = 32MB', 'autovacuum = off', 'jit = off');
$node->safe_psql('postgres', q{CREATE TABLE t AS SELECT i, 'text ' || i % 10 AS s FROM generate_series(1, 20000) i; ANALYZE t});

# of rows that another condition drops; of those above, PostgreSQL's plan computes none
my $before = q{SELECT count(*) FROM (SELECT i FROM t TABLESAMPLE SYSTEM (100) REPEATABLE (1) WHERE md5(s) < 'x' AND (i > 20000 OR i < 0) OFFSET 0) x};
my $behind = q{SELECT count(*) FROM (SELECT i FROM t TABLESAMPLE SYSTEM (100) REPEATABLE (1) WHERE (i > 20000 OR i < 0) AND md5(s) < 'x' OFFSET 0) x};

# What PostgreSQL's plan and the device say, and whether the device tests a condition
sub answers
{
	my ($query) = @_;
	my @answers;

	for my $settings ('SET gpuagg.enable = off', 'SET gpuagg.debug_require = prefer')
	{
		my ($rc, $out, $err) = $node->psql('postgres', "$settings; $query");

		push @answers, $rc == 0 ? $out : $err =~ /(could not compute MD5 hash)/ ? $1 : $err;
	}
	push @answers, $node->safe_psql('postgres', "SET gpuagg.debug_require = prefer; EXPLAIN $query") =~ /Device Filter/ ? 1 : 0;
	return @answers;
}

is_deeply([ answers($before) ], [ 0, 0, 1 ], 'where there is MD5, the device tests what comes behind it');
$node->stop;
{
	local $ENV{OPENSSL_CONF} = $library;
	$node->start;
}
wait_ready($node);
SKIP:
{
	my ($rc, $out, $err) = $node->psql('postgres', q{SELECT md5('a')});

	skip 'this library has MD5 all the same', 2 if $rc == 0;
	is_deeply([ answers($before) ], [ ('could not compute MD5 hash') x 2, 0 ], 'where there is none, it does not');
	is_deeply([ answers($behind) ], [ 0, 0, 1 ], 'but what comes before it');
}
crash_free($node, 'no crash');
$node->stop;
done_testing();
