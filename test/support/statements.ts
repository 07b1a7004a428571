import pg from 'pg'

/**
 * Records the statements that this process sends to PostgreSQL, except two kinds: the setup of connections, and the statements that
 * announce or search session events, which serve many sessions at once.
 */
export interface StatementRecord {
  /** The statements that were sent since the last `clear()`, in order. */
  sent(): readonly string[]
  clear(): void
  stop(): void
}

export function recordStatements(): StatementRecord {
  const send = pg.Client.prototype.query
  const texts: string[] = []
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [query] = args
    texts.push(typeof query === 'string' ? query : (query as { text: string }).text)
    return Reflect.apply(send, this, args)
  } as typeof send
  return {
    sent: () =>
      texts.filter(
        (text) =>
          !/^(SET|LISTEN|SELECT pg_(notify|advisory_lock_shared))|FROM pg_locks|SELECT e.session_id AS id FROM unnest/i.test(
            text,
          ),
      ),
    clear: () => {
      texts.length = 0
    },
    stop: () => {
      pg.Client.prototype.query = send
    },
  }
}
