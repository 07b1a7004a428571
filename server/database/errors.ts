/** Prisma's codes for a server that cannot be reached, does not answer, or has closed the connection; pool time-out. */
const UNAVAILABLE_CODES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2037',
])

/** Connection failures as Node's sockets name them, and Postgres' own (class 08, class 57P: shutting down, starting up). */
const SOCKET_CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|08[0-9A-Z]{3}|57P0[1-5]|53300)$/

/** Driver adapter errors carry their kind; the text of pg's own time-outs has no code. */
const ADAPTER_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'DatabaseDoesNotExist',
  'AuthenticationFailed',
  'TlsConnectionError',
])

const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/

const MAX_CAUSES = 8

/** Whether an error, or one that it was caused by, says that the database is away (and not that a statement was wrong). */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  let current = thrown
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth += 1) {
    const { code, kind, message, cause, originalCode } = current as Record<string, unknown>
    if (typeof code === 'string' && (UNAVAILABLE_CODES.has(code) || SOCKET_CODES.test(code))) return true
    if (typeof originalCode === 'string' && SOCKET_CODES.test(originalCode)) return true
    if (typeof kind === 'string' && ADAPTER_KINDS.has(kind)) return true
    if (typeof message === 'string' && PG_MESSAGES.test(message)) return true
    current = cause
  }
  return false
}
