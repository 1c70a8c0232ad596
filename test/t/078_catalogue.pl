# The catalogue of PostgreSQL's functions and aggregates, which planning goes by
# (src/planner/catalogue): each row has the arguments and the result that this server has, and
# what it tells fits them.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use SqlCatalogue;
use Test::More;

my $node = new_node('catalogue');
my $server = server_rows($node->safe_psql('postgres', server_rows_query()));

sub names
{
	return join ' ', sort map { $_->{name} } @_;
}

# Rows that lack what a server has of them, or have it otherwise
sub differing
{
	return grep {
		my $own = $server->{ $_->{name} };
		!$own || "@{ $own->{args} } $own->{result}" ne "@{ $_->{args} } $_->{result}"
	} @_;
}

my @functions = catalogue_rows('functions', $server);
my @aggregates = catalogue_rows('aggregates', $server);
note(scalar(@functions), ' functions, ', scalar(@aggregates), ' aggregates');
cmp_ok(scalar(@functions), '>', 500, 'functions are there');
cmp_ok(scalar(@aggregates), '>', 100, 'and aggregates');
is(names(differing(@functions)), '', 'functions have these arguments and this result');
is(names(differing(@aggregates)), '', 'and so have aggregates');
is(names(grep { $server->{ $_->{name} }{kind} ne 'f' } @functions), '', 'functions are functions');
is(names(grep { $server->{ $_->{name} }{kind} ne 'a' } @aggregates), '', 'and aggregates are aggregates');

# ---------- what rows tell ----------

sub telling { my ($what) = @_; return grep { $_->{told}{$what} } @functions; }
sub is_row { my ($row, $result, @args) = @_; return "@{ $row->{args} } $row->{result}" eq join ' ', @args, $result; }

my @numbers = qw(INT2 INT4 INT8 FLOAT4 FLOAT8 NUMERIC);
my @moments = qw(DATE TIMESTAMP TIMESTAMPTZ);
my $scale = join '|', @numbers, @moments;

is(names(grep { $_->{result} ne 'NUMERIC' } telling('DIGITS')), '', 'digits are those of numerics');
is(names(grep { my $n = @{ $_->{args} }; $n != ($_->{told}{DIGITS}[0] =~ /^(?:SUM|PRODUCT|QUOTIENT|REMAINDER|DECIMALS)$/ ? 2 : 1) } telling('DIGITS')),
	'', 'rules of digits have their arguments');
is(names(grep { $_->{told}{DIGITS}[0] eq 'INTEGER' && $_->{args}[0] !~ /^INT[248]$/ } telling('DIGITS')), '', 'integers are integers');
is(names(grep { $_->{result} !~ /^(?:$scale)$/ && $_->{told}{BOUND}[0] ne 'PATTERN' } telling('BOUND')), '', 'bounds are of numbers and moments');
is(names(grep { $_->{result} !~ /^(?:$scale)$/ } telling('BOUND_OP')), '', 'and so are those of other operations');
is(names(grep { $_->{told}{OP} || $_->{told}{SAME} } telling('BOUND'), telling('BOUND_OP')), '', 'what has an operation has its bounds');
is(names(grep { !is_row($_, 'BOOL', @{ $_->{args} }) || @{ $_->{args} } != 2 } grep { ($_->{told}{OP}[0] // $_->{told}{BY_OP}[1] // '') =~ /_(?:EQ|NE|LT|LE|GT|GE)$/ } @functions),
	'', 'comparisons compare two');
is(names(grep { ($_->{told}{HOW}[0] // $_->{told}{HOW2}[0] // '') =~ /^(?:EQUAL|ORDER)$/ && "@{ $_->{args} }" !~ /TEXT|NAME|BPCHAR/ } @functions), '', 'strings have an order');
is(names(grep { $_->{told}{HARMLESS} && $server->{ $_->{name} }{leakproof} && $_->{told}{HARMLESS}[0] !~ /MD5/ } @functions),
	'STARTS_WITH', 'what is leakproof is told to be harmless only where it is not under every collation');
is(names(grep { $_->{told}{HARMLESS} && $server->{ $_->{name} }{volatile} eq 'v' } @functions), '', 'what is volatile is not harmless');

# An operation of a device has no more arguments than the row, and an aggregate of one has one
is(names(grep { $_->{told}{STATE} && @{ $_->{args} } != 1 } @aggregates), '', 'states are of one argument');
is(names(grep { $_->{told}{PARTIAL} && $_->{result} ne 'NUMERIC' } @aggregates), '', 'states that PostgreSQL makes otherwise are those of numerics');

$node->stop;
done_testing();
