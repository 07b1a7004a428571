import { STATUS_CODES } from 'node:http'
import { publicError } from '../api/public-error.js'

/** The API's error envelope. */
export interface ErrorEnvelope {
  statusCode: number
  message: string | readonly string[]
  path: string
  /** ISO 8601. */
  timestamp: string
  /**
   * The reason phrase of the status. Present only if an endpoint threw the error on purpose and `message` is a
   * different text.
   */
  error?: string
}

/**
 * The error envelope for a thrown value.
 *
 * @param timestamp when the error happened
 * @param production whether a 500 hides its message
 */
export function envelopeOf(thrown: unknown, path: string, timestamp: Date, production: boolean): ErrorEnvelope {
  const { status, message, deliberate } = publicError(thrown, production)
  const phrase = STATUS_CODES[status]
  return {
    statusCode: status,
    message,
    path,
    timestamp: timestamp.toISOString(),
    ...(deliberate && phrase !== undefined && phrase !== message ? { error: phrase } : {}),
  }
}
