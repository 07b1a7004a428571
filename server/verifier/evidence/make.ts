import { hash } from 'node:crypto'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { Presentations } from '../../protocol/openid4vp/authorization-response.js'
import { encodedTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import { profileNamed } from '../openid4vp/profiles/profiles.js'
import { checksOf } from '../presentations/checks.js'
import { type PresentationChecks, PresentationError } from '../presentations/presentation-error.js'
import { Recording } from '../presentations/recording.js'
import type { JudgedWithTransactions } from '../presentations/transactions.js'
import { proofRequired } from '../presentations/verify-presentation.js'
import type { Binding } from '../presentations/verify-vp-token.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import type { Session } from '../sessions/session.js'
import { NOT_REACHED, PASSED } from '../verify/check-done.js'
import type { ReadSource } from '../verify/recorder.js'
import { LEEWAY_SECONDS } from '../verify/verification.js'
import {
  EVIDENCE_VERSION,
  type EvidencePresentation,
  type FoundKeyRecord,
  type SourceRecord,
  type StoredEvidence,
  type TimedCheck,
} from './package.js'

/** Limit for all documents of a package together, in characters. The answer itself has the limit of a request's body. */
const MAX_SOURCE_CHARACTERS = 4 * 1024 * 1024

/** Evidence of an ended session, and how long it is kept. */
export interface NewEvidence {
  readonly package: StoredEvidence
  readonly expiresAt: Date
}

/** An answer with its outcome. */
export interface JudgedAnswer {
  readonly secrets: SessionSecrets
  readonly binding: Binding
  readonly answer: Presentations
  readonly recording: Recording
  /** Present if the answer was refused. */
  readonly refused?: { readonly error: PresentationError; readonly errorMessage: string } | undefined
}

/** Dependencies of {@link createMakeEvidence}. */
export interface MakeEvidencePorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'trustedIssuers'>
  readonly formats: Pick<Formats, 'named'>
  readonly clock: () => Date
}

export type MakeEvidence = ReturnType<typeof createMakeEvidence>

/** Collects evidence of answers, for the requests that ask for it. */
export function createMakeEvidence({ config, formats, clock }: MakeEvidencePorts) {
  const transcriptsOf = async (format: string, { handover, nonce }: Binding): Promise<string[] | undefined> => {
    const made = await formats.named(format).verifying.transcriptsOf?.(handover, nonce)
    return made?.map((octets) => Buffer.from(octets).toString('base64url'))
  }

  const presentationsOf = async (
    session: Session,
    { binding, answer, recording }: JudgedAnswer,
    endedAt: Date,
  ): Promise<EvidencePresentation[]> => {
    const { holderBound } = profileNamed(session.profile)
    const all = [...answer.vpToken].flatMap(([id, presentations]) => {
      const query = session.dcqlQuery.credentials.find((one) => one.id === id)
      // The query has no such entry: then the answer as a whole is refused.
      if (query === undefined) return []
      return presentations.map(async (presentation, index): Promise<EvidencePresentation> => {
        const judged = recording.judged.find((one) => one.query.id === id && one.index === index)
        const selected = answer.selected?.get(id)?.[index]
        const sessionTranscripts = await transcriptsOf(query.format, binding)
        return {
          credentialQueryId: id,
          format: query.format,
          presentation: typeof presentation === 'string' ? presentation : { ...presentation },
          ...(selected === undefined ? {} : { selected }),
          proof: proofRequired(query, holderBound),
          issuers:
            judged === undefined || judged.found instanceof PresentationError
              ? []
              : judged.found.map(({ issuer }) => issuer),
          ...(sessionTranscripts === undefined ? {} : { sessionTranscripts }),
          checks: judged === undefined ? [] : timedChecks(judged, recording.judgedAt ?? endedAt),
        }
      })
    })
    return Promise.all(all)
  }

  const requestOf = (session: Session, { secrets, binding }: JudgedAnswer): StoredEvidence['request'] => {
    const { handover, nonce, audience } = binding
    const { encryptionKey } = handover
    const { protocol, signed, key, parameters, copies } = secrets.sent ?? {}
    return {
      ...('clientId' in handover
        ? { clientId: handover.clientId, responseUri: handover.responseUri }
        : { origins: [...handover.origins] }),
      audience: [audience].flat(),
      nonce,
      responseMode: session.responseMode,
      ...(encryptionKey === undefined ? {} : { encryptionKey: { ...encryptionKey } }),
      ...(protocol === undefined ? {} : { protocol }),
      ...(signed === undefined ? {} : { signed: typeof signed === 'string' ? signed : { ...signed } }),
      ...(copies === undefined ? {} : { copies: [...copies] }),
      ...(key === undefined ? {} : { key: { ...key } }),
      ...(parameters === undefined ? {} : { parameters: { ...parameters } }),
      dcqlQuery: { ...session.dcqlQuery },
      ...(session.vpQuery === null ? {} : { vpQuery: [...session.vpQuery] }),
      ...(session.transactionData === null
        ? {}
        : { transactionData: session.transactionData.map(encodedTransactionData) }),
    }
  }

  const rulesOf = ({ profile, trustedIssuers }: Session): StoredEvidence['rules'] => {
    const { algorithms, certified, holderBound, trustedIssuers: byDefault } = profileNamed(profile)
    return {
      algorithms: [...algorithms],
      certifiedOnly: certified,
      holderBound,
      leewaySeconds: LEEWAY_SECONDS,
      trustedIssuers: [...(trustedIssuers ?? config.trustedIssuers ?? byDefault)],
      issuerBaseUrl: config.issuerBaseUrl,
    }
  }

  return {
    /** Begins to note how an answer is judged; undefined if the request asks for no evidence. */
    begin: ({ evidenceSeconds }: Pick<Session, 'evidenceSeconds'>): Recording | undefined =>
      evidenceSeconds === null ? undefined : new Recording(clock),

    /** The evidence of a judged answer, verified or refused. @param endedAt when its session ends */
    async make(session: Session, judged: JudgedAnswer, endedAt: Date): Promise<NewEvidence> {
      const { recording, refused } = judged
      const { recorder, now = endedAt } = recording
      return {
        expiresAt: new Date(endedAt.getTime() + (session.evidenceSeconds ?? 0) * 1000),
        package: {
          version: EVIDENCE_VERSION,
          verificationSessionId: session.id,
          verifierId: session.verifierId,
          profile: session.profile,
          state: refused === undefined ? 'ResponseVerified' : 'Error',
          ...(refused === undefined ? {} : { errorMessage: refused.errorMessage }),
          requestedAt: session.createdAt.toISOString(),
          answeredAt: now.toISOString(),
          endedAt: endedAt.toISOString(),
          request: requestOf(session, judged),
          rules: rulesOf(session),
          presentations: await presentationsOf(session, judged, endedAt),
          checks: wholeChecks(judged, endedAt),
          keys: recorder.keys.map(
            ({ certificates, foundAt, jwk, ...key }): FoundKeyRecord => ({
              ...key,
              jwk: { ...jwk },
              ...(certificates === undefined ? {} : { certificates: [...certificates] }),
              foundAt: foundAt.toISOString(),
            }),
          ),
          trustAnchors: {
            credentials: [...recorder.anchors('credentials')],
            statusLists: [...recorder.anchors('statusLists')],
          },
          sources: keptSources(recorder.sources),
        },
      }
    },
  }
}

