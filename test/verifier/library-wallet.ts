import { createHash } from 'node:crypto'
import type { CallbackContext } from '@openid4vc/oauth2'
import { setGlobalConfig } from '@openid4vc/oauth2'
import { Openid4vpClient, type parseTransactionData } from '@openid4vc/openid4vp'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { DcqlQuery } from 'dcql'
import { CompactEncrypt, compactVerify, decodeJwt, importJWK } from 'jose'
import { decodeDidJwk } from '../../server/protocol/did/did-jwk.js'
import type { WalletActor } from '../support/wallet-actor.js'
import type { Held } from './actors.js'
import { type Candidate, chosenByDefinition, type Definition, submissionOf } from './exchange-wallet.js'

/** The service under test speaks plain http. */
setGlobalConfig({ allowInsecureUrls: true })

export const callbacks: Omit<CallbackContext, 'generateRandom' | 'clientAuthentication'> = {
  fetch,
  hash: (data, alg) => createHash(alg.replace('-', '')).update(data).digest(),
  signJwt: () => {
    throw new Error('Nothing of the exchange itself is signed by the wallet.')
  },
  decryptJwe: () => ({ decrypted: false }),
  encryptJwe: async ({ publicJwk, alg, enc, apu, apv }, data) => {
    const jwe = await new CompactEncrypt(Buffer.from(data))
      .setProtectedHeader({ alg, enc, ...(publicJwk.kid === undefined ? {} : { kid: publicJwk.kid }) })
      .setKeyManagementParameters({
        ...(apu === undefined ? {} : { apu: Buffer.from(apu, 'base64url') }),
        ...(apv === undefined ? {} : { apv: Buffer.from(apv, 'base64url') }),
      })
      .encrypt(await importJWK(publicJwk as Parameters<typeof importJWK>[0], alg))
    return { encryptionJwk: publicJwk, jwe }
  },
  verifyJwt: async (signer, { compact }) => {
    if (signer.method !== 'did') return { verified: false }
    const jwk = decodeDidJwk(signer.didUrl.split('#')[0] ?? '')
    await compactVerify(compact, await importJWK(jwk, signer.alg))
    return { verified: true, signerJwk: jwk as never }
  },
}

const sdJwtOf = (wallet: WalletActor) =>
  new SDJwtVcInstance({
    hasher: digest,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
    kbSigner: async (data) => Buffer.from(await wallet.signer.sign(Buffer.from(data))).toString('base64url'),
    kbSignAlg: 'ES256',
  })

async function claimsOf(wallet: WalletActor, held: Held): Promise<Record<string, unknown>> {
  if (held.format === 'dc+sd-jwt') return (await sdJwtOf(wallet).getClaims(held.credential)) as Record<string, unknown>
  return decodeJwt(held.credential).vc as Record<string, unknown>
}

/** Converts a held credential to the input of the query library. */
async function candidate(wallet: WalletActor, held: Held) {
  const claims = (await claimsOf(wallet, held)) as Record<string, never>
  const common = { claims, cryptographic_holder_binding: true }
  return held.format === 'dc+sd-jwt'
    ? { ...common, credential_format: held.format, vct: String(claims.vct) }
    : { ...common, credential_format: held.format, type: claims.type as unknown as string[] }
}

interface Audience {
  readonly nonce: string
  readonly aud: string
}

type TransactionData = ReturnType<typeof parseTransactionData>

/**
 * Returns the claims of a Key Binding JWT for the transaction data whose first credential id is the credential's query
 * (OpenID4VP 1.0 Appendix B.3.3.1).
 */
function authorized(transactionData: TransactionData, queryId: string) {
  const own = transactionData.filter(({ transactionData: entry }) => entry.credential_ids[0] === queryId)
  if (own.length === 0) return {}
  const alg = own.map(({ transactionData: entry }) => entry.transaction_data_hashes_alg?.at(-1)).find(Boolean)
  const hash = (text: string) =>
    createHash((alg ?? 'sha-256').replace('-', ''))
      .update(text)
      .digest('base64url')
  return {
    transaction_data_hashes: own.map(({ encoded }) => hash(encoded)),
    ...(alg === undefined ? {} : { transaction_data_hashes_alg: alg }),
  }
}

