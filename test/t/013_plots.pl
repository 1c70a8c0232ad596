# Pictures of a device profile: what is exported of the catalog, and that
# gnuplot draws it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $plots = "$FindBin::RealBin/../bench/plots";
my $dir = PostgreSQL::Test::Utils::tempdir;
my $node = new_node('plots', 'shared_buffers = 16MB');
my ($bash) = grep { -x } '/bin/bash', '/usr/bin/bash';

# One of the programs, with libpq's environment pointing at the node or not
sub program
{
	my ($live, $name, @args) = @_;
	my ($out, $err) = ('', '');

	local %ENV = %ENV;
	delete $ENV{PGHOST};
	@ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres')
	  if $live;
	IPC::Run::run([ $bash, "$plots/$name", @args ], '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

# A run that is a copy of the shipped profile of an H200, with curves
sub add_run
{
	my ($id, $day) = @_;

	my $sql = "CREATE TEMP TABLE run AS SELECT * FROM gpuagg.profile WHERE profile_id = -1;
		UPDATE run SET profile_id = $id, origin = 'measured', measured_at = '$day';
		INSERT INTO gpuagg.profile SELECT * FROM run;";
	foreach my $table (qw(memory_level random_access ceiling kernel))
	{
		$sql .= "CREATE TEMP TABLE r_$table AS SELECT * FROM gpuagg.$table WHERE profile_id = -1;
			UPDATE r_$table SET profile_id = $id;
			INSERT INTO gpuagg.$table SELECT * FROM r_$table;";
	}
	$sql .= "INSERT INTO gpuagg.curve
		SELECT $id, 'chase', s, x * 1024::int8 ^ 3, 1234.5678 + x + repeat
		FROM unnest('{16777216, 33554432}'::int8[]) s, generate_series(1, 100, 9) x, unnest('{0, 1, 90}'::int4[]) repeat;
		INSERT INTO gpuagg.curve
		SELECT $id, 'sharing', 0, x, CASE WHEN x % 2 = 0 THEN 4 ELSE 1 END FROM generate_series(1, 7) x;
		INSERT INTO gpuagg.tlb_group SELECT $id, u, u % 2 FROM generate_series(0, 7) u;";
	$node->safe_psql('postgres', $sql);
}

my ($rc, $out, $err) = program(1, 'export', 'cuda', "$dir/none");
isnt($rc, 0, 'what came with gpuagg was not measured: not exported');
like($err, qr/no measured profile of a cuda device/, 'and the reason');
ok(!-e "$dir/none", 'and nothing is left');

($rc, $out, $err) = program(1, 'export', 'tpu', "$dir/none");
isnt($rc, 0, 'no such kind of device');
like($err, qr/cuda or host, not tpu/, 'is said');

add_run(8, '2026-11-20');
add_run(7, '2026-11-21');
($rc, $out, $err) = program(1, 'export', 'cuda', "$dir/profile.csv");
is($rc, 0, 'exported') or diag($err);
my $profile = slurp_file("$dir/profile.csv");
like($profile, qr/\Aprofile,profile_id,\S+\nprofile,7,cuda,NVIDIA H200,measured,/,
	'the newest run, whatever its number');
like($profile, qr/^curve,7,chase,33554432,1073741824,1236\.6$/m,
	'the median of repeats, in 5 digits');
unlike($profile, qr/^\w+,8,/m, 'no points of other runs');
unlike($profile, qr/^host_pattern,/m, 'no table of what was not measured');

# Without gnuplot: only what the program needs until it looks for it
mkdir "$dir/bin";
foreach my $name (qw(dirname mktemp rm))
{
	my ($at) = grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH});
	symlink($at, "$dir/bin/$name");
}
{
	local $ENV{PATH} = "$dir/bin";
	($rc, $out, $err) = program(0, 'run');
	isnt($rc, 0, 'no gnuplot, no pictures');
	like($err, qr/apt-get install gnuplot-nox/, 'and what to install');
}