/** The checks of a presentation with the time of each. */
function timedChecks(judged: JudgedWithTransactions, judgedAt: Date): TimedCheck[] {
  const { times, verifiedAt } = judged
  const { passed, failed, notReached = [] }: PresentationChecks = checksOf(judged)
  // Query and transaction data are compared after the format's checks.
  const at = (check: TimedCheck['check']) => (times.get(check) ?? (isLast(check) ? judgedAt : verifiedAt)).toISOString()
  return [
    ...passed.map((check) => ({ check, outcome: 'passed' as const, message: PASSED[check], at: at(check) })),
    ...(failed === null
      ? []
      : [
          {
            check: failed.check,
            outcome: 'failed' as const,
            message: failed.message,
            at: (isLast(failed.check) ? judgedAt : verifiedAt).toISOString(),
          },
        ]),
    ...notReached.map((check) => ({ check, outcome: 'not-reached' as const, message: NOT_REACHED })),
  ]
}

const isLast = (check: TimedCheck['check']): boolean => check === 'query' || check === 'transaction-data'

/** The failed check of an answer as a whole, unless it is the failed check of a presentation. */
function wholeChecks({ recording, refused }: JudgedAnswer, endedAt: Date): TimedCheck[] {
  if (refused === undefined) return []
  const { check, message } = refused.error
  const isOfOne = recording.judged.some(({ found }) => found instanceof PresentationError && found.message === message)
  return isOfOne ? [] : [{ check, outcome: 'failed', message, at: endedAt.toISOString() }]
}

/** The documents up to the limit. A document beyond it is named by its hash. */
export function keptSources(sources: readonly ReadSource[]): SourceRecord[] {
  let left = MAX_SOURCE_CHARACTERS
  return sources.map(({ content, fetchedAt, ...source }) => {
    const isBinary = content instanceof Uint8Array
    const text = isBinary ? Buffer.from(content).toString('base64url') : content
    const characters = typeof text === 'string' ? text : JSON.stringify(text)
    const record = { ...source, fetchedAt: fetchedAt.toISOString() }
    if (characters.length > left)
      return { ...record, sha256: hash('sha256', isBinary ? content : characters, 'base64url') }
    left -= characters.length
    return {
      ...record,
      ...(isBinary ? { encoding: 'base64url' as const } : {}),
      content: typeof text === 'string' ? text : { ...text },
    }
  })
}
