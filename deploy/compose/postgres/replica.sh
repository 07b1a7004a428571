#!/bin/bash
# A streaming replica of PRIMARY: a copy is taken where there is none yet. One that was broken off is begun anew.
set -euo pipefail
umask 077
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$(dirname "$PGDATA")"
  rm -rf "$PGDATA" "$PGDATA.new"
  PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --host="$PRIMARY" --username=replicator --pgdata="$PGDATA.new" \
    --write-recovery-conf --slot=replica --wal-method=stream --checkpoint=fast
  mv "$PGDATA.new" "$PGDATA"
fi
exec postgres "$@"
