#!/bin/sh
# Run a command with a PostgreSQL server of its own, in a temporary folder:
#
#     tools/with_postgres.sh python -m pytest -m postgres
#
# The command finds the server's URL in BEFIT_TEST_POSTGRES. The server listens
# on a Unix socket only. PostgreSQL refuses to run as root; there the server
# runs as the user `postgres` and the command as who you are.
set -eu
[ $# -gt 0 ] || { echo "usage: tools/with_postgres.sh COMMAND [ARGUMENT ...]" >&2; exit 2; }

bin=$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb /usr/local/pgsql/bin/initdb \
    2>/dev/null | sort -V | tail -1 || true)
[ -n "$bin" ] || { echo "no PostgreSQL here (looked for initdb)" >&2; exit 3; }
bin=$(dirname "$bin")

folder=$(mktemp -d "${TMPDIR:-/tmp}/befit-postgres.XXXXXX")
as_server() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$folder"
    as_server() { runuser -u postgres -- "$@"; }
fi
chmod 755 "$folder"

stop() {
    as_server "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

cd /  # the server's user may not be able to read the folder we are in
as_server "$bin/initdb" -D "$folder/data" -U befit --auth=trust --encoding=UTF8 --no-sync >/dev/null
as_server "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/log" \
    -o "-k $folder -c listen_addresses= -c fsync=off" start >/dev/null
cd "$OLDPWD"

BEFIT_TEST_POSTGRES="postgresql+psycopg://befit@/postgres?host=$folder"
export BEFIT_TEST_POSTGRES
"$@"
