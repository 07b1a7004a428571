#!/bin/sh
# Starts PgBouncer with the configuration that it is given. Its list of users is made of DATABASE_PASSWORD.
set -eu
umask 077
printf '"credence" "%s"\n' "$DATABASE_PASSWORD" >/tmp/pgbouncer-users.txt
exec pgbouncer "$1"
