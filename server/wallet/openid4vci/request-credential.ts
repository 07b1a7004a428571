import { type RequestDpopOptions, resourceRequest } from '@openid4vc/oauth2'
import { type IssuerMetadataResult, Openid4vciRetrieveCredentialsError, Openid4vciVersion } from '@openid4vc/openid4vci'
import { z } from 'zod'
import type { Deps } from '../../deps.js'
import { type CallbackOptions, issuanceCallbacks } from '../protocol/callbacks.js'
import { oauthErrorOfBody } from '../protocol/exchange-failure.js'
import { WalletError } from '../protocol/wallet-error.js'
import type { Grant, Issuance } from './issuance.js'
import type { ProofKey } from './proof-keys.js'

/**
 * One credential to ask for: a configuration, or the identifier that the token response gave for it (OpenID4VCI 1.0
 * §6.2).
 */
export interface Wanted {
  readonly configurationId: string
  readonly identifier?: string
}

/** What the credential endpoint gave. */
export interface Answer {
  /** Compact credentials: at most one for each proof. */
  readonly compacts: readonly string[]
  readonly notificationId: string | undefined
  /** The grant with the server's newest DPoP nonce. */
  readonly grant: Grant
}

const zCredential = z.union([z.string(), z.record(z.string(), z.unknown())])

/** OpenID4VCI 1.0 §8.3; bare credentials, and a single one, are the forms of its drafts. */
const zCredentialResponse = z.object({
  credential: zCredential.optional(),
  credentials: z.array(z.union([z.object({ credential: zCredential }), zCredential])).optional(),
  transaction_id: z.string().optional(),
  notification_id: z.string().optional(),
})

function compactsOf(response: z.output<typeof zCredentialResponse>, atMost: number): string[] {
  if (response.transaction_id !== undefined) {
    throw new WalletError('The issuer defers the credential, and a hosted wallet does not wait for it.')
  }
  const entries: readonly unknown[] =
    response.credentials ?? (response.credential === undefined ? [] : [response.credential])
  const found = entries.map((entry) => {
    const credential = typeof entry === 'object' && entry !== null && 'credential' in entry ? entry.credential : entry
    if (typeof credential === 'string') return credential
    throw new WalletError('The issuer sent a credential that is not compact.')
  })
  if (found.length === 0) throw new WalletError('The issuer sent no credential.')
  if (found.length > atMost) throw new WalletError('The issuer sent more credentials than were asked for.')
  return found
}

/** The identifiers that stand for a configuration in a token response; they must be used where there are any. */
export function wantedCredentials({ token }: Grant, configurationId: string): Wanted[] {
  const details = (token.authorization_details ?? []).filter(
    (detail) => detail.credential_configuration_id === configurationId,
  )
  const identifiers = details
    .flatMap((detail) => detail.credential_identifiers)
    .filter((identifier) => typeof identifier === 'string')
  return identifiers.length === 0
    ? [{ configurationId }]
    : identifiers.map((identifier) => ({ configurationId, identifier }))
}

async function proofJwts(
  deps: Pick<Deps, 'clock'>,
  issuance: Issuance,
  grant: Grant,
  wanted: Wanted,
  keys: readonly ProofKey[],
): Promise<string[]> {
  const { client, metadata } = issuance
  // OpenID4VCI 1.0 §7: a nonce is good for one request; drafts gave it with the token.
  const nonce =
    metadata.credentialIssuer.nonce_endpoint === undefined
      ? grant.token.c_nonce
      : (await client.requestNonce({ issuerMetadata: metadata })).c_nonce
  const proofs = await Promise.all(
    keys.map(({ signer }) =>
      client.createCredentialRequestJwtProof({
        issuerMetadata: metadata,
        credentialConfigurationId: wanted.configurationId,
        signer,
        issuedAt: deps.clock(),
        ...(nonce === undefined ? {} : { nonce }),
        ...(grant.clientId === undefined ? {} : { clientId: grant.clientId }),
      }),
    ),
  )
  return proofs.map(({ jwt }) => jwt)
}

