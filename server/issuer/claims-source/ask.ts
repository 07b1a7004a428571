import { ServiceError } from '../../api/errors.js'
import type { Formats } from '../../formats/registry.js'
import type { Log } from '../../log/log.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { Outbound } from '../../outbound/guard.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { isObject } from '../../protocol/json/json-object.js'
import { shortened } from '../../protocol/messages.js'
import type { Work } from '../../protocol/work.js'
import { assertSubject } from '../issuance/subject.js'
import type { CredentialSchema } from '../schemas/store.js'
import type { SourceSecrets } from './secrets.js'
import { messageHeaders } from './signed-request.js'
import type { ClaimsSource, SourceSecret } from './source.js'
import type { ClaimsSourceStore } from './store.js'

type Subject = Readonly<Record<string, unknown>>

/** The person and the credential that a source is asked for. */
export interface Question {
  /** The `sub` of the user who signed in, or for whom the offer is. */
  readonly subject?: string | undefined
  /** The issuer's own name for the person or case. */
  readonly reference?: string | undefined
  readonly label?: string | undefined
  readonly credentialConfigurationIds: readonly string[]
  readonly credentialOfferSessionId?: string | undefined
  /** The identity provider's claims about the user who signed in. */
  readonly signIn?: Subject | undefined
  /** True for a test, which issues nothing. */
  readonly test?: true
}

/**
 * What a source answered.
 *
 * - `claims`: the claims, which the schema accepts.
 * - `deferred`: the source answers later.
 * - `unknown`: the source does not know the person.
 * - `refused`: the claims cannot be issued. `problems` name the claims, never their values.
 * - `failed`: there is no usable answer.
 * - `busy`: too many requests to the source are open.
 */
export type SourceAnswer =
  | { readonly kind: 'claims'; readonly credentialSubject: Subject; readonly problems: readonly [] }
  | { readonly kind: 'deferred' | 'unknown' | 'busy'; readonly problems: readonly [] }
  | { readonly kind: 'refused' | 'failed'; readonly problems: readonly string[] }

/** Limit for an answer, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Limit for the open requests of this process to one source. */
const MAX_OPEN = 32

/** Pause before the second attempt, in milliseconds. */
const PAUSE_MS = 250

/** Interval in which the same outcome of a source is not stored again, in milliseconds. */
const NOTED_EVERY_MS = 60_000

/** Limit for the sources whose last noted outcome is remembered. */
const MAX_NOTED = 1_000

const MAX_PROBLEMS = 3
const MAX_PROBLEM_LENGTH = 200

/** Why an attempt failed. `again`: a second attempt may succeed. */
class AttemptFailed extends Error {
  constructor(
    message: string,
    readonly again: boolean,
  ) {
    super(message)
  }
}

const failed = (sentence: string): SourceAnswer => ({ kind: 'failed', problems: [sentence] })

const isJson = (contentType: string | null): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')

/** Dependencies of {@link createAskSource}. */
export interface AskSourcePorts {
  readonly store: Pick<ClaimsSourceStore, 'note'>
  readonly secrets: Pick<SourceSecrets, 'read'>
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly formats: Pick<Formats, 'issued'>
  readonly metrics: Pick<Metrics, 'claimsSource'>
  readonly log: Pick<Log, 'warn'>
  readonly clock: () => Date
  readonly newId: () => string
}

/**
 * Asks the claims source of a schema. The answer is checked against the schema. No database connection is held meanwhile.
 *
 * @param work the budget for the check of the claims
 */
export type AskSource = (schema: CredentialSchema, question: Question, work: Work) => Promise<SourceAnswer>

