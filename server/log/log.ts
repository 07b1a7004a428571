import pino, { type DestinationStream, type Logger } from 'pino'
import { shortened } from '../protocol/messages.js'
import { type Terminal, terminalDestination } from './terminal.js'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'flush' | 'isLevelEnabled'>

/** Members that are never logged, at any depth. */
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
  'user_pin',
  'code',
  'code_verifier',
  'state',
  'nonce',
  'c_nonce',
  'issuer_state',
  'request_uri',
  'response_code',
  'transaction_id',
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

/** Maximum length of a logged text. There is a limit, since callers influence the length of reasons. */
const MAX_TEXT = 2_048

/**
 * Matches the ids of offers, requests and their QR codes. Such an id gives access: anyone who knows the id can use the
 * offer or request. The ids occur in paths, and in an address that is part of the query of a longer address.
 */
const CAPABILITY =
  /(\/|%2F)(offers|offerings|credential-offer-sessions|requests|responses|qr-codes|authorize|present|receive|dc-api)\1([\w-]{8})[\w-]+/gi

/**
 * Cuts ids that give access to their first eight characters. Eight characters are enough for an operator to find the
 * row.
 */
const withoutCapabilities = (text: string): string => text.replace(CAPABILITY, '$1$2$1$3…')

/** Prepares a text for the log: at most 2 KiB, and without ids that give access. */
const shown = (text: string): string => withoutCapabilities(shortened(text, MAX_TEXT))

/**
 * Copies a value for the log, without secret members. The texts in the copy are at most 2 KiB long and contain no ids
 * that give access. Values that are nested deeper than six levels are left out. Errors are not copied, since they have
 * their own serializer.
 */
function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shown(value)
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, depth + 1))
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (!SECRET_MEMBERS.has(key)) kept[key] = withoutSecrets((value as Record<string, unknown>)[key], depth + 1)
  }
  return kept
}

interface ErrorDescription {
  readonly type: string
  readonly message: string
  /** The member `code` of an error: an SQLSTATE, an errno, or a code of jose or Prisma. */
  readonly code?: string
  readonly stack?: string
  readonly cause?: ErrorDescription
}

/** The members of an error that are logged. All other members may contain values from callers. */
function describeError(thrown: unknown, depth = 0): ErrorDescription {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: shown(String(thrown)) }
  const { code } = thrown as { code?: unknown }
  const message = shown(thrown.message)
  return {
    type: thrown.name,
    message: message.trim(),
    ...(typeof code === 'string' ? { code } : {}),
    ...(thrown.stack === undefined
      ? {}
      : { stack: withoutCapabilities(thrown.stack.replace(thrown.message, () => message)) }),
    ...(thrown.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: describeError(thrown.cause, depth + 1) }),
  }
}

/** Standard output. Lines are collected for at most a quarter of a second, so that requests do not wait for the terminal. */
const standardOutput = () => pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 250 })

/** The destination of the log: readable lines if standard output is a terminal, lines of JSON otherwise. */
export const logDestination = async (output: Terminal & { readonly isTTY?: boolean }): Promise<DestinationStream> =>
  output.isTTY === true ? terminalDestination(output) : standardOutput()

/**
 * The destination of a silent log. It is used in place of standard output, which would check every quarter of a second
 * for lines to write.
 */
const nowhere: DestinationStream = { write: () => {} }

/** Makes a log of lines with one JSON object each. Call `flush()` before the process ends. */
export function createLog(
  level: string,
  destination: DestinationStream = level === 'silent' ? nowhere : standardOutput(),
): Log {
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
