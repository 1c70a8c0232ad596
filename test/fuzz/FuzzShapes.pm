# FuzzShapes.pm
#		What stands around a grouping: other queries that read it, once or more
#		often, and statements that change its tables meanwhile.  srand() decides.
package FuzzShapes;

use strict;
use warnings;

use Exporter 'import';
use RandomQuery qw(pick chance);

our @EXPORT = qw(shaped modifying);

# Of a query whose first column is x0, and whose answer is exact
my %exact = (
	grouped_again => sub { return "SELECT x0, count(*) AS n, count(DISTINCT q::text) AS others FROM ($_[0]) q GROUP BY x0"; },
	joined_with_itself => sub { return 'WITH twice AS ' . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($_[0]) SELECT a.* FROM twice a JOIN twice b ON a::text = b::text"; },
	operation => sub { return "(SELECT q.* FROM ($_[0]) q) " . pick('UNION', 'INTERSECT', 'INTERSECT ALL', 'EXCEPT', 'EXCEPT ALL') . " SELECT q.* FROM ($_[0]) q WHERE q.x0::text > 'b'"; },
	correlated => sub { return "SELECT d.id, ARRAY(SELECT q::text FROM ($_[0]) q WHERE q.x0::text > d.id::text ORDER BY 1) AS a FROM d1 d WHERE d.id < 5"; },
	one_of_each => sub { return "SELECT DISTINCT ON (x0::text) q::text FROM ($_[0]) q ORDER BY x0::text, 1"; },
	tested => sub { return 'SELECT count(*) AS n, sum(id) AS s FROM d1 WHERE ' . pick('', 'NOT ') . "EXISTS (SELECT FROM ($_[0]) q WHERE q.x0::text " . pick('=', '<', '>') . ' d1.id::text)'; },
	listed => sub { return "SELECT id FROM d2 WHERE id::text " . pick('IN', 'NOT IN') . " (SELECT x0::text FROM ($_[0]) q)"; });
# Of any query
my %any = (
	twice => sub { return 'WITH twice AS ' . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($_[0]) TABLE twice UNION ALL TABLE twice"; },
	recursive => sub { return "WITH RECURSIVE r AS (SELECT 1 AS step UNION ALL SELECT step + 1 FROM r WHERE step < 3) SELECT r.step, q.* FROM r, ($_[0]) q WHERE r.step > 1"; },
	windowed => sub { return "SELECT q.*, count(*) OVER () AS n FROM ($_[0]) q"; },
	case => sub { return "SELECT CASE WHEN EXISTS (SELECT FROM d1 WHERE id > 1) THEN (SELECT count(*) FROM ($_[0]) q) END"; },
	function_scan => sub { return "SELECT f.i, q.* FROM unnest(ARRAY[1, 2]) f(i) CROSS JOIN ($_[0]) q"; });

# The query or one around it, and whether errors depend on an order of the plan's, as where
# tables are joined
sub shaped
{
	my ($query, $tolerance) = @_;

	return ($query, 0) unless chance(0.3);
	my $forms = !$tolerance && $query =~ /AS x0/ && $query !~ /^SELECT count\(\*\) FROM \(/ && chance(0.6) ? \%exact : \%any;
	return ($forms->{ pick(sort keys %$forms) }->($query), 1);
}

# A query one part of whose statement changes what another one reads: as it was before
sub modifying
{
	my ($query) = @_;
	my $table = pick(qw(t1 t1 t2 d1));
	my $change = pick(
		"DELETE FROM $table WHERE id % 3 = 0 RETURNING id",
		"UPDATE $table SET id = id + 100000 WHERE id % 4 = 1 RETURNING id",
		"INSERT INTO $table SELECT * FROM $table WHERE id % 5 = 2 RETURNING id");
	my $changed = '(SELECT count(*) AS changed FROM changed) c';

	return "WITH changed AS ($change) SELECT * FROM " . pick("$changed, ($query) q", "($query) q, $changed", "($query) q");
}

1;
