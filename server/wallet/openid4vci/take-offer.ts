import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import type { OutboundFetch } from '../../outbound/guard.js'
import { isObject } from '../../protocol/json/json-object.js'
import { offerFaults, withoutNulls } from '../../protocol/openid4vci/credential-offer.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { failureReason, parsedJson } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import { type OfferInvitation, servesNeither } from '../invitations/invitation.js'
import { obtainToken } from './access-token.js'
import { assertCollectable, type Deferral, type Transaction } from './deferral.js'
import type { Grant, Issuance, Session } from './issuance.js'
import { issuanceClient } from './issuance-client.js'
import { isModern, issuerMetadata } from './issuer-metadata.js'
import { offeredConfigurations } from './offered-configurations.js'
import { isBoundToNoKey, proofKeys } from './proof-keys.js'
import { assertProvable } from './proofs.js'
import { type Taken, takeAnswer } from './receive.js'
import { requestCredential, type Wanted, wantedCredentials } from './request-credential.js'
import type { Expectation } from './verify-received.js'
import { newSessionKey, type WalletKey } from './wallet-keys.js'

export interface TakeRequest {
  readonly offer: CredentialOfferObject
  /** The holder's keys, the preferred one first. */
  readonly keys: readonly WalletKey[]
  readonly txCode?: string | undefined
  /** How many copies of each credential, as far as the issuer gives batches. */
  readonly copies: number
}

/** What came of an offer. */
export interface Offered {
  readonly taken: readonly Taken[]
  /** What the issuer will have later; undefined where it deferred nothing. */
  readonly deferral: Deferral | undefined
}

/** @throws 400 naming each rule of OpenID4VCI 1.0 §4.1.1 that an offer breaks. */
function assertOffer({ config }: Pick<Deps, 'config'>, offer: unknown): void {
  const faults = offerFaults(offer, config.allowInsecureHttp)
  if (faults.length > 0) throw errors.invalid(faults)
}

/** A fetch that keeps the offer which it got, for rules which the library does not tell. */
function keepingFetch(fetch: typeof globalThis.fetch) {
  const got: { offer?: unknown } = {}
  const keeping: typeof globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (!answer.ok) return answer
    const text = await answer.text()
    got.offer = withoutNulls(parsedJson(text))
    const { status, headers } = answer
    return new Response(got.offer === undefined ? text : JSON.stringify(got.offer), { status, headers })
  }
  return { got, fetch: keeping }
}

/** The offer of an address (§4.1.3). What the library has against it counts where it breaks no rule. */
async function offerAt(deps: Deps, fetch: typeof globalThis.fetch, uri: string): Promise<CredentialOfferObject> {
  const { got, fetch: keeping } = keepingFetch(fetch)
  const { client } = issuanceClient(deps, { fetch: keeping, signers: [], instanceKey: undefined })
  const query = new URLSearchParams({ credential_offer_uri: uri })
  try {
    return await client.resolveCredentialOffer(`openid-credential-offer://?${query}`)
  } finally {
    if (got.offer !== undefined) assertOffer(deps, got.offer)
  }
}

/** Whether what an address serves is meant as an offer: it has one of its members. */
const isMeantAsOffer = (offer: unknown): boolean =>
  isObject(offer) && ['credential_issuer', 'credential_configuration_ids', 'grants'].some((name) => name in offer)

/**
 * Reads an offer: by value, or from the address that serves it (OpenID4VCI 1.0 §4.1).
 *
 * @throws 400 for an offer that breaks a rule.
 */
export async function resolveOffer(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  offer: OfferInvitation,
): Promise<CredentialOfferObject> {
  if ('uri' in offer) return offerAt(deps, fetch, offer.uri)
  const value = withoutNulls(parsedJson(offer.value))
  if (offer.servedBy !== undefined && !isMeantAsOffer(value)) throw servesNeither(offer.servedBy)
  assertOffer(deps, value)
  try {
    const { client } = issuanceClient(deps, { fetch, signers: [], instanceKey: undefined })
    // The library decodes the value once more than the address was encoded.
    const query = new URLSearchParams({ credential_offer: encodeURIComponent(JSON.stringify(value)) })
    return await client.resolveCredentialOffer(`openid-credential-offer://?${query}`)
  } catch {
    // Nothing is fetched for a value: it cannot be read.
    throw errors.badRequest('credential_offer is not one that this wallet knows')
  }
}