SKIP:
{
	skip 'no gnuplot on this machine', 34
	  unless grep { -x "$_/gnuplot" } split(/:/, $ENV{PATH});

	foreach my $live (0, 1)
	{
		my $from = $live ? 'the catalog' : 'committed results';

		$ENV{PLOTS_OUT} = "$dir/pictures$live";
		($rc, $out, $err) = program($live, 'run');
		is($rc, 0, "drawn from $from");
		is($err, '', 'without a complaint');
		foreach my $name (qw(tlb sharing random roofline))
		{
			like(slurp_file("$dir/pictures$live/$name.svg"),
				qr/\A<\?xml.*<path .*<\/svg>\s*\z/s, "$name.svg of $from");
		}
		foreach my $name (qw(ssb live))
		{
			ok(!-e "$dir/pictures$live/$name.svg", "none of what the device has not run: $name.svg of $from")
			  if $live || !-e "$plots/../results/cuda-nvidia-h200/$name.csv";
		}
		foreach my $name (qw(grouping scopes speed sampling))
		{
			is(-s "$dir/pictures$live/$name.svg" ? 1 : 0, $live ? 0 : 1,
				"benchmarks are committed results: $name.svg of $from");
		}
	}

	# Results of a host device, and of its cost model
	mkdir "$dir/results";
	mkdir "$dir/results/some";
	$profile =~ s/^tlb_group,.*\n//mg;
	append_to_file("$dir/results/some/profile.csv", $profile);
	append_to_file("$dir/results/some/model.csv",
		"point,rows,key,predicted_ms,gpuagg_ms,query\n"
		  . "1,10000,g1+g2,1.5,1.25,\"SELECT g1, g2\"\n2,10000,-,20,25,\"SELECT 1\"\n");
	append_to_file("$dir/results/some/ssb.csv",
		"benchmark,case,engine,metric,unit,rows,groups,runs,min,median,max,ratio,ratio_min,ratio_max,ratio_to,note\n"
		  . "ssb,1.1,gpuagg-warm,execution,ms,6000,1,3,1,7777,3,4,4,4,postgres,\"a, b\"\n"
		  . "ssb,1.1,gpuagg-warm,node,ms,6000,1,3,1,2,3,0.5,0.4,0.6,predicted,\"predicted 1 ms: a, b\"\n"
		  . "ssb,4.3,gpuagg-warm,node,ms,6000,1,3,1,40,50,1.5,0.4,0.6,predicted,x\n");
	append_to_file("$dir/results/some/live.csv",
		join("\n", 'benchmark,case,engine,metric,unit,rows,groups,runs,min,median,max,ratio,ratio_min,ratio_max,ratio_to,note',
			map { "live,$_,,,,rest,\"a, b\"" }
			(map { my $q = $_; map { ("changed-$q,gpuagg-warm,first-$_,ms,6000,20,3,1,7,9",
				"changed-$q,gpuagg-warm,second-$_,ms,6000,20,3,1,2,9", "changed-$q,postgres-2w,first-$_,ms,6000,20,1,50,50,50") }
				qw(0 0.1 1 10 50 100) } qw(q1 q2 q3)),
			(map { ("clients-$_,gpuagg-warm,rest-tps-4,tps,6000,0,1,500,500,500",
				"clients-$_,gpuagg-warm,tps-4,tps,6000,0,1,400,400,400") } qw(200 2000 200-auto))) . "\n");
	@ENV{qw(PLOTS_RESULTS PLOTS_DEVICE PLOTS_OUT)} = ("$dir/results", 'some', "$dir/some");
	($rc, $out, $err) = program(0, 'run');
	is($rc, 0, 'drawn from other results') or diag($err);
	my $model = slurp_file("$dir/some/model.svg");
	like($model, qr/>some</, 'model.svg names the device');
	like($model, qr/>15 % off</, 'and says what its lines are');
	my $ssb = slurp_file("$dir/some/ssb.svg");
	like($ssb, qr/>1\.1<.*>4\.3</s, 'ssb.svg has the queries');
	like($ssb, qr/> 100</, 'and an axis that ends above its figures');
	unlike($ssb, qr/> 1000</, 'which are those of the nodes');
	my $live = slurp_file("$dir/some/live.svg");
	like($live, qr/>gpuagg, the first query<.*>gpuagg, the second<.*>PostgreSQL, all workers<.*>gpuagg, 4 clients</s,
		'live.svg has who answered behind changes, and beside writers');
	unlike($live, qr/DuckDB|64 clients|PostgreSQL, 4/, 'and none that was not measured');
	is($err, '', 'without a complaint');
	ok(!-e "$dir/some/sharing.svg", 'no picture of what was not measured');
	like($out, qr/^not drawn: sharing\.svg \(no tlb_group\.csv\) grouping\.svg \(no grouping\.csv\) speed\.svg \(no cold\.csv\) sampling\.svg \(no sampling\.csv\)$/m,
		'which is said');
}

$node->stop;
done_testing();
