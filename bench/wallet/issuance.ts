import { z } from 'zod'
import { type Caller, createCaller } from '../measure/caller.js'
import type { BenchWallet } from './wallet.js'

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** The paths of an issuer's endpoints. */
export interface Endpoints {
  readonly token: string
  readonly nonce: string
  readonly credential: string
  readonly deferred: string
}

/** The token of a wallet, and the credentials that the wallet may take. */
export interface Grant {
  readonly issuer: string
  readonly configurations: readonly string[]
  readonly token: string
}

const zOffer = z.object({
  credential_issuer: z.string(),
  credential_configuration_ids: z.array(z.string()),
  grants: z.object({ [PRE_AUTHORIZED]: z.object({ 'pre-authorized_code': z.string() }) }),
})
export type Offer = z.infer<typeof zOffer>

const pathOf = (url: unknown): string => (typeof url === 'string' ? new URL(url).pathname : '')

/** Returns the well-known path of an issuer or a server (OpenID4VCI 1.0 §12.2.2, RFC 8414 §3.1). */
function wellKnown(name: string, identifier: string): string {
  const path = pathOf(identifier)
  return `/.well-known/${name}${path === '/' ? '' : path}`
}

export const readOffer = async (caller: Caller, path: string): Promise<Offer> => zOffer.parse(await caller.json(path))

/** The Credential Issuer Metadata (OpenID4VCI 1.0 §12.2.2). */
export const readIssuerMetadata = (caller: Caller, issuer: string): Promise<Record<string, unknown>> =>
  caller.json(wellKnown('openid-credential-issuer', issuer))

/** The metadata of the authorization server (RFC 8414 §3.1): the server that the issuer names, otherwise the issuer itself. */
export function readServerMetadata(
  caller: Caller,
  issuer: string,
  issuerMetadata: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const [server = issuer] = (issuerMetadata.authorization_servers as string[] | undefined) ?? []
  return caller.json(wellKnown('oauth-authorization-server', server))
}

export const endpointsOf = (
  issuerMetadata: Record<string, unknown>,
  serverMetadata: Record<string, unknown>,
): Endpoints => ({
  token: pathOf(serverMetadata.token_endpoint),
  nonce: pathOf(issuerMetadata.nonce_endpoint),
  credential: pathOf(issuerMetadata.credential_endpoint),
  deferred: pathOf(issuerMetadata.deferred_credential_endpoint),
})

/** Reads the endpoints from both metadata. */
export async function readEndpoints(caller: Caller, issuer: string): Promise<Endpoints> {
  const metadata = await readIssuerMetadata(caller, issuer)
  return endpointsOf(metadata, await readServerMetadata(caller, issuer, metadata))
}

/** Endpoints of an issuer, for wallets that have already read the issuer's metadata. */
export async function endpointsAt(issuer: string): Promise<Endpoints> {
  const caller = createCaller(issuer, 1)
  return readEndpoints(caller, issuer).finally(() => caller.close())
}

/** Gets the token for the pre-authorized code of an offer. */
export async function redeem(caller: Caller, offer: Offer, { token }: Endpoints): Promise<Grant> {
  const code = offer.grants[PRE_AUTHORIZED]['pre-authorized_code']
  const { access_token } = await caller.json(token, {
    form: { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code },
  })
  const { credential_issuer: issuer, credential_configuration_ids: configurations } = offer
  return { issuer, configurations, token: String(access_token) }
}

export const readNonce = async (caller: Caller, { nonce }: Endpoints): Promise<unknown> =>
  (await caller.json(nonce, { method: 'POST' })).c_nonce

/**
 * Sends the credential request. The proof names the wallet's DID and contains the nonce. @returns the answer; a
 * deferred credential has an answer without a credential
 */
export function requestCredential(
  caller: Caller,
  { issuer, configurations: [configuration], token }: Grant,
  endpoints: Endpoints,
  wallet: BenchWallet,
  nonce: unknown,
): Promise<Record<string, unknown>> {
  const proof = wallet.sign(
    { typ: 'openid4vci-proof+jwt', kid: wallet.kid },
    { aud: issuer, iat: Math.floor(Date.now() / 1000), nonce },
  )
  return caller.json(endpoints.credential, {
    headers: { authorization: `Bearer ${token}` },
    json: { credential_configuration_id: configuration, proofs: { jwt: [proof] } },
  })
}

/**
 * Gets a nonce and sends the credential request. @returns the answer; a deferred credential has an answer without a
 * credential
 */
export const askForCredential = async (
  caller: Caller,
  grant: Grant,
  endpoints: Endpoints,
  wallet: BenchWallet,
): Promise<Record<string, unknown>> =>
  requestCredential(caller, grant, endpoints, wallet, await readNonce(caller, endpoints))

/** The credential in an answer. @throws if the answer contains no credential */
export function credentialOf(answer: Record<string, unknown>): string {
  const [first] = (answer.credentials ?? []) as { credential?: unknown }[]
  if (typeof first?.credential !== 'string') throw new Error(`There is no credential: ${JSON.stringify(answer)}`)
  return first.credential
}

/**
 * Takes an offered credential with a pre-authorized code (OpenID4VCI 1.0): reads the offer, then gets the token, the
 * nonce and the credential. The wallet has already read the metadata.
 */
export async function takeOffered(
  caller: Caller,
  endpoints: Endpoints,
  { offeringId, configuration }: { readonly offeringId: string; readonly configuration: string },
  wallet: BenchWallet,
): Promise<string> {
  const offer = await readOffer(caller, `/openid4vci/offers/${offeringId}`)
  const grant = { ...(await redeem(caller, offer, endpoints)), configurations: [configuration] }
  return credentialOf(await askForCredential(caller, grant, endpoints, wallet))
}