async function presentSdJwt(
  wallet: WalletActor,
  held: Held,
  paths: string[][],
  { nonce, aud }: Audience,
  claims: Record<string, unknown>,
) {
  const frame: Record<string, unknown> = {}
  for (const path of paths) {
    let at = frame
    path.forEach((step, index) => {
      at[step] = index === path.length - 1 ? true : (at[step] ?? {})
      at = at[step] as Record<string, unknown>
    })
  }
  return sdJwtOf(wallet).present(held.credential, frame as never, {
    kb: { payload: { iat: Math.floor(Date.now() / 1000), aud, nonce, ...claims } },
  })
}

/** Makes a VP as VCDM 1.1 §6.3.1 describes it, without the server's code. */
async function presentJwt(wallet: WalletActor, held: Held, { nonce, aud }: Audience): Promise<string> {
  const { signer, did, kid } = wallet
  const vp = { type: ['VerifiablePresentation'], verifiableCredential: [held.credential] }
  const input = [
    { alg: signer.alg, typ: 'JWT', kid },
    { iss: did, aud, nonce, iat: Math.floor(Date.now() / 1000), vp },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = await signer.sign(Buffer.from(input.join('.')))
  return [...input, Buffer.from(signature).toString('base64url')].join('.')
}

/** Chooses credentials with the DCQL library. */
async function chosen(wallet: WalletActor, queryJson: unknown, held: readonly Held[]) {
  const query = DcqlQuery.parse(queryJson as DcqlQuery.Input)
  DcqlQuery.validate(query)
  const result = DcqlQuery.query(query, await Promise.all(held.map((one) => candidate(wallet, one))))
  if (!result.can_be_satisfied) throw new Error('The wallet cannot satisfy the query.')
  const satisfied = new Set(
    result.credential_sets?.flatMap(({ matching_options }) => matching_options?.[0] ?? []) ??
      result.credentials.map(({ id }) => id),
  )
  return result.credentials
    .filter(({ id }) => satisfied.has(id))
    .map((credentialQuery) => {
      const [match] = result.credential_matches[credentialQuery.id]?.valid_credentials ?? []
      const credential = held[match?.input_credential_index ?? -1]
      if (match === undefined || credential === undefined) throw new Error('A match has no credential.')
      const indexes = match.claims.valid_claim_sets[0].valid_claim_indexes ?? []
      const paths = indexes.map(
        (index) => (credentialQuery.claims?.[index] as { path?: string[] } | undefined)?.path ?? [],
      )
      return { id: credentialQuery.id, credential, paths }
    })
}

type Choice = Awaited<ReturnType<typeof chosen>>[number]
type Present = (choice: Choice) => Promise<string>

/** Draft 24 §7.1: one presentation for each query, not an array. For the library, versions before 27 are drafts. */
async function byDcql(choices: readonly Choice[], present: Present, version: number) {
  const entries = choices.map(async (choice) => {
    const presentation = await present(choice)
    return [choice.id, version < 27 ? presentation : [presentation]] as const
  })
  return { vp_token: Object.fromEntries(await Promise.all(entries)), answered: choices.map(({ id }) => id) }
}

const candidates = (wallet: WalletActor, held: readonly Held[]) =>
  Promise.all(held.map(async (one) => ({ held: one, claims: await claimsOf(wallet, one) })))

/** Draft 21 §6.1: several presentations are an array, a single presentation is not. */
async function byExchange(definition: Definition, of: readonly Candidate[], present: Present) {
  const choices = chosenByDefinition(definition, of)
  const presentations = await Promise.all(
    choices.map(({ id, held, paths }) =>
      present({ id, credential: held, paths: paths.map((path) => String(path).split('.').slice(1)) }),
    ),
  )
  return {
    vp_token: presentations.length === 1 ? presentations[0] : presentations,
    presentation_submission: submissionOf(definition, choices),
    answered: choices.map(({ id }) => id),
  }
}

/** A resolved request. */
interface Resolved {
  readonly version: number
  readonly pex?: unknown
  readonly authorizationRequestPayload: object
  readonly transactionData?: TransactionData | undefined
}

/**
 * Makes the answer to a request: presentations of the requested credentials, for an audience.
 *
 * @param origin the origin of the page, if a browser reports it
 */
export async function answerTo(
  client: Openid4vpClient,
  wallet: WalletActor,
  { authorizationRequestPayload, version, pex, transactionData = [] }: Resolved,
  held: readonly Held[],
  origin?: string,
) {
  const payload = authorizationRequestPayload as {
    nonce: string
    client_id: string
    dcql_query: unknown
    presentation_definition: Definition
    response_mode: string
  }
  const audience = { nonce: payload.nonce, aud: origin === undefined ? payload.client_id : `origin:${origin}` }
  const presented = ({ id, credential, paths }: Choice) =>
    credential.format === 'dc+sd-jwt'
      ? presentSdJwt(wallet, credential, paths, audience, authorized(transactionData, id))
      : presentJwt(wallet, credential, audience)
  const { answered, ...parameters } =
    pex === undefined
      ? await byDcql(await chosen(wallet, payload.dcql_query, held), presented, version)
      : await byExchange(payload.presentation_definition, await candidates(wallet, held), presented)
  return { payload, response: await responseOf(client, authorizationRequestPayload, parameters, origin), answered }
}

/** Makes a response with the given parameters. It is encrypted if the request asks for encryption. */
export function responseOf(
  client: Openid4vpClient,
  authorizationRequestPayload: object,
  parameters: object,
  origin?: string,
) {
  const { response_mode: mode } = authorizationRequestPayload as { response_mode: string }
  return client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload,
    authorizationResponsePayload: parameters,
    ...(origin === undefined ? {} : { origin }),
    ...(mode.endsWith('.jwt')
      ? {
          jarm: {
            encryption: { nonce: Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url') },
            serverMetadata: {
              authorization_signing_alg_values_supported: [],
              authorization_encryption_alg_values_supported: ['ECDH-ES'],
              authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM'],
            },
          },
        }
      : {}),
  } as never)
}

