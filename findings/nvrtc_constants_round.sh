#!/usr/bin/env bash
# nvrtc_constants_round.sh
#		NVRTC 11.8 (13.0 is the same): a * a - 0.01 of doubles has two values.  Where a is 0.1 in
#		the text of the kernel the compiler computes the expression itself and rounds
#		the product; where a comes as a parameter or from __constant__ memory it makes one
#		fma.rn.f64 of both, which does not round it.  Of 0.1 one is nearly twice the other.  So
#		a kernel compiled for a query has other results when its constants move from
#		the text to a parameter, which is done to have one kernel for many queries.
#		With --fmad=false all are the same, and what a processor without fma has.
#
# Output seen:
#	NVRTC 11.8: in the text: 1.734723475976807e-18
#	NVRTC 11.8: a parameter: fma.rn.f64, with 0.1 9.020562075079397e-19
#	NVRTC 11.8: __constant__: fma.rn.f64, with 0.1 9.020562075079397e-19
#	NVRTC 11.8: a parameter, --fmad=false: mul.rn.f64 add.rn.f64, with 0.1 1.734723475976807e-18
#	NVRTC 11.8: in the text, --fmad=false: 1.734723475976807e-18
#
# Packages of Debian's bookworm, component non-free, from where this machine's apt has
# its own, unpacked into a temporary folder; exit 77 if they are not to be had.  Needs no card.
set -eu -o pipefail

SELF=$(realpath "$0")
VERSION=11.8.89~11.8.0-5~deb12u1
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

cd "$DIR"
# shellcheck disable=SC2016 # apt's variables
mirror=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' |
	sed -n 's/ Debian$//p' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm non-free" >sources.list
mkdir -p state/lists/partial cache/archives/partial
cat >apt.conf <<CONF
Dir::Etc::SourceList "$DIR/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$DIR/state";
Dir::Cache "$DIR/cache";
APT::Sandbox::User "";
CONF
export APT_CONFIG=$DIR/apt.conf
{ apt-get -q update && apt-get -q download "libnvrtc11.2=$VERSION" "libnvrtc-builtins11.8=$VERSION"; } >apt.log 2>&1 ||
	{ echo "libnvrtc11.2 $VERSION is not to be had here"; exit 77; }
for package in *.deb; do dpkg -x "$package" root; done
LIBS=$DIR/root/usr/lib/x86_64-linux-gnu

cat >compile.py <<'PYTHON'
import ctypes
import re
import struct
from fractions import Fraction

nvrtc = ctypes.CDLL('libnvrtc.so.11.2')


def must(status):
    assert status == 0, status


def ptx(text, options):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    must(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b'kernel.cu', 0, None, None))
    must(nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)))
    must(nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
    code = ctypes.create_string_buffer(size.value)
    must(nvrtc.nvrtcGetPTX(program, code))
    return code.value.decode()


TEXT = 'extern "C" __global__ void kernel(double *out) { double a = 0.1; *out = a * a - 0.01; }'
PARAMETER = 'extern "C" __global__ void kernel(double *out, double a) { *out = a * a - 0.01; }'
CONSTANT = '__constant__ double a; extern "C" __global__ void kernel(double *out) { *out = a * a - 0.01; }'
FUSED = float(Fraction(0.1) * Fraction(0.1) - Fraction(0.01))

major, minor = ctypes.c_int(), ctypes.c_int()
must(nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
for name, text, options in (('in the text', TEXT, []), ('a parameter', PARAMETER, []), ('__constant__', CONSTANT, []),
                            ('a parameter', PARAMETER, [b'--fmad=false']), ('in the text', TEXT, [b'--fmad=false'])):
    code = ptx(text, options)
    steps = re.findall(r'(?:fma|mul|add|sub)\S*\.f64', code)
    if steps:
        seen = '%s, with 0.1 %r' % (' '.join(steps), FUSED if steps[0].startswith('fma') else 0.1 * 0.1 - 0.01)
    else:
        # the value as an integer of the same bits
        seen = repr(struct.unpack('d', struct.pack('q', int(re.search(r'mov\.u64\s+%\w+, (-?\d{9,});', code)[1])))[0])
    print('NVRTC %d.%d: %s: %s' % (major.value, minor.value, ', '.join([name] + [o.decode() for o in options]), seen))
PYTHON
LD_LIBRARY_PATH=$LIBS python3 compile.py | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
