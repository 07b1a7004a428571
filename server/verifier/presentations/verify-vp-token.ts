import type { Config } from '../../config/config.js'
import type { Installation } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { Handover, PresentedCredential } from '../../formats/verifying.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { Presentations } from '../../protocol/openid4vp/authorization-response.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import { itemOfCredentialId } from '../../protocol/openid4vp/dcql/from-vp-query.js'
import {
  checkVpTokenIds,
  type DcqlPresentation,
  matchPresentation,
  missingCredentials,
} from '../../protocol/openid4vp/dcql/match.js'
import { allowedIssuersOf } from '../../protocol/openid4vp/query/allowed-issuers.js'
import { evaluateItem } from '../../protocol/openid4vp/query/evaluate.js'
import {
  type CompiledItem,
  compileVpQuery,
  VpQueryError,
  type VpQueryItem,
} from '../../protocol/openid4vp/query/vp-query.js'
import { keptTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import { profileNamed } from '../openid4vp/profiles/profiles.js'
import type { Session } from '../sessions/session.js'
import type { TrustedIssuers } from '../trusted-issuers/trusted-issuers.js'
import type { Verifications } from '../verify/verification.js'
import { authorityKeyIdentifiersOf, isOnListOf } from './authorities.js'
import { keptChecks, newPassedChecks } from './checks.js'
import type { Judged } from './judged.js'
import { type DiscardedPresentation, type PresentationChecks, PresentationError } from './presentation-error.js'
import type { Recording } from './recording.js'
import { assertAuthorized, withTransactions } from './transactions.js'
import { type OwnIssuers, type Trust, trustAdded, trustAlso, trustIn } from './trust.js'
import { createVerifyPresentation } from './verify-presentation.js'

/**
 * The highest number of presentations. Each presentation needs signature checks, and perhaps requests to addresses that
 * its issuer chose.
 */
const MAX_PRESENTATIONS = 64

const TOO_MUCH = 'There is more to verify than one answer may hold.'

/** A credential of a verified vp_token, and the credential query that it answers. */
export type AnsweringCredential = PresentedCredential & {
  readonly queryId: string
  readonly item: number | undefined
  /** Indexes of the transaction data that the credential authorizes. */
  readonly authorizes: readonly number[]
}

/** The accepted credentials of a vp_token, the discarded presentations, and all checks. */
export interface VerifiedVpToken {
  readonly credentials: readonly AnsweringCredential[]
  readonly discarded: readonly DiscardedPresentation[]
  readonly checks: readonly PresentationChecks[]
}

type Asked = Pick<Session, 'profile' | 'dcqlQuery' | 'vpQuery' | 'trustedIssuers' | 'transactionData' | 'createdAt'>

/** Values of the request that every presentation must be bound to. */
export interface Binding {
  readonly nonce: string
  readonly audience: string | readonly string[]
  readonly handover: Handover
}

/** Dependencies of {@link createVerifyVpToken}. */
export interface VerifyVpTokenPorts {
  readonly formats: Pick<Formats, 'named'>
  readonly config: Installation & Pick<Config, 'trustAnchors' | 'trustedIssuers' | 'listed'>
  readonly startVerification: Verifications['start']
  readonly isOwnIssuer: OwnIssuers['isOwnIssuer']
  readonly isAddedIssuer: TrustedIssuers['has']
  readonly clock: () => Date
}

/**
 * Verifies a vp_token (OpenID4VP 1.0 §8.6). The vp_token must have the requested entries. The format's rules apply to
 * each presentation, with the holder's proof and the status. Each credential is compared with the query, because the
 * wallet's choice proves nothing (§14.9). A presentation that fails is discarded. The others must satisfy the query and
 * authorize the transaction data (§8.4).
 *
 * @param work the budget for the whole verification
 * @param recording notes everything that evidence contains, if evidence is kept
 * @throws PresentationError with the sentence for wallet and verifier. The sentence describes a fault of the whole
 *   answer, or of the first discarded presentation that the query needs.
 */
export type VerifyVpToken = (
  asked: Asked,
  binding: Binding,
  presentations: Presentations,
  work: Work,
  recording?: Recording,
) => Promise<VerifiedVpToken>

export function createVerifyVpToken({
  formats,
  config,
  startVerification,
  isOwnIssuer,
  isAddedIssuer,
  clock,
}: VerifyVpTokenPorts): VerifyVpToken {
  const verifyPresentation = createVerifyPresentation({ formats, config })

  /** An item may name issuers by const or enum. These issuers are trusted for this item. */
  const trustFor = ({ profile, trustedIssuers, vpQuery }: Asked, item: number | undefined): Trust => {
    const own = { config, isOwnIssuer }
    const fields = item === undefined ? undefined : vpQuery?.[item]
    const named = fields === undefined ? undefined : allowedIssuersOf(fields)
    if (trustedIssuers !== null) return trustAlso(trustIn(own, trustedIssuers), named)
    const configured = trustIn(own, config.trustedIssuers ?? profileNamed(profile).trustedIssuers)
    return trustAlso(trustAdded(configured, isAddedIssuer), named)
  }

  return async (session, binding, { vpToken, selected }, work, recording) => {
    checkEntries(session, vpToken)
    const { certified: certifiedOnly, holderBound, algorithms } = profileNamed(session.profile)
    const recorder = recording?.recorder
    const verification = startVerification(work, { certifiedOnly, algorithms, recorder })
    recording?.begins(verification.now)
    const request = { ...binding, requestedAt: session.createdAt, holderBound }
    const verified = await firstFaultOf(
      session.dcqlQuery.credentials.flatMap((query) => {
        const item = session.vpQuery === null ? undefined : itemOfCredentialId(query.id)
        const trust = trustFor(session, item)
        const presentations = vpToken.get(query.id) ?? []
        return presentations.map(async (presentation, index): Promise<Judged> => {
          const which = `Presentation${presentations.length > 1 ? ` ${index + 1}` : ''} for ${query.id}`
          const passed = newPassedChecks(clock)
          const found = await verifyOne(which, async () => {
            const credentials = await verifyPresentation(verification, query, presentation, request, trust, passed)
            return theSelected(credentials, selected?.get(query.id)?.[index])
          })
          const { times } = passed
          return { query, item, found, passed: passed.all(), presentation, index, times, verifiedAt: clock() }
        })
      }),
    )
    const items = session.vpQuery === null ? [] : compiledItems(session.vpQuery, work)
    const transactions = keptTransactionData(session.transactionData ?? [])
    const { now } = verification
    const authoritiesOf = (credential: PresentedCredential) => {
      const { trustAnchors, listed } = config
      const anchors = { trustAnchors, lists: listed?.credentials, types: credential.content.type }
      recorder?.chained('credentials', credential.x5c, { ...anchors, now, withoutRoots: false })
      return {
        authorityKeyIdentifiers: authorityKeyIdentifiersOf(config, now, credential),
        isOnList: isOnListOf(config, now, credential),
      }
    }
    const judged = verified
      .map((one) => againstQuery(one, items, authoritiesOf, work))
      .map((one) => withTransactions(transactions, one))
    recording?.judges(judged)
    const checks = keptChecks(judged)
    withChecks(checks, () => {
      assertSatisfied(session, judged)
      assertAuthorized(transactions, judged)
    })
    return {
      checks,
      credentials: judged.flatMap(({ query, item, found, authorizes }) =>
        found instanceof PresentationError
          ? []
          : found.map((credential) => ({ ...credential, queryId: query.id, item, authorizes })),
      ),
      discarded: judged.flatMap(({ query, found }) =>
        found instanceof PresentationError ? [{ credentialQueryId: query.id, reason: found.message }] : [],
      ),
    }
  }
}

/** @throws PresentationError with the checks of all presentations */
function withChecks(checks: readonly PresentationChecks[], judge: () => void): void {
  try {
    judge()
  } catch (thrown) {
    if (!(thrown instanceof PresentationError)) throw thrown
    throw new PresentationError(thrown.check, thrown.message, { cause: thrown.cause, checks })
  }
}

/** §8.1, §6.4.2: which entries exist, and how many presentations each has. */
function checkEntries({ dcqlQuery }: Asked, vpToken: Presentations['vpToken']): void {
  const counts = [...vpToken].map(([id, presentations]) => [id, presentations.length] as const)
  const [mismatch] = checkVpTokenIds(dcqlQuery, counts)
  if (mismatch !== undefined) throw new PresentationError('query', mismatch.message)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  if (total > MAX_PRESENTATIONS) {
    throw new PresentationError('format', `vp_token holds more than ${MAX_PRESENTATIONS} presentations.`)
  }
}

/**
 * Waits for all attempts and returns their results. If several attempts fail, it throws the error of the first failed
 * attempt in the list.
 */
async function firstFaultOf<Result>(attempts: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(attempts)
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** @throws PresentationError if the answer as a whole is too expensive to verify. */
async function verifyOne(
  which: string,
  verify: () => Promise<readonly PresentedCredential[]>,
): Promise<Judged['found']> {
  try {
    return await verify()
  } catch (thrown) {
    if (thrown instanceof WorkExceededError) {
      throw new PresentationError('format', `${which}: ${TOO_MUCH}`, { cause: thrown })
    }
    if (!(thrown instanceof CredentialError)) throw thrown
    return new PresentationError(thrown.check, `${which}: ${thrown.message}`, { cause: thrown })
  }
}

/**
 * The selected credential of a verified presentation, or all its credentials.
 *
 * @throws CredentialError if the selected credential does not exist
 */
function theSelected(credentials: readonly PresentedCredential[], at: number | undefined) {
  if (at === undefined) return credentials
  const credential = credentials[at]
  if (credential === undefined) throw new CredentialError('presentation_submission names a place without a credential.')
  return [credential]
}

/** A presentation is valid only if each of its credentials satisfies its credential query and the VP query item of this query. */
function againstQuery(
  judged: Judged,
  items: readonly CompiledItem[],
  authoritiesOf: AuthoritiesOf,
  work: Work,
): Judged {
  const { query, item, found, passed } = judged
  if (found instanceof PresentationError) return judged
  for (const credential of found) {
    const failure =
      dcqlFailure(query, credential, authoritiesOf, work) ?? itemFailure(query, item, items, credential, work)
    if (failure !== undefined) return { ...judged, found: new PresentationError('query', failure) }
  }
  return { ...judged, passed: [...passed, 'query'] }
}

/** The authorities that vouch for a credential. */
type AuthoritiesOf = (credential: PresentedCredential) => Pick<DcqlPresentation, 'authorityKeyIdentifiers' | 'isOnList'>

/** Returns why a credential does not satisfy its DCQL query (§6); undefined if it does. */
function dcqlFailure(
  query: CredentialQuery,
  credential: PresentedCredential,
  authoritiesOf: AuthoritiesOf,
  work: Work,
): string | undefined {
  const authorities = query.trusted_authorities === undefined ? {} : authoritiesOf(credential)
  const { view, holderBound } = credential
  const [mismatch] = matchPresentation(query, { view, holderBound, ...authorities }, work)
  return mismatch?.message
}

/**
 * Returns why a credential does not satisfy its VP query item; undefined if it does. An item may have constraints that
 * DCQL cannot express.
 */
function itemFailure(
  { id }: CredentialQuery,
  item: number | undefined,
  items: readonly CompiledItem[],
  { view }: PresentedCredential,
  work: Work,
): string | undefined {
  if (item === undefined) return undefined
  const compiled = items[item]
  if (compiled === undefined) throw new Error(`Credential query ${id} belongs to no query item.`)
  const evaluation = evaluateItem(compiled, view, work)
  return evaluation.satisfied ? undefined : `Presentation for ${id}: ${evaluation.path} ${evaluation.reason}.`
}

/** §6.4.2: asserts that the presentations satisfy the query even without the discarded presentations. */
function assertSatisfied({ dcqlQuery }: Asked, judged: readonly Judged[]): void {
  const left = judged.flatMap(({ query, found }) => (found instanceof PresentationError ? [] : [query.id]))
  const missing = missingCredentials(dcqlQuery, new Set(left))
  if (missing.length === 0) return
  const failed = judged.find(({ query, found }) => found instanceof PresentationError && missing.includes(query.id))
  throw failed?.found instanceof PresentationError
    ? failed.found
    : new Error('A vp_token that was complete lacks a credential that was not discarded.')
}

/**
 * Compiles the stored query. The query compiled when the request was made, but the work for the whole answer may exceed
 * the limit.
 */
function compiledItems(vpQuery: readonly VpQueryItem[], work: Work): readonly CompiledItem[] {
  try {
    return compileVpQuery(vpQuery, work)
  } catch (thrown) {
    if (!(thrown instanceof VpQueryError)) throw thrown
    throw new PresentationError('query', `The query cannot be evaluated: ${thrown.message}.`, { cause: thrown })
  }
}
