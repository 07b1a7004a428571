import type { Deps } from '../../deps.js'
import type { PresentedCredential } from '../../formats/verifying.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { VpToken } from '../../protocol/openid4vp/authorization-response.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import { itemOfCredentialId } from '../../protocol/openid4vp/dcql/from-vp-query.js'
import { checkVpTokenIds, type DcqlPresentation, matchDcql } from '../../protocol/openid4vp/dcql/match.js'
import { allowedIssuersOf } from '../../protocol/openid4vp/query/allowed-issuers.js'
import { evaluateItem } from '../../protocol/openid4vp/query/evaluate.js'
import {
  type CompiledItem,
  compileVpQuery,
  VpQueryError,
  type VpQueryItem,
} from '../../protocol/openid4vp/query/vp-query.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import type { Session } from '../sessions/session.js'
import { startVerification, type Verification } from '../verify/check-credential.js'
import { authorityKeyIdentifiersOf } from './authorities.js'
import { PresentationError } from './presentation-error.js'
import { type Trust, trustAlso, trustIn } from './trust.js'
import { type PresentationRequest, verifyPresentation } from './verify-presentation.js'

/** A bound, since each presentation costs signature checks and possibly requests to addresses that its issuer chose. */
const MAX_PRESENTATIONS = 64

const TOO_MUCH = 'There is more to verify than one answer may hold.'

/** A credential of a verified vp_token, and the credential query that it answers. */
export type AnsweringCredential = PresentedCredential & { readonly queryId: string; readonly item: number | undefined }

type Asked = Pick<Session, 'dcqlQuery' | 'vpQuery' | 'trustedIssuers' | 'clientId' | 'createdAt'>

/**
 * Verifies a vp_token (OpenID4VP 1.0 §8.6): that it has the requested entries; each presentation by its format's rules, with
 * the holder's proof and the status; and each credential against the query, without relying on the wallet's choice (§14.9).
 *
 * @param work pays for all of it
 * @throws PresentationError with the sentence for wallet and verifier.
 */
export async function verifyVpToken(
  deps: Deps,
  session: Asked,
  nonce: string,
  vpToken: VpToken,
  work: Work,
): Promise<readonly AnsweringCredential[]> {
  checkEntries(session, vpToken)
  const verification = startVerification(deps, work)
  const request = { nonce, audience: session.clientId, requestedAt: session.createdAt }
  const verified = await firstFailureOf(
    session.dcqlQuery.credentials.map((query) => {
      const item = session.vpQuery === null ? undefined : itemOfCredentialId(query.id)
      const trust = trustFor(deps, session, item)
      return verifyEntry(verification, query, vpToken.get(query.id) ?? [], request, trust, item)
    }),
  )
  const credentials = verified.flat()
  checkQuery(verification, session, credentials)
  checkItems(session, credentials, work)
  return credentials
}

/** §8.1, §6.4.2: which entries there are, and how many presentations in each. */
function checkEntries({ dcqlQuery }: Asked, vpToken: VpToken): void {
  const counts = [...vpToken].map(([id, presentations]) => [id, presentations.length] as const)
  const [mismatch] = checkVpTokenIds(dcqlQuery, counts)
  if (mismatch !== undefined) throw new PresentationError('query', mismatch.message)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  if (total > MAX_PRESENTATIONS) {
    throw new PresentationError('format', `vp_token holds more than ${MAX_PRESENTATIONS} presentations.`)
  }
}

/** The issuers that an item names by const or enum are trusted for it. */
function trustFor(deps: Deps, { trustedIssuers, vpQuery }: Asked, item: number | undefined): Trust {
  const fields = item === undefined ? undefined : vpQuery?.[item]
  const named = fields === undefined ? undefined : allowedIssuersOf(fields)
  return trustAlso(trustIn(deps, trustedIssuers ?? deps.config.trustedIssuers), named)
}

/** All results; where several fail, throws the error of the first in order, not of the first in time. */
async function firstFailureOf<Result>(attempts: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(attempts)
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

async function verifyEntry(
  verification: Verification,
  query: CredentialQuery,
  presentations: readonly (string | JsonObject)[],
  request: PresentationRequest,
  trust: Trust,
  item: number | undefined,
): Promise<AnsweringCredential[]> {
  const credentials = await firstFailureOf(
    presentations.map(async (presentation, index) => {
      try {
        return await verifyPresentation(verification, query, presentation, request, trust)
      } catch (thrown) {
        const which = `Presentation${presentations.length > 1 ? ` ${index + 1}` : ''} for ${query.id}`
        if (thrown instanceof WorkExceededError) {
          throw new PresentationError('format', `${which}: ${TOO_MUCH}`, { cause: thrown })
        }
        if (!(thrown instanceof CredentialError)) throw thrown
        throw new PresentationError(thrown.check, `${which}: ${thrown.message}`, { cause: thrown })
      }
    }),
  )
  return credentials.flat().map((credential) => ({ ...credential, queryId: query.id, item }))
}

/** §6: formats, types, claims, values and completeness. */
function checkQuery(
  verification: Verification,
  { dcqlQuery }: Asked,
  credentials: readonly AnsweringCredential[],
): void {
  const byAuthority = new Set(
    dcqlQuery.credentials.filter(({ trusted_authorities }) => trusted_authorities !== undefined).map(({ id }) => id),
  )
  // Without a prototype: a credential query may be called anything, `__proto__` too.
  const presentations: Record<string, DcqlPresentation[]> = Object.create(null)
  for (const credential of credentials) {
    const { queryId } = credential
    const authorities = byAuthority.has(queryId)
      ? { authorityKeyIdentifiers: authorityKeyIdentifiersOf(verification, credential) }
      : {}
    const entry = presentations[queryId] ?? []
    entry.push({ view: credential.view, holderBound: credential.holderBound, ...authorities })
    presentations[queryId] = entry
  }
  const [mismatch] = matchDcql(dcqlQuery, presentations, verification.work)
  if (mismatch !== undefined) throw new PresentationError('query', mismatch.message)
}

/** Every constraint of the VP query, in full: DCQL says less. */
function checkItems({ vpQuery }: Asked, credentials: readonly AnsweringCredential[], work: Work): void {
  if (vpQuery === null) return
  const items = compiledItems(vpQuery, work)
  for (const credential of credentials) {
    const item = credential.item === undefined ? undefined : items[credential.item]
    if (item === undefined) throw new Error(`Credential query ${credential.queryId} belongs to no query item.`)
    const evaluation = evaluateItem(item, credential.view, work)
    if (!evaluation.satisfied) {
      const message = `Presentation for ${credential.queryId}: ${evaluation.path} ${evaluation.reason}.`
      throw new PresentationError('query', message)
    }
  }
}

/** What compiled when the query was made may be too much beside all that the answer takes. */
function compiledItems(vpQuery: readonly VpQueryItem[], work: Work): readonly CompiledItem[] {
  try {
    return compileVpQuery(vpQuery, work)
  } catch (thrown) {
    if (!(thrown instanceof VpQueryError)) throw thrown
    throw new PresentationError('query', `The query cannot be evaluated: ${thrown.message}.`, { cause: thrown })
  }
}