export function createAskSource(ports: AskSourcePorts): AskSource {
  const { store, secrets, outbound, formats, metrics, log, clock, newId } = ports
  const open = new Map<string, number>()
  const noted = new Map<string, { readonly failure: string | null; readonly at: number }>()

  /** Sends one request. @throws AttemptFailed if there is no usable answer */
  const attempt = async (
    { url, timeoutMs }: ClaimsSource,
    secret: SourceSecret,
    message: { readonly id: string; readonly body: string },
  ): Promise<Response> => {
    try {
      return await outbound.fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: messageHeaders(secret, { ...message, now: clock() }),
        body: message.body,
        maxBytes: MAX_ANSWER_BYTES,
        timeoutMs,
        clientCertificate: secret.mTLS,
      })
    } catch (thrown) {
      if (!(thrown instanceof OutboundError)) throw thrown
      throw new AttemptFailed(thrown.message, thrown.code === 'timeout' || thrown.code === 'connect')
    }
  }

  /** The claims in an answer. @throws AttemptFailed if the answer has none */
  const subjectIn = async (response: Response): Promise<Subject> => {
    const { host } = new URL(response.url)
    if (!isJson(response.headers.get('content-type')))
      throw new AttemptFailed(`${host} answered with a content type that is not application/json.`, false)
    const answer = await response.json().catch((thrown: unknown) => {
      throw thrown instanceof OutboundError ? new AttemptFailed(thrown.message, false) : thrown
    })
    const subject =
      isObject(answer) && Object.hasOwn(answer, 'credentialSubject') ? answer.credentialSubject : undefined
    if (!isObject(subject)) throw new AttemptFailed(`${host} answered without a credentialSubject.`, false)
    return subject
  }

  const judged = async (schema: CredentialSchema, credentialSubject: Subject, work: Work): Promise<SourceAnswer> => {
    try {
      await assertSubject(formats, schema, credentialSubject, 'credentialSubject', work)
      return { kind: 'claims', credentialSubject, problems: [] }
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown
      const messages = typeof thrown.messages === 'string' ? [thrown.messages] : thrown.messages
      const problems = messages.slice(0, MAX_PROBLEMS).map((message) => shortened(message, MAX_PROBLEM_LENGTH))
      return { kind: 'refused', problems }
    }
  }

  const answerOf = async (schema: CredentialSchema, response: Response, work: Work): Promise<SourceAnswer> => {
    const { status } = response
    if (status === 200) return judged(schema, await subjectIn(response), work)
    if (status === 202) return { kind: 'deferred', problems: [] }
    if (status === 404) return { kind: 'unknown', problems: [] }
    throw new AttemptFailed(`${new URL(response.url).host} answered with status ${status}.`, status >= 500)
  }

  /** Asks once, and a second time if the source may answer then. Both requests have the same id. */
  const asked = async (
    schema: CredentialSchema,
    source: ClaimsSource,
    question: Question,
    work: Work,
  ): Promise<SourceAnswer> => {
    const secret = await secrets.read(schema.id)
    const { id, name, version } = schema
    const body = JSON.stringify({
      type: 'credential.claims_requested',
      timestamp: clock().toISOString(),
      data: { ...question, schema: { id, name, version } },
    })
    const message = { id: `msg_${newId()}`, body }
    for (let again = true; ; again = false) {
      try {
        return await answerOf(schema, await attempt(source, secret, message), work)
      } catch (thrown) {
        if (!(thrown instanceof AttemptFailed)) throw thrown
        if (!thrown.again || !again) return failed(thrown.message)
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
  }

  /** Stores how the last request ended, for the checklist: at once if the outcome changes, else once a minute. */
  const note = async (schemaId: string, { kind, problems }: SourceAnswer): Promise<void> => {
    const failure = kind === 'failed' || kind === 'refused' ? problems.join('; ') : null
    const now = clock()
    const last = noted.get(schemaId)
    if (last !== undefined && last.failure === failure && now.getTime() - last.at < NOTED_EVERY_MS) return
    noted.delete(schemaId)
    noted.set(schemaId, { failure, at: now.getTime() })
    const [oldest] = noted.keys()
    if (noted.size > MAX_NOTED && oldest !== undefined) noted.delete(oldest)
    await store.note(schemaId, failure, now)
  }

  const release = (schemaId: string): void => {
    const left = (open.get(schemaId) ?? 1) - 1
    if (left === 0) open.delete(schemaId)
    else open.set(schemaId, left)
  }

  return async (schema, question, work) => {
    const { id, claimsSource } = schema
    if (claimsSource === null) throw new Error('The schema has no claims source.')
    const busy = open.get(id) ?? 0
    if (busy >= MAX_OPEN) {
      metrics.claimsSource('busy')
      return { kind: 'busy', problems: [] }
    }
    open.set(id, busy + 1)
    try {
      const answer = await asked(schema, claimsSource, question, work)
      metrics.claimsSource(answer.kind)
      if (answer.problems.length > 0)
        log.warn({ schemaId: id, outcome: answer.kind, problems: answer.problems }, 'claims source gave no claims')
      await note(id, answer)
      return answer
    } finally {
      release(id)
    }
  }
}
