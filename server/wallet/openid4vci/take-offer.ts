import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { WORK_PER_REQUEST } from '../../context.js'
import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import type { CredentialFormat } from '../../formats/format.js'
import { Work } from '../../protocol/work.js'
import { boundedFetch } from '../protocol/bounded-fetch.js'
import { failureReason } from '../protocol/exchange-failure.js'
import { type OfferInvitation, servesNeither } from '../protocol/invitation.js'
import { issuanceClient } from '../protocol/library-clients.js'
import { WalletError } from '../protocol/wallet-error.js'
import { newDpopKey, type WalletKey } from '../protocol/wallet-keys.js'
import { obtainToken } from './access-token.js'
import { dpopOf, type Grant, type Issuance, type Session } from './issuance.js'
import { issuerMetadata } from './issuer-metadata.js'
import { offeredConfigurations } from './offered-configurations.js'
import { proofKeys } from './proof-keys.js'
import { requestCredential, type Wanted, wantedCredentials } from './request-credential.js'
import { type Expectation, type Receipt, receive } from './verify-received.js'

export interface TakeRequest {
  readonly offer: CredentialOfferObject
  /** The holder's keys, the preferred one first. */
  readonly keys: readonly WalletKey[]
  readonly txCode?: string | undefined
  /** How many copies of each credential, as far as the issuer gives batches. */
  readonly copies: number
}

/** One configuration that was taken. */
export interface Taken {
  readonly format: CredentialFormat
  /** Copies of one credential, each bound to a key of its own. */
  readonly receipts: readonly [Receipt, ...Receipt[]]
}

/**
 * Reads an offer: by value, or from the address that serves it (OpenID4VCI 1.0 §4.1).
 *
 * @throws 400 for a value that is no offer.
 */
export async function resolveOffer(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  offer: OfferInvitation,
): Promise<CredentialOfferObject> {
  const { client } = issuanceClient(deps, { fetch, signers: [] })
  const resolve = (query: Record<string, string>) =>
    client.resolveCredentialOffer(`openid-credential-offer://?${new URLSearchParams(query)}`)
  if ('uri' in offer) return resolve({ credential_offer_uri: offer.uri })
  try {
    // The library decodes the value once more than the address was encoded.
    return await resolve({ credential_offer: encodeURIComponent(offer.value) })
  } catch {
    // Nothing is fetched for a value: it cannot be read.
    throw offer.servedBy === undefined ? errors.unknownUriProtocol() : servesNeither(offer.servedBy)
  }
}

/**
 * What an offer is for, as far as its issuer's metadata says: the type of the first credential that this wallet can
 * hold.
 */
export async function describeOffer(deps: Deps, fetch: typeof globalThis.fetch, offer: CredentialOfferObject) {
  const metadata = await issuerMetadata(issuanceClient(deps, { fetch, signers: [] }).client, offer.credential_issuer)
  const [first] = offeredConfigurations(deps.formats, offer, metadata)
  return { credentialType: first?.types.at(-1) ?? '' }
}

/** Notifies the issuer of the result (OpenID4VCI 1.0 §11). A failure of the notification is ignored. */
async function notify(
  deps: Pick<Deps, 'log'>,
  { client, metadata }: Session,
  grant: Grant,
  id: string | undefined,
  accepted: boolean,
) {
  if (id === undefined || metadata.credentialIssuer.notification_endpoint === undefined) return
  const event = accepted ? ('credential_accepted' as const) : ('credential_failure' as const)
  try {
    await client.sendNotification({
      issuerMetadata: metadata,
      accessToken: grant.token.access_token,
      notification: { notificationId: id, event },
      ...dpopOf(grant),
    })
  } catch (thrown) {
    deps.log.warn({ reason: failureReason(thrown) }, 'issuer was not notified')
  }
}

async function receiveAll(
  deps: Deps,
  compacts: readonly string[],
  keys: readonly WalletKey[],
  expected: Expectation,
): Promise<Taken> {
  const work = new Work(WORK_PER_REQUEST)
  const [first, ...further] = await Promise.all(compacts.map((compact) => receive(deps, compact, keys, expected, work)))
  if (first === undefined) throw new WalletError('The issuer sent no credential.')
  const bound = new Set([first, ...further].map(({ key }) => key.signer.kid))
  if (bound.size <= further.length) throw new WalletError('The issuer bound two copies to one key.')
  return { format: expected.format, receipts: [first, ...further] }
}

/** One issuance under way: the grant carries the newest DPoP nonce from one request to the next. */
interface Progress {
  grant: Grant
}

async function takeOne(
  deps: Deps,
  issuance: Issuance,
  progress: Progress,
  wanted: Wanted,
  expected: Expectation,
  request: TakeRequest,
): Promise<Taken> {
  const { metadata, fetch, dpopKey } = issuance
  const configuration = metadata.credentialIssuer.credential_configurations_supported[expected.configurationId]
  if (configuration === undefined) throw new WalletError('The issuer does not know what it offers.')
  const batchSize = metadata.credentialIssuer.batch_credential_issuance?.batch_size ?? 1
  const keys = await proofKeys(configuration, request.keys, Math.min(request.copies, batchSize))
  const signers = [...keys.map(({ key }) => key.signer), dpopKey]
  const session: Session = { ...issuance, ...issuanceClient(deps, { fetch, signers }) }
  const answer = await requestCredential(deps, session, progress.grant, wanted, keys)
  progress.grant = answer.grant
  if (answer.kind === 'deferred')
    throw new WalletError('The issuer defers the credential, and a hosted wallet does not wait for it.')
  try {
    const walletKeys = keys.map(({ key }) => key)
    const taken = await receiveAll(deps, answer.compacts, walletKeys, expected)
    await notify(deps, session, progress.grant, answer.notificationId, true)
    return taken
  } catch (thrown) {
    await notify(deps, session, progress.grant, answer.notificationId, false)
    throw thrown
  }
}

/**
 * Takes what an offer offers, from whatever issuer (OpenID4VCI 1.0): every configuration that this wallet can hold, as
 * far as the issuer gives it. Each credential is verified and must be bound to a key of this wallet.
 *
 * @throws 400 for a transaction code that is missing; what the first configuration failed with, where none could be
 * taken.
 */
export async function takeOffer(deps: Deps, request: TakeRequest): Promise<readonly [Taken, ...Taken[]]> {
  const { offer, txCode } = request
  const fetch = boundedFetch(deps.outbound.fetch)
  const dpopKey = await newDpopKey()
  const { client, callbacks } = issuanceClient(deps, { fetch, signers: [dpopKey] })
  const metadata = await issuerMetadata(client, offer.credential_issuer)
  const issuance: Issuance = { client, callbacks, fetch, offer, metadata, dpopKey, txCode }
  const configurations = offeredConfigurations(deps.formats, offer, metadata)
  const progress: Progress = { grant: await obtainToken(deps, issuance) }
  const taken: Taken[] = []
  const failures: unknown[] = []
  for (const expected of configurations) {
    for (const wanted of wantedCredentials(progress.grant, expected.configurationId)) {
      try {
        taken.push(await takeOne(deps, issuance, progress, wanted, expected, request))
      } catch (thrown) {
        failures.push(thrown)
        const { configurationId } = expected
        deps.log.warn({ reason: failureReason(thrown), configurationId }, 'credential was not taken')
      }
    }
  }
  const [first, ...further] = taken
  if (first === undefined) throw failures[0]
  return [first, ...further]
}
