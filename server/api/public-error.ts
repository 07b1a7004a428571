import { TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import { ZodError } from 'zod'
import { isDatabaseUnavailable, isUnstorableText, TooSlowError } from '../database/errors.js'
import { shortened } from '../protocol/messages.js'
import { WorkExceededError } from '../protocol/work.js'
import { errors, ServiceError } from './errors.js'
import { validationMessages } from './validation.js'

const GENERIC_500 = 'Internal server error'
const MAX_FOREIGN_MESSAGE = 1_000

const causeOf = (thrown: unknown) => (thrown instanceof TRPCError && thrown.cause !== undefined ? thrown.cause : thrown)

const told = new WeakMap<ZodError, ServiceError>()

/**
 * Makes the error of an invalid request. The error is cached, because both the response and the log need it, and the
 * iterator of the messages can be read only once.
 */
function invalidRequest(refusal: ZodError): ServiceError {
  const known = told.get(refusal) ?? errors.invalid(validationMessages(refusal))
  told.set(refusal, known)
  return known
}

/** Returns the error of the catalogue that a thrown value is, contains or means. Undefined for an unexpected error. */
export function serviceErrorOf(thrown: unknown): ServiceError | undefined {
  if (thrown instanceof ServiceError) return thrown
  const cause = causeOf(thrown)
  if (cause instanceof ServiceError) return cause
  // A ZodError with a different code means that an output violates its contract, which is a fault of this service.
  if (cause instanceof ZodError && thrown instanceof TRPCError && thrown.code === 'BAD_REQUEST') {
    return invalidRequest(cause)
  }
  // `/trpc` could not parse the body.
  if (cause instanceof SyntaxError && thrown instanceof TRPCError && thrown.code === 'BAD_REQUEST') {
    return errors.malformedJson()
  }
  if (cause instanceof WorkExceededError) return errors.tooMuchWork(cause)
  if (cause instanceof TooSlowError) return errors.listTooSlow(cause)
  if (isDatabaseUnavailable(cause)) return errors.databaseUnavailable(cause)
  if (isUnstorableText(cause)) return errors.unstorableText(cause)
  return undefined
}

export interface PublicError {
  readonly status: number
  /** One message, or an array of messages for validation errors. */
  readonly message: string | readonly string[]
  /** True if the service threw the error on purpose. The envelope then contains the reason phrase of the status. */
  readonly deliberate: boolean
}

/** The part of an error that a caller may see. In production every 500 has the same message. */
export function publicError(thrown: unknown, production: boolean): PublicError {
  const known = serviceErrorOf(thrown)
  const cause = causeOf(thrown)
  const said =
    cause instanceof Error && cause.message !== '' ? shortened(cause.message, MAX_FOREIGN_MESSAGE) : GENERIC_500
  if (known !== undefined) {
    const message = known.status === 500 && production ? GENERIC_500 : known.messages
    return { status: known.status, message, deliberate: known.status !== 500 }
  }
  // All other errors below 500 come from tRPC: unknown procedure, wrong method, a body that tRPC could not read.
  const status = thrown instanceof TRPCError ? getHTTPStatusCodeFromError(thrown) : 500
  if (status < 500) return { status, message: said, deliberate: true }
  return { status, message: production ? GENERIC_500 : said, deliberate: false }
}
