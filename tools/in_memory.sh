#!/bin/sh
# Run a command whose temporary files are kept in memory, where there is room for them:
#
#     tools/in_memory.sh python -m pytest
#
# Tests write hundreds of workspaces and look at each for a moment; waiting for a disk tells
# nothing of them. Where TMPDIR is set, or /dev/shm is small or forbids programs, nothing changes.
set -eu
[ $# -gt 0 ] || { echo "usage: tools/in_memory.sh COMMAND [ARGUMENT ...]" >&2; exit 2; }

free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }' || true)
allowed=$(awk '$2 == "/dev/shm" && $4 !~ /noexec|(^|,)ro(,|$)/ { print "yes" }' \
    /proc/mounts 2>/dev/null | tail -1 || true)
if [ -n "${TMPDIR:-}" ] || [ "$allowed" != yes ] || [ "${free:-0}" -lt 4000000 ]; then
    exec "$@"
fi

TMPDIR=$(mktemp -d /dev/shm/befit-tests.XXXXXX)
export TMPDIR
chmod 711 "$TMPDIR"  # a server of another user finds its folder in it
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM
"$@"
