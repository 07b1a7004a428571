import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto'
import { gunzipSync, inflateSync } from 'node:zlib'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { presentMdoc, redirectTranscript } from '../../../server/protocol/mdoc/mdoc.js'
import { root } from '../../agent/certified.js'
import { credentialOf, type Issuer, payloadOf } from '../../issuer/openid4vci/actors.js'
import { DOCTYPE, failedChecks, LICENCE, MDOC, NAMESPACE, offerOf } from '../../issuer/openid4vci/mdoc-actors.js'
import { ELEMENTS } from '../../protocol/mdoc/actors.js'
import { query } from '../../support/postgres.js'
import type { TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Format, present, type RequestPayload } from '../../verifier/actors.js'
import { opensslAcceptsJws, verifiedBySdJwtLibrary } from './foreign.js'
import { type Place, privateKeysIn, startCertified } from './places.js'

const SD_JWT_LICENCE = `${LICENCE}-sd-jwt`
const FAMILY_NAME = [[NAMESPACE, 'family_name']] as const

/** A credential of one of the three formats in a wallet. */
interface Taken {
  readonly format: Format | 'mso_mdoc'
  readonly credential: string
}

const pathOf = (url: string) => new URL(url).pathname

/** The DCQL query that the credential answers. */
function queryFor({ format, credential }: Taken) {
  if (format === 'mso_mdoc')
    return { id: 'it', format, meta: { doctype_value: DOCTYPE }, claims: [{ path: [...FAMILY_NAME[0]] }] }
  const meta = format === 'dc+sd-jwt' ? { vct_values: [payloadOf(credential).vct] } : { type_values: [[LICENCE]] }
  const path = format === 'dc+sd-jwt' ? ['birthDate'] : ['credentialSubject', 'birthDate']
  return { id: 'it', format, meta, claims: [{ path }] }
}

async function presentationOf({ format, credential }: Taken, wallet: WalletActor, payload: RequestPayload) {
  if (format !== 'mso_mdoc')
    return present({ id: '', format, credential }, wallet, payload, { disclose: [['birthDate']] })
  const { client_id: clientId, nonce, response_uri: responseUri } = payload
  return presentMdoc({
    issuerSigned: credential,
    disclose: FAMILY_NAME,
    sessionTranscript: redirectTranscript({ clientId, nonce, responseUri }),
    signer: wallet.signer,
  })
}

/** The key of a request object, whose `kid` names the verifier's did:web. jose verifies the request object. */
async function keyOfRequest(service: TestService, requestObject: string): Promise<KeyObject> {
  const { kid = '' } = decodeProtectedHeader(requestObject)
  const [did = ''] = kid.split('#')
  const [, , , ...path] = did.split(':')
  const document = await service.request('GET', `/${path.length === 0 ? '.well-known' : path.join('/')}/did.json`)
  const method = document.json.verificationMethod.find(({ id }: { id: string }) => id === kid)
  const publicKey = createPublicKey({ key: method.publicKeyJwk, format: 'jwk' })
  await jwtVerify(requestObject, publicKey)
  return publicKey
}

