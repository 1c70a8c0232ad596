# SqlCatalogue.pm
#		The catalogue of PostgreSQL's functions and aggregates (src/planner/catalogue), and beside
#		it what a server knows of them.
package SqlCatalogue;

use strict;
use warnings;

use Cwd 'abs_path';
use Exporter 'import';
use File::Basename;

our @EXPORT = qw(catalogue_rows server_rows_query server_rows);

my $src = abs_path(dirname(__FILE__) . '/../../src');

# ---------- as the compiler reads it ----------

# What stands between brackets at the text's beginning, in parts
sub parts
{
	my ($text) = @_;
	my ($depth, $end, @parts) = (0, 0, '');

	foreach my $c (split //, substr $text, 1)
	{
		$end++;
		last if $c eq ')' && $depth == 0;
		$depth += $c eq '(' ? 1 : $c eq ')' ? -1 : 0;
		if ($c eq ',' && $depth == 0) { push @parts, ''; next; }
		$parts[-1] .= $c;
	}
	s/^\s+|\s+$//g foreach @parts;
	return ($end + 1, @parts);
}

# A macro's body with these in the place of its parameters
sub body
{
	my ($macro, @args) = @_;
	my @names = @{ $macro->{names} };
	my %is = map { $names[$_] => $args[$_] // '' } 0 .. $#names;
	my $rest = join ', ', @args[ @names .. $#args ];
	my $body = $macro->{body} =~ s/,\s*##__VA_ARGS__/$rest ne '' ? ", $rest" : ''/ger;

	$body =~ s{(##)?\b(\w+)\b(##)?}{($1 // '') . ($is{$2} // $2) . ($3 // '')}ge;
	return $body =~ s/##//gr;
}

sub expanded
{
	my ($text, $macros) = @_;

	while (my ($name) = grep { $text =~ /\b$_\(/ } sort keys %$macros)
	{
		$text =~ /\b$name\(/;
		my $from = $-[0];
		my ($length, @args) = parts(substr $text, $+[0] - 1);

		substr($text, $from, length($name) + $length) = body($macros->{$name}, @args);
	}
	return $text;
}

# A file's text, its macros expanded; there: constants that are defined
sub preprocessed
{
	my ($file, $there, $macros) = @_;
	my ($text, $pending, @off) = ('', '');

	open my $in, '<', "$src/$file" or die "$file: $!\n";
	my $all = do { local $/; <$in> };
	$all =~ s{/\*.*?\*/}{ }gs;
	$all =~ s/\\\n/ /g;
	foreach my $line (split /\n/, $all)
	{
		if ($line !~ /^#/) { $pending .= "$line\n" unless grep { $_ } @off; next; }
		$text .= expanded($pending, $macros);
		$pending = '';
		if ($line =~ /^#ifdef (\w+)/) { push @off, !$there->{$1}; }
		elsif ($line =~ /^#else/) { $off[-1] = !$off[-1]; }
		elsif ($line =~ /^#endif/) { pop @off; }
		elsif ($line =~ /^#include "(.*)"/) { $text .= preprocessed($1, $there, $macros); }
		elsif ($line =~ /^#undef (\w+)/) { delete $macros->{$1}; }
		elsif ($line =~ /^#define (\w+)\(([^)]*)\)\s*(.*)/) { $macros->{$1} = { names => [ grep { $_ ne '...' } split /, */, $2 ], body => $3 }; }
		else { die "$file: $line\n"; }
	}
	return $text . expanded($pending, $macros);
}

# Its rows of "functions" or "aggregates": { name, args => [ types ], result, told => { what => [ words ] } },
# with those that this server alone has
sub catalogue_rows
{
	my ($what, $server) = @_;
	my $row = $what eq 'functions' ? 'FN' : 'AGG';
	my $text = preprocessed("planner/catalogue/$what.def", { map { ("F_$_" => 1) } keys %$server }, {});
	my @rows;

	$text =~ s/\s+/ /g;
	while ($text =~ /\b$row\((\w+), ?\(([^)]*)\), (\w+)((?:, ?\w+(?:\([^)]*\))?)*)\)/g)
	{
		my ($name, $args, $result, $told) = ($1, $2, $3, $4);
		my %told;

		while ($told =~ /(\w+)(?:\(([^)]*)\))?/g)
		{
			my ($word, $with) = ($1, $2 // '');

			$told{$word} = [ split /, */, $with ];
		}
		push @rows, { name => $name, args => [ split /, */, $args ], result => $result, told => \%told };
	}
	my $n = () = $text =~ /\b$row\(/g;
	die "rows that nobody can read\n" if $n != @rows;
	return @rows;
}

# ---------- as a server has it ----------

# A type's name there, by pg_type's
sub type_name
{
	my ($type) = @_;

	return $type =~ /^_(.*)/ ? uc($1) . 'ARRAY' : uc $type;
}

# What a server has: lines of fields
sub server_rows_query
{
	my $of = sub { return "coalesce((SELECT string_agg($_[0], ';' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY a(type, n) JOIN pg_type t ON t.oid = type), '')"; };

	return qq{
	SELECT concat_ws(E'\x1f', proname, count(*) OVER (PARTITION BY proname) > 1, prokind, provolatile, proleakproof,
		r.typname, ${\$of->('typname')}, format_type(prorettype, NULL), ${\$of->('format_type(type, NULL)')})
	FROM pg_proc p JOIN pg_type r ON r.oid = prorettype WHERE p.oid < 10000};
}

# By their names in fmgroids.h, which tell the types of functions whose names are not unique
sub server_rows
{
	my ($text) = @_;
	my %rows;

	foreach my $line (split /\n/, $text)
	{
		my ($name, $again, $kind, $volatile, $leakproof, $result, $args, $type, $types) = split /\x1f/, $line, -1;

		$rows{ join '_', uc $name, $again eq 't' ? uc $args =~ s/;/_/gr : () } = {
			proname => $name, kind => $kind, volatile => $volatile, leakproof => $leakproof eq 't', result => type_name($result), args => [ map { type_name($_) } split /;/, $args ],
			type => $type, types => [ split /;/, $types ] };
	}
	return \%rows;
}

1;
