# ALTER EXTENSION gpuagg UPDATE: from 1.0's objects (test/data/version_1_0.sql) to what
# CREATE EXTENSION makes now; what was measured, rights and views on gpuagg's stay.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# All that an extension has made, but OIDs and the order of it: members with what
# defines them, comments, rights, and what a table has
my %catalog = (
	members => q{
		SELECT i.type, i.identity, obj_description(d.objid, d.classid::regclass::name)
		FROM pg_depend d, pg_identify_object(d.classid, d.objid, d.objsubid) i
		WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg')
			AND i.identity !~ '\mpg_toast\M'},
	functions => q{SELECT pg_get_functiondef(oid), coalesce(proacl, acldefault('f', proowner)) FROM pg_proc WHERE pronamespace = 'gpuagg'::regnamespace},
	views => q{SELECT relname, pg_get_viewdef(oid) FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace AND relkind = 'v'},
	relations => q{
		SELECT relname, relkind, relacl, reloptions, relowner::regrole FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace},
	columns => q{
		SELECT attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attacl,
			pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)
		FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace) AND attnum > 0},
	constraints => q{
		SELECT conrelid::regclass, conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') FROM pg_constraint
		WHERE connamespace = 'gpuagg'::regnamespace},
	triggers => q{
		SELECT pg_get_triggerdef(oid), tgenabled, obj_description(oid, 'pg_trigger') FROM pg_trigger
		WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace) AND NOT tgisinternal},
	dumped => q{
		SELECT o::regclass, c FROM pg_extension, unnest(extconfig, extcondition) AS x(o, c) WHERE extname = 'gpuagg'},
	first_rights => q{
		SELECT i.identity, objsubid, privtype, initprivs FROM pg_init_privs p, pg_identify_object(classoid, objoid, objsubid) i
		WHERE privtype = 'e' AND i.schema = 'gpuagg'},
	schema => q{SELECT nspacl, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'gpuagg'},
	extension => q{SELECT extversion, extrelocatable, extnamespace::regnamespace FROM pg_extension WHERE extname = 'gpuagg'},
	shipped => q{
		SELECT relname, query_to_xml(format('SELECT * FROM gpuagg.%I t WHERE profile_id < 0 ORDER BY t::text', relname), true, false, '')::text
		FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace AND relkind = 'r'});

sub catalog
{
	my ($node, $db, $what) = @_;

	return $node->safe_psql($db, qq{SELECT x::text FROM ($catalog{$what}) x ORDER BY x::text COLLATE "C"});
}

my $node = new_node('versions', 'shared_buffers = 64MB', 'autovacuum = off');
my $newest = $node->safe_psql('postgres', "SELECT default_version FROM pg_available_extensions WHERE name = 'gpuagg'");
my @versions = split /\n/,
  $node->safe_psql('postgres', "SELECT source FROM pg_extension_update_paths('gpuagg') WHERE target = '$newest' AND path IS NOT NULL ORDER BY 1");
is("@versions", '1.0', "one can upgrade to $newest from there");
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION gpuagg');

foreach my $old (@versions)
{
	my $db = "from_$old" =~ s/\./_/gr;

	$node->safe_psql('postgres', qq{CREATE DATABASE "$db"});
	$node->safe_psql(
		$db, qq{
		CREATE EXTENSION gpuagg VERSION '$old';
		CREATE TABLE t AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 20000) i;
		VACUUM ANALYZE t;
		CREATE VIEW ready AS SELECT kind, state FROM gpuagg.devices WHERE state = 'ready';
		CREATE VIEW everything AS SELECT * FROM gpuagg.devices;
		INSERT INTO gpuagg.profile (device_kind, device_name, machine, origin, measured_at, units, memory_bytes, clock_ghz,
			feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
		VALUES ('host', '*', NULL, 'measured', '2026-01-01', 4, 16000000000, 2.6, 151, 50001, 3401, 41, 26, 501);
		INSERT INTO gpuagg.memory_level (profile_id, kind, level, page_bytes, reach_bytes, hit_ns, miss_ns, confidence)
		SELECT max(profile_id), 'cache', 1, 64, 32768, 1.2, 3, 0.5 FROM gpuagg.profile;
		INSERT INTO gpuagg.ceiling (profile_id, name, per_second) SELECT max(profile_id), 'memory_read', 1e9 FROM gpuagg.profile;
		DO \$\$ BEGIN IF to_regrole('measurer') IS NULL THEN CREATE ROLE measurer; END IF; END \$\$;
		GRANT EXECUTE ON FUNCTION gpuagg.calibrate(text, text), gpuagg.estimate(text, float8, float8[], float8) TO measurer;
		GRANT SELECT ON gpuagg.devices TO measurer;});
	my $kept = q{
		SELECT * FROM ready;
		SELECT md5(string_agg((to_jsonb(p) - '{feeder_start_ns,feeder_ns,device_uuid,copy_row_ns,copy_value_ns}'::text[])::text, ',' ORDER BY profile_id)) FROM gpuagg.profile p;
		SELECT md5(string_agg(l::text, ',' ORDER BY l::text)) FROM gpuagg.memory_level l;
		SELECT count(*) FROM gpuagg.ceiling;
		SELECT has_function_privilege('measurer', 'gpuagg.calibrate(text, text)', 'EXECUTE');
		SELECT has_function_privilege('measurer', 'gpuagg.estimate(text, float8, float8[], float8)', 'EXECUTE');
		SELECT relacl FROM pg_class WHERE oid = 'gpuagg.devices'::regclass;
		SELECT count(*) FROM everything WHERE state = 'ready';
		SET gpuagg.debug_require = require;
		SELECT g, count(*), sum(id) FROM t GROUP BY g ORDER BY g;};
	my $before = $node->safe_psql($db, $kept);

	like($before, qr/^host\|ready\n|^cuda\|ready\n/, "$old: this library serves its objects");
	$node->safe_psql($db, 'ALTER EXTENSION gpuagg UPDATE');
	is($node->safe_psql($db, $kept), $before, "$old: what was measured, rights and views stay");
	$node->safe_psql(
		$db, q{
		REVOKE EXECUTE ON FUNCTION gpuagg.calibrate(text, text), gpuagg.estimate(text, float8, float8[], float8) FROM measurer;
		REVOKE SELECT ON gpuagg.devices FROM measurer;
		DELETE FROM gpuagg.profile WHERE measured_at = '2026-01-01';});
	is( $node->safe_psql($db, q{SELECT count(*) FROM gpuagg.ceiling WHERE profile_id > 0}),
		'0', "$old: what belongs to a profile goes with it");
	foreach my $what (sort keys %catalog)
	{
		my $made = catalog($node, 'fresh', $what);

		cmp_ok(length $made, '>', 0, "$what: there are some");
		is(catalog($node, $db, $what), $made, "$what: $newest by way of $old is $newest");
	}
	my ($rc, $out, $err) = $node->psql($db, "INSERT INTO gpuagg.ceiling (profile_id, name, per_second) VALUES (987654, 'memory_read', 1)");
	like($err, qr/profile 987654 does not exist/, "$old: rows belong to a profile");
	$node->safe_psql($db, 'DROP EXTENSION gpuagg CASCADE');
	is($node->safe_psql($db, q{SELECT count(*) FROM pg_proc WHERE pronamespace = to_regnamespace('gpuagg')}), '0', "$old: all of it goes");
}
crash_free($node, 'no crash');
$node->stop;
done_testing();
