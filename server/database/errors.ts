import { DatabaseError } from 'pg'

/** Kinds of Prisma's driver adapter errors for an unavailable connection. */
const UNAVAILABLE_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'DatabaseDoesNotExist',
  'DatabaseAccessDenied',
  'AuthenticationFailed',
  'TlsConnectionError',
])

/**
 * Prisma's error codes for an unavailable database: a transaction could not start in time, no free connection in time,
 * connection closed.
 */
const UNAVAILABLE_PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])

/**
 * SQLSTATEs for an unavailable database: class 08 (connection exception), 57P (shutting down, starting up),
 * too_many_connections.
 */
const UNAVAILABLE_SQLSTATE = /^(08[0-9A-Z]{3}|57P0[1-5]|53300)$/

/** The messages of errors without an error code, from pg and from the pool of pg. */
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/

/**
 * SQLSTATE character_not_in_repertoire, untranslatable_character: text with a NUL character, which PostgreSQL cannot
 * store.
 */
const UNSTORABLE_TEXT = new Set(['22021', '22P05'])

const MAX_CAUSES = 8

/** Thrown if the database refused or did not receive a statement. `cause` is the driver's error. */
export class StatementError extends Error {
  override readonly name = 'StatementError'

  constructor(cause: unknown) {
    super(`Database statement failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Thrown if a statement took longer than its limit. The caller's request was too expensive. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError'

  constructor(cause: StatementError) {
    super('Database statement took too long.', { cause })
  }
}

/** The part of an error that came from the database; missing members are undefined. */
interface DatabaseFault {
  readonly code: unknown
  readonly kind: unknown
  readonly sqlState: unknown
  readonly message: string
}

/** An error without a SQLSTATE is not from PostgreSQL: the connection failed. */
const statementFault = ({ cause, message }: StatementError): DatabaseFault =>
  cause instanceof DatabaseError
    ? { code: undefined, kind: undefined, sqlState: cause.code, message: cause.message }
    : { code: undefined, kind: 'DatabaseNotReachable', sqlState: undefined, message }

function faultOf(error: Error): DatabaseFault | undefined {
  if (error instanceof StatementError) return statementFault(error)
  const { name, message } = error
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: { cause?: unknown } } }
  if (!name.startsWith('PrismaClient') && name !== 'DriverAdapterError') {
    return PG_MESSAGES.test(message) ? { code: undefined, kind: undefined, sqlState: undefined, message } : undefined
  }
  const adapterCause = name === 'DriverAdapterError' ? error.cause : meta?.driverAdapterError?.cause
  const { kind, originalCode } = (adapterCause ?? {}) as { kind?: unknown; originalCode?: unknown }
  return { code, kind, sqlState: originalCode, message }
}

/**
 * Finds the database's error in an error or in one of its causes. Only errors of the classes of Prisma and pg are
 * searched, because a refused connection to any other host has the same codes.
 */
function databaseFault(thrown: unknown): DatabaseFault | undefined {
  let current = thrown
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const fault = faultOf(current)
    if (fault !== undefined) return fault
    current = current.cause
  }
  return undefined
}

/** The SQLSTATE with which the database refused a statement; undefined for any other error. */
export function sqlStateOf(thrown: unknown): string | undefined {
  const state = databaseFault(thrown)?.sqlState
  return typeof state === 'string' ? state : undefined
}

/** Whether PostgreSQL ended the statement, because two transactions waited for each other (SQLSTATE 40P01). */
export const isDeadlock = (thrown: unknown): boolean => sqlStateOf(thrown) === '40P01'

/** SQLSTATE foreign_key_violation and, since PostgreSQL 18 for ON DELETE RESTRICT, restrict_violation. */
const FOREIGN_KEY = new Set(['23503', '23001'])

/** Whether PostgreSQL refused a statement because of a foreign key: a row is missing, or other rows still refer to it. */
export const isForeignKeyViolation = (thrown: unknown): boolean => FOREIGN_KEY.has(sqlStateOf(thrown) ?? '')

/** Whether an error means that the database is unavailable, and not that a statement was wrong. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  const fault = databaseFault(thrown)
  if (fault === undefined) return false
  return (
    UNAVAILABLE_PRISMA_CODES.has(String(fault.code)) ||
    UNAVAILABLE_KINDS.has(String(fault.kind)) ||
    UNAVAILABLE_SQLSTATE.test(String(fault.sqlState)) ||
    PG_MESSAGES.test(fault.message)
  )
}

/**
 * SQLSTATE serialization_failure, deadlock_detected, query_canceled: the errors with which a replica ends a read that
 * delays the replay of changes.
 */
const RECOVERY_CONFLICT = new Set(['40001', '40P01', '57014'])

/** Whether a replica that works well ended this read, so that the primary can answer it. */
export function isRecoveryConflict(thrown: unknown): boolean {
  const fault = databaseFault(thrown)
  return RECOVERY_CONFLICT.has(String(fault?.sqlState)) || fault?.code === 'P2034'
}

/**
 * Whether a statement was refused because PostgreSQL cannot store a text in the statement: the text contains a NUL
 * character.
 */
export function isUnstorableText(thrown: unknown): boolean {
  return UNSTORABLE_TEXT.has(String(databaseFault(thrown)?.sqlState))
}
