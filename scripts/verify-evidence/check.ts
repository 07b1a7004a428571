import { X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { WORK_PER_REQUEST } from '../../server/api/context.js'
import { standardFormats } from '../../server/formats/registry.js'
import type { Handover, PresentationContext, PresentedCredential } from '../../server/formats/verifying.js'
import { CredentialError } from '../../server/protocol/credential/verification.js'
import type { DcqlQuery } from '../../server/protocol/openid4vp/dcql/dcql-query.js'
import { itemOfCredentialId } from '../../server/protocol/openid4vp/dcql/from-vp-query.js'
import { checkVpTokenIds, matchPresentation, missingCredentials } from '../../server/protocol/openid4vp/dcql/match.js'
import { evaluateItem } from '../../server/protocol/openid4vp/query/evaluate.js'
import { compileVpQuery, type VpQueryItem } from '../../server/protocol/openid4vp/query/vp-query.js'
import {
  authorizedEntries,
  type SentTransactionData,
  type TransactionData,
  TransactionDataError,
} from '../../server/protocol/openid4vp/transaction-data.js'
import { checkForeignStatus } from '../../server/protocol/status-list/foreign-status.js'
import { Work, WorkExceededError } from '../../server/protocol/work.js'
import type { EvidencePresentation, StoredEvidence } from '../../server/verifier/evidence/package.js'
import { authorityKeyIdentifiersOf, isAnchoredBy } from '../../server/verifier/presentations/authorities.js'
import { holderKeyOfKid, holderKeyOfPresentation } from '../../server/verifier/presentations/holder-key.js'
import { checkRequest } from './request.js'
import { sourcesOf } from './sources.js'

/** A check that was made again. `failure` is the reason if the check fails. */
export interface Outcome {
  readonly name: string
  readonly failure?: string
}

const failing = (name: string, failure: string): Outcome => ({ name, failure })

/** Makes every check of a package again, without a network. */
export async function* checkEvidence(evidence: StoredEvidence): AsyncGenerator<Outcome> {
  for (const { address, content } of evidence.sources) {
    if (content === undefined)
      yield failing('package', `${address} was left out, because the package would be too large.`)
  }
  for (const der of [...evidence.trustAnchors.credentials, ...evidence.trustAnchors.statusLists]) {
    const fault = anchorFault(der)
    if (fault !== undefined) yield fault
  }
  yield* outcomesOf('request', () => checkRequest(evidence))
  const rerun = createRerun(evidence)
  const judged: Judged[] = []
  for (const [index, presentation] of evidence.presentations.entries()) {
    const name = `presentation ${index + 1} (${presentation.credentialQueryId})`
    if (presentation.checks.length === 0) {
      yield { name: `${name}: not judged, because the answer as a whole was refused` }
      continue
    }
    const one = await rerun(presentation)
    judged.push({ presentation, ...one })
    yield* compared(name, presentation, one)
  }
  yield* checkAnswer(evidence, judged)
}

/**
 * Reports a root that was altered. A certificate chain is valid without checking the signature of its root. But the
 * signature of a self-signed root shows whether the root was altered.
 */
function anchorFault(der: string): Outcome | undefined {
  try {
    const root = new X509Certificate(Buffer.from(der, 'base64'))
    const isIntact = root.subject !== root.issuer || root.verify(root.publicKey)
    return isIntact ? undefined : failing(`trust anchor ${root.subject}`, 'It is damaged.')
  } catch {
    return failing('trust anchor', 'It is no certificate.')
  }
}

async function* outcomesOf(name: string, check: () => Promise<void>): AsyncGenerator<Outcome> {
  try {
    await check()
    yield { name }
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    yield failing(name, thrown.message)
  }
}

interface Rerun {
  readonly passed: ReadonlySet<string>
  readonly failed?: { readonly check: string; readonly message: string }
  /** Indexes of the transaction data that the presentation authorizes. */
  readonly authorizes: readonly number[]
}

type Judged = Rerun & { readonly presentation: EvidencePresentation }

/** Compares the recorded checks of a presentation with the checks that were made again. */
function* compared(name: string, { checks }: EvidencePresentation, { passed, failed }: Rerun): Generator<Outcome> {
  for (const { check, outcome } of checks) {
    const row = `${name}: ${check}`
    if (outcome === 'failed') {
      // A recorded failure of `issuer-trust` is accepted, because the list of trusted issuers is the verifier's
      // decision.
      const fails = check === failed?.check || check === 'issuer-trust'
      yield fails
        ? { name: `${row} (fails, as recorded)` }
        : failing(row, 'It is recorded as failed, but it does not fail.')
    } else if (outcome === 'not-reached') yield { name: `${row} (not reached, as recorded)` }
    else if (check === failed?.check) yield failing(row, failed.message)
    else if (check === 'issuer-trust' || passed.has(check)) yield { name: row }
    else yield failing(row, 'It was not reached, because another check failed.')
  }
  for (const check of passed) {
    const isRecorded = checks.some((one) => one.check === check) || check === 'transaction-data'
    if (!isRecorded) yield failing(`${name}: ${check}`, 'It is not recorded.')
  }
  const isKnown = failed === undefined || checks.some(({ check }) => check === failed.check) || !isTrusted(checks)
  if (!isKnown) yield failing(`${name}: ${failed.check}`, failed.message)
}

/**
 * Whether the verifier trusted the issuer. If the verifier did not trust the issuer, it did not look for the issuer's
 * key.
 */
const isTrusted = (checks: EvidencePresentation['checks']): boolean =>
  !checks.some(({ check, outcome }) => check === 'issuer-trust' && outcome === 'failed')

/** The query of the request. The service checked the query when the request was made, and the package holds it unchanged. */
const queryOf = ({ request }: StoredEvidence): DcqlQuery => request.dcqlQuery as unknown as DcqlQuery

/** Checks the answer as a whole: the required presentations, the authorized transaction data, and the outcome. */
function* checkAnswer(evidence: StoredEvidence, judged: readonly Judged[]): Generator<Outcome> {
  for (const { check } of evidence.checks) yield { name: `answer: ${check} (fails, as recorded)` }
  const query = queryOf(evidence)
  const good = judged.filter(({ failed, presentation }) => failed === undefined && isTrusted(presentation.checks))
  const ids = new Set(judged.map(({ presentation }) => presentation.credentialQueryId))
  const counts = [...ids].map(
    (id) => [id, judged.filter(({ presentation }) => presentation.credentialQueryId === id).length] as const,
  )
  const missing = [
    ...missingCredentials(query, new Set(good.map(({ presentation }) => presentation.credentialQueryId))),
  ]
  const [mismatch] = checkVpTokenIds(query, counts)
  const entries = evidence.request.transactionData ?? []
  const unauthorized = entries.findIndex(
    (_, index) => good.filter(({ authorizes }) => authorizes.includes(index)).length !== 1,
  )
  const failure =
    mismatch?.message ??
    (missing.length > 0 ? `No valid presentation answers ${missing.join(', ')}.` : undefined) ??
    (unauthorized >= 0 ? `transactionData.${unauthorized} is not authorized exactly once.` : undefined)
  if (evidence.state === 'Error') {
    const isProven = failure !== undefined || evidence.checks.length > 0
    yield isProven ? { name: 'outcome: refused' } : failing('outcome: refused', 'Every check passes.')
  } else yield failure === undefined ? { name: 'outcome: verified' } : failing('outcome: verified', failure)
}

function createRerun(evidence: StoredEvidence) {
  const { request, rules } = evidence
  const sources = sourcesOf(evidence)
  const work = new Work(WORK_PER_REQUEST)
  const now = new Date(evidence.answeredAt)
  const query = queryOf(evidence)
  const items = request.vpQuery === undefined ? [] : compileVpQuery(request.vpQuery as VpQueryItem[], work)
  const asked = (request.transactionData ?? []).map(
    (sent): SentTransactionData => ({
      sent,
      entry: JSON.parse(Buffer.from(sent, 'base64url').toString()) as TransactionData,
    }),
  )
  const { clientId = '', responseUri = '', encryptionKey, origins } = request
  const handover: Handover =
    origins === undefined ? { clientId, responseUri, encryptionKey } : { origins, encryptionKey }

  const checkStatus: PresentationContext['checkStatus'] = async ({ status, issuerKey }) => {
    for (const reference of status) {
      const found = await statusOf(reference, issuerKey)
      if (found !== 'valid') throw new CredentialError(`Credential has been ${found}.`, { check: 'revoked' })
    }
  }
  const statusOf = async (
    ...[reference, issuer]: [Parameters<typeof checkForeignStatus>[1], Parameters<typeof checkForeignStatus>[2]]
  ) => {
    try {
      return await checkForeignStatus(sources.statusSource(reference, work), reference, issuer)
    } catch (thrown) {
      if (!(thrown instanceof CredentialError)) throw thrown
      throw new CredentialError(thrown.message, { check: 'status', cause: thrown })
    }
  }

  const verify = async (
    presentation: EvidencePresentation,
    passed: Set<string>,
  ): Promise<readonly PresentedCredential[]> => {
    const { credentialQueryId: id, format, presentation: sent, proof, selected } = presentation
    const asking = query.credentials.find((one) => one.id === id)
    if (asking === undefined || typeof sent !== 'string')
      throw new CredentialError('It is no presentation of the query.')
    const known = standardFormats.all.find(({ name }) => name === format)
    if (known === undefined) throw new CredentialError(`There is no format ${format}.`)
    const { verifying } = known
    const transcripts = await verifying.transcriptsOf?.(handover, request.nonce)
    const made = transcripts?.map((octets) => Buffer.from(octets).toString('base64url'))
    if (!isDeepStrictEqual(made, presentation.sessionTranscripts)) {
      throw new CredentialError('sessionTranscripts are not those of the request.', { check: 'holder-binding' })
    }
    const verification = { fetches: sources }
    const all = await verifying.verifyPresentation(sent, {
      options: {
        resolveIssuerKey: async (...args) => {
          const found = await sources.resolveIssuerKey(...args)
          // The package contains the issuer's key, because the verifier trusted the issuer.
          passed.add('issuer-trust')
          return found
        },
        now,
        leewaySeconds: rules.leewaySeconds,
        algorithms: rules.algorithms,
        work,
        onPassed: (check) => passed.add(check),
      },
      onNextCredential: () => {},
      installation: { issuerBaseUrl: rules.issuerBaseUrl, sdJwtIssuer: 'did' },
      nonce: request.nonce,
      audience: request.audience,
      handover,
      requestedAt: new Date(evidence.requestedAt),
      meta: asking.meta,
      claims: asking.claims ?? [],
      fetchTypeMetadata: sources.fetchTypeMetadata,
      proofRequired: proof,
      holderKeyOfKid: (kid) => holderKeyOfKid(verification, kid),
      holderKeyOfJwt: (header, payload) => holderKeyOfPresentation(verification, header, payload),
      checkStatus: async (credential) => {
        await checkStatus(credential)
        passed.add('revoked')
      },
      work,
    })
    const found = selected === undefined ? all : all.slice(selected, selected + 1)
    if (found.length === 0) throw new CredentialError('It holds no such credential.')
    const isRecorded =
      presentation.checks.some(({ outcome }) => outcome === 'failed') ||
      isDeepStrictEqual(
        found.map(({ issuer }) => issuer),
        presentation.issuers,
      )
    if (!isRecorded) throw new CredentialError('The issuer is not the trusted issuer.', { check: 'issuer-trust' })
    return found
  }

  /** The evidence has the anchors that chains led to, but not the lists of these anchors. So any anchor counts for each list. */
  const authoritiesOf = (credential: PresentedCredential) => {
    const anchored = { trustAnchors: sources.anchors }
    return {
      authorityKeyIdentifiers: authorityKeyIdentifiersOf(anchored, now, credential),
      isOnList: () => isAnchoredBy(anchored, now, credential),
    }
  }

  const compareWithQuery = (id: string, credential: PresentedCredential): void => {
    const asking = query.credentials.find((one) => one.id === id)
    if (asking === undefined) throw new CredentialError('The query does not ask for it.', { check: 'query' })
    const { view, holderBound } = credential
    const authorities = asking.trusted_authorities === undefined ? {} : authoritiesOf(credential)
    const [mismatch] = matchPresentation(asking, { view, holderBound, ...authorities }, work)
    if (mismatch !== undefined) throw new CredentialError(mismatch.message, { check: 'query' })
    const item = items[request.vpQuery === undefined ? -1 : (itemOfCredentialId(id) ?? -1)]
    const evaluation = item === undefined ? undefined : evaluateItem(item, view, work)
    if (evaluation?.satisfied === false)
      throw new CredentialError(`${evaluation.path} ${evaluation.reason}.`, { check: 'query' })
  }

  return async (presentation: EvidencePresentation): Promise<Rerun> => {
    const passed = new Set<string>()
    const id = presentation.credentialQueryId
    try {
      const found = await verify(presentation, passed)
      for (const credential of found) compareWithQuery(id, credential)
      passed.add('query')
      const authorizes = found.flatMap(({ transactionDataHashes: hashes }) =>
        hashes === undefined ? [] : authorizedEntries(asked, id, hashes),
      )
      passed.add('transaction-data')
      return { passed, authorizes }
    } catch (thrown) {
      if (thrown instanceof CredentialError)
        return { passed, authorizes: [], failed: { check: thrown.check, message: thrown.message } }
      if (thrown instanceof WorkExceededError)
        return { passed, authorizes: [], failed: { check: 'format', message: thrown.message } }
      if (!(thrown instanceof TransactionDataError)) throw thrown
      return { passed, authorizes: [], failed: { check: 'transaction-data', message: thrown.message } }
    }
  }
}
