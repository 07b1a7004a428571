import pino, { type Logger } from 'pino'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'flush'>

/** Members that never reach a log, wherever they stand in what is logged. */
const SECRET_MEMBERS = [
  'authorization',
  'cookie',
  'x-client-secret',
  'access_token',
  'pre-authorized_code',
  'tx_code',
  'code',
  'state',
  'nonce',
  'credential',
  'credential_subject',
  'credentialSubject',
  'vp_token',
  'privateJwk',
  'privateKey',
]

/**
 * Structured log lines on standard output. Lines are gathered for at most a quarter of a second, so that a request does
 * not wait for the terminal; `flush()` before the process ends.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 250 })
  return pino(
    {
      level,
      base: null,
      redact: {
        paths: SECRET_MEMBERS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        remove: true,
      },
    },
    destination,
  )
}