const isVersionOne = ({ originalDraftVersion: version }: IssuerMetadataResult) =>
  version === Openid4vciVersion.V1 || version === Openid4vciVersion.Draft15

const withNonce = (grant: Grant, dpop: { readonly nonce: string } | undefined): Grant => {
  if (grant.dpop === undefined || dpop === undefined) return grant
  const next: RequestDpopOptions = { ...grant.dpop, nonce: dpop.nonce }
  return { ...grant, dpop: next }
}

const dpopOf = ({ dpop }: Grant) => (dpop === undefined ? {} : { dpop })

/** By the library, which also knows the requests of the drafts. */
async function byConfiguration(issuance: Issuance, grant: Grant, wanted: Wanted, jwts: readonly string[]) {
  const { client, metadata } = issuance
  const [jwt = ''] = jwts
  const answer = await client.retrieveCredentials({
    issuerMetadata: metadata,
    credentialConfigurationId: wanted.configurationId,
    accessToken: grant.token.access_token,
    ...(isVersionOne(metadata) ? { proofs: { jwt: [...jwts] } } : { proof: { proof_type: 'jwt', jwt } }),
    ...dpopOf(grant),
  })
  return { body: answer.credentialResponse as unknown, dpop: answer.dpop }
}

/** OpenID4VCI 1.0 §8.2: by identifier, which the library does not do. */
async function byIdentifier(
  issuance: Issuance,
  grant: Grant,
  callbacks: ReturnType<typeof issuanceCallbacks>,
  identifier: string,
  jwts: readonly string[],
) {
  const answer = await resourceRequest({
    url: issuance.metadata.credentialIssuer.credential_endpoint,
    accessToken: grant.token.access_token,
    callbacks,
    requestOptions: {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ credential_identifier: identifier, proofs: { jwt: jwts } }),
    },
    ...dpopOf(grant),
  })
  const text = await answer.response.text()
  if (!answer.ok) {
    const said = oauthErrorOfBody(text) ?? `status ${answer.response.status}`
    throw new WalletError(`The credential issuer refused the request: ${said}`)
  }
  return { body: parsed(text), dpop: answer.dpop }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new WalletError('The credential endpoint answered with something that is not JSON.')
  }
}

/** Another request may have used up the nonce, or it went stale (OpenID4VCI 1.0 §8.3.1.2). */
const isStaleNonce = (thrown: unknown) =>
  thrown instanceof Openid4vciRetrieveCredentialsError &&
  thrown.response.credentialErrorResponseResult?.data?.error === 'invalid_nonce'

/**
 * Asks the credential endpoint for one credential, with a key proof for each copy of it (OpenID4VCI 1.0 §8). A nonce
 * that went stale is replaced once.
 */
export async function requestCredential(
  deps: Deps,
  issuance: Issuance,
  grant: Grant,
  wanted: Wanted,
  keys: readonly ProofKey[],
  options: CallbackOptions,
): Promise<Answer> {
  const attempt = async () => {
    const jwts = await proofJwts(deps, issuance, grant, wanted, keys)
    return wanted.identifier === undefined
      ? byConfiguration(issuance, grant, wanted, jwts)
      : byIdentifier(issuance, grant, issuanceCallbacks(deps, options), wanted.identifier, jwts)
  }
  const { body, dpop } = await attempt().catch((thrown: unknown) => {
    if (isStaleNonce(thrown) && issuance.metadata.credentialIssuer.nonce_endpoint !== undefined) return attempt()
    throw thrown
  })
  const response = zCredentialResponse.safeParse(body)
  if (!response.success) throw new WalletError('The credential endpoint answered with something else than credentials.')
  return {
    compacts: compactsOf(response.data, keys.length),
    notificationId: response.data.notification_id,
    grant: withNonce(grant, dpop),
  }
}
