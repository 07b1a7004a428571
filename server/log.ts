import pino, { type DestinationStream, type Logger } from 'pino'
import { shortened } from './protocol/messages.js'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'flush' | 'isLevelEnabled'>

/** Members that never reach a log, wherever they stand in what is logged. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'dpop',
  'x-client-secret',
  'access_token',
  'refresh_token',
  'client_secret',
  'client_assertion',
  'pre-authorized_code',
  'tx_code',
  'txCode',
  'code',
  'code_verifier',
  'state',
  'nonce',
  'c_nonce',
  'proof',
  'proofs',
  'credential',
  'credentials',
  'credential_subject',
  'credentialSubject',
  'selectedCredential',
  'vp_token',
  'presentations',
  'claims',
  'payload',
  'privateJwk',
  'privateKey',
])

const MAX_DEPTH = 6

/** Whoever causes a refusal chooses how long its reason is. */
const MAX_TEXT = 2_048

/** A copy without secret members and with texts of 2 KiB at most; what nests deeper than six levels is left out. Errors go to their serializer as they are. */
function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortened(value, MAX_TEXT)
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, depth + 1))
  const shown: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (!SECRET_MEMBERS.has(key)) shown[key] = withoutSecrets((value as Record<string, unknown>)[key], depth + 1)
  }
  return shown
}

interface ErrorDescription {
  readonly type: string
  readonly message: string
  /** The error's own `code`: SQLSTATE, errno, jose's and Prisma's codes. */
  readonly code?: string
  readonly stack?: string
  readonly cause?: ErrorDescription
}

/** What a log says of an error. Its other members may hold what the caller sent. */
function describeError(thrown: unknown, depth = 0): ErrorDescription {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
  const { code } = thrown as { code?: unknown }
  const message = shortened(thrown.message, MAX_TEXT)
  return {
    type: thrown.name,
    message: message.trim(),
    ...(typeof code === 'string' ? { code } : {}),
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack.replace(thrown.message, () => message) }),
    ...(thrown.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: describeError(thrown.cause, depth + 1) }),
  }
}

/** Standard output; lines are gathered for at most a quarter of a second, so that a request does not wait for the terminal. */
const standardOutput = () => pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 250 })

/** Structured log lines, one JSON object each. `flush()` before the process ends. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Log {
  return pino(
    {
      level,
      base: null,
      serializers: { err: describeError },
      formatters: { log: (facts) => withoutSecrets(facts, 0) as Record<string, unknown> },
    },
    destination,
  )
}