/**
 * Answers an `openid4vp://` address as an independent wallet: `@openid4vc/openid4vp` for the exchange, `dcql` for the
 * choice, `@sd-jwt` for selective disclosure and key binding. The wallet authorizes transaction data. The library
 * detects the version. It cannot answer Presentation Exchange, so `exchange-wallet.ts` does.
 *
 * @param own changes of the wallet's behaviour, such as the request signatures that it trusts; by default it trusts
 * signatures of a did:jwk
 * @returns the verifier's answer, and the ids of the credential queries that were answered.
 */
export async function answerWithLibrary(
  wallet: WalletActor,
  address: string,
  held: readonly Held[],
  own: Partial<typeof callbacks> = {},
) {
  const client = new Openid4vpClient({ callbacks: { ...callbacks, ...own } })
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: address })
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params as never,
    wallet: { metadata: { vp_formats_supported: {} } },
  } as never)
  const { payload, response, answered } = await answerTo(client, wallet, resolved, held)
  const submitted = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: resolved.authorizationRequestPayload as never,
    authorizationResponsePayload: response.authorizationResponsePayload,
    ...(response.jarm === undefined ? {} : { jarm: { responseJwt: response.jarm.responseJwt } }),
  })
  return {
    status: submitted.response.status,
    body: (await submitted.response.json()) as Record<string, unknown>,
    answered,
    payload,
    version: resolved.version,
  }
}