/**
 * What an offer is for, as far as its issuer's metadata says: the type of the first credential that this wallet can
 * hold.
 */
export async function describeOffer(deps: Deps, fetch: OutboundFetch, offer: CredentialOfferObject) {
  const metadata = await issuerMetadata(deps, fetch, offer.credential_issuer, offer.credential_configuration_ids)
  const [first] = offeredConfigurations(deps, offer, metadata)
  return { credentialType: first?.types.at(-1) ?? '' }
}

/** One issuance under way: the grant carries the newest DPoP nonce from one request to the next. */
interface Progress {
  grant: Grant
  readonly taken: Taken[]
  readonly deferred: Transaction[]
}

async function takeOne(
  deps: Deps,
  issuance: Issuance,
  progress: Progress,
  wanted: Wanted,
  expected: Expectation,
  request: TakeRequest,
): Promise<void> {
  const { metadata, fetch, dpopKey, instanceKey } = issuance
  const configuration = metadata.credentialIssuer.credential_configurations_supported[expected.configurationId]
  if (configuration === undefined) throw new WalletError('The issuer does not know what it offers.')
  const batchSize = metadata.credentialIssuer.batch_credential_issuance?.batch_size ?? 1
  const proving = isBoundToNoKey(configuration, expected.format, isModern(metadata))
    ? []
    : await proofKeys(configuration, request.keys, Math.min(request.copies, batchSize))
  const signers = [...proving.map(({ key }) => key.signer), dpopKey.signer]
  const session: Session = { ...issuance, ...issuanceClient(deps, { fetch, signers, instanceKey }) }
  const answer = await requestCredential(deps, session, progress.grant, wanted, proving)
  progress.grant = answer.grant
  const keys = proving.map(({ key }) => key)
  if (answer.kind === 'deferred') {
    assertCollectable(session)
    const { transactionId, intervalSeconds } = answer
    progress.deferred.push({ transactionId, intervalSeconds, expected, keys })
    return
  }
  const taken = await takeAnswer(deps, session, progress.grant, answer, { expected, keys }, async (one) => one)
  progress.taken.push(taken)
}

/**
 * Takes what an offer offers, from whatever issuer (OpenID4VCI 1.0): every configuration that this wallet can hold, as
 * far as the issuer gives it. Each credential is verified and must be bound to a key of this wallet.
 *
 * @throws 400 for a transaction code that is missing; what the first configuration failed with, where none could be
 * taken and none was deferred.
 */
export async function takeOffer(deps: Deps, request: TakeRequest): Promise<Offered> {
  const { offer, txCode } = request
  const fetch = boundedFetch(deps.outbound.fetch)
  const dpopKey = await newSessionKey()
  const instanceKey = deps.walletProvider === undefined ? undefined : await newSessionKey()
  const session = issuanceClient(deps, { fetch, signers: [dpopKey.signer], instanceKey })
  const metadata = await issuerMetadata(deps, fetch, offer.credential_issuer, offer.credential_configuration_ids)
  const issuance: Issuance = { ...session, fetch, offer, metadata, dpopKey, instanceKey, txCode }
  const configurations = offeredConfigurations(deps, offer, metadata)
  assertProvable(deps, metadata, configurations)
  const progress: Progress = { grant: await obtainToken(deps, issuance), taken: [], deferred: [] }
  const failures: unknown[] = []
  for (const expected of configurations) {
    for (const wanted of wantedCredentials(progress.grant, expected.configurationId)) {
      try {
        await takeOne(deps, issuance, progress, wanted, expected, request)
      } catch (thrown) {
        failures.push(thrown)
        const { configurationId } = expected
        deps.log.warn({ reason: failureReason(thrown), configurationId }, 'credential was not taken')
      }
    }
  }
  const { grant, taken, deferred } = progress
  if (taken.length + deferred.length === 0) throw failures[0]
  const deferral = { credentialIssuer: offer.credential_issuer, grant, dpopKey, instanceKey, transactions: deferred }
  return { taken, deferral: deferred.length === 0 ? undefined : deferral }
}