/** Asks for a credential and presents it. The request is verified by jose and openssl. @returns the verifier's answer */
async function presentTo({ service }: Issuer, taken: Taken, wallet: WalletActor) {
  const asked = await service.request('POST', '/authorization-requests', {
    authorization: await service.bearer('verifier'),
    body: { responseMode: 'direct_post', dcqlQuery: { credentials: [queryFor(taken)] } },
  })
  expect(asked.status, asked.text).toBe(201)
  const { text } = await service.request('GET', pathOf(asked.json.request_uri))
  expect(await opensslAcceptsJws(text, await keyOfRequest(service, text))).toBe(true)
  const payload = decodeJwt<RequestPayload>(text)
  const form = new URLSearchParams({
    vp_token: JSON.stringify({ it: [await presentationOf(taken, wallet, payload)] }),
    state: payload.state,
  })
  return service.request('POST', pathOf(payload.response_uri), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
}

/** The members of a published status list: a Token Status List, or a Bitstring Status List. */
interface PublishedList {
  readonly status_list: { readonly lst: string }
  readonly credentialSubject: { readonly encodedList: string }
}

/** Whether a published status list says that a credential is revoked. The list is verified by jose and openssl. */
async function isRevoked({ service }: Issuer, { format, credential }: Taken, publicKey: KeyObject): Promise<boolean> {
  const claims = payloadOf(credential)
  const token = claims.status?.status_list
  const entry = [claims.vc?.credentialStatus].flat()[0]
  const uri: string = format === 'dc+sd-jwt' ? token.uri : entry.statusListCredential
  const { text } = await service.request('GET', pathOf(uri), { headers: { accept: 'application/statuslist+jwt' } })
  const { payload } = await jwtVerify<PublishedList>(text, publicKey)
  expect(await opensslAcceptsJws(text, publicKey)).toBe(true)
  if (format === 'dc+sd-jwt') {
    const { lst } = payload.status_list
    // Draft-ietf-oauth-status-list §4.1: the first status is the lowest bit of an octet.
    return (((inflateSync(Buffer.from(lst, 'base64url'))[token.idx >> 3] ?? 0) >> (token.idx & 7)) & 1) === 1
  }
  const { encodedList } = payload.credentialSubject
  const bits = gunzipSync(Buffer.from(encodedList.replace(/^u/, ''), 'base64url'))
  const index = Number(entry.statusListIndex)
  // Bitstring Status List 1.0 §3.2: the first status is the highest bit of an octet.
  return (((bits[index >> 3] ?? 0) >> (7 - (index & 7))) & 1) === 1
}

/**
 * Issues credentials of three formats, presents and revokes them. Libraries of others verify each signature. At the end
 * no private key of the provider is in the database.
 */
export async function assertWholeLife(place: Place): Promise<void> {
  const { publicKey } = place
  const issuer = await startCertified(place)
  const { credentialOfferSessionId: id } = await offerOf(issuer)
  const access = await issuer.token(id)
  const wallet = await newWallet()
  const take = async (configuration: string) => credentialOf(await issuer.take(access, configuration, wallet))

  const jwtVc: Taken = { format: 'jwt_vc_json', credential: await take(LICENCE) }
  await jwtVerify(jwtVc.credential, publicKey)
  expect(await opensslAcceptsJws(jwtVc.credential, publicKey)).toBe(true)

  const sdJwt: Taken = { format: 'dc+sd-jwt', credential: await take(SD_JWT_LICENCE) }
  expect(await verifiedBySdJwtLibrary(sdJwt.credential, publicKey)).toMatchObject({ birthDate: '1990-12-24' })
  const [compact = ''] = sdJwt.credential.split('~')
  expect(await opensslAcceptsJws(compact, publicKey)).toBe(true)
  const [certificate = ''] = decodeProtectedHeader(compact).x5c ?? []
  expect(new X509Certificate(Buffer.from(certificate, 'base64')).verify(root.certificate.publicKey)).toBe(true)

  const mdoc: Taken = { format: 'mso_mdoc', credential: await take(MDOC) }
  const elements = Object.keys(ELEMENTS[NAMESPACE]).map((element) => [NAMESPACE, element] as const)
  expect(await failedChecks(mdoc.credential, wallet.signer, elements)).toEqual([])

  const all = [jwtVc, sdJwt, mdoc]
  for (const taken of all) {
    const answered = await presentTo(issuer, taken, wallet)
    expect(answered.status, `${taken.format} ${answered.text}`).toBe(200)
  }
  for (const taken of [jwtVc, sdJwt]) expect(await isRevoked(issuer, taken, publicKey)).toBe(false)

  const { databaseUrl } = issuer.service
  for (const row of await query<{ id: string }>(databaseUrl, 'SELECT id FROM credentials')) {
    const revoked = await issuer.service.request('POST', `/api/v1/credentials/${row.id}/revoke`, { client: true })
    expect(revoked.status, revoked.text).toBe(200)
  }
  for (const taken of [jwtVc, sdJwt]) expect(await isRevoked(issuer, taken, publicKey)).toBe(true)
  for (const taken of all) {
    const refused = await presentTo(issuer, taken, wallet)
    expect([taken.format, refused.status]).toEqual([taken.format, 400])
    expect(refused.text).toMatch(/revoked/i)
  }

  // A thief of the database finds a key of the database, and no key of the provider.
  const authorization = await issuer.service.bearer('alice', { roles: ['admin'] })
  const made = await issuer.service.request('POST', '/agent/issuer', { authorization, body: { method: 'web' } })
  expect(made.status, made.text).toBe(201)
  const own = await query<{ private_jwk: JsonWebKey }>(
    databaseUrl,
    `SELECT private_jwk::json FROM keys WHERE provider IS NULL AND alg = 'ES256'`,
  )
  expect(own.length).toBeGreaterThan(0)
  const ownKeys = own.map(({ private_jwk: key }) => createPrivateKey({ key, format: 'jwk' }))
  expect(await privateKeysIn(databaseUrl, ownKeys)).toHaveLength(own.length)
  expect(await privateKeysIn(databaseUrl, place.privateKeys())).toEqual([])
}
