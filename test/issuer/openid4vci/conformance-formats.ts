import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { expect } from 'vitest'
import type { Jwk } from '../../../server/protocol/jose/jws.js'
import { decodeStatusListCwt, readMdoc, verifyStatusListCwt } from '../../../server/protocol/mdoc/mdoc.js'
import type { Answer } from '../../support/service.js'
import type { WalletActor } from '../../support/wallet-actor.js'
import { SD_JWT, SUBJECT } from './actors.js'
import { certifiedKey, type Suite } from './conformance-actors.js'
import { failedChecks, randomsOf } from './mdoc-actors.js'

type Json = Answer['json']

/** The parts of a checked credential that the suite examines. */
export interface Checked {
  /** The holder's key. */
  readonly key: unknown
  readonly claims: unknown
  /** The entry of the credential in the status list. */
  readonly idx: number
  /** The times in the credential, in seconds. */
  readonly times: readonly number[]
  /** The salts of the disclosures, or the random values of the items. */
  readonly randoms: readonly string[]
}

/** A value of the variant `credential_format`. */
export interface CredentialFormat {
  readonly name: string
  /** The requested configuration. */
  readonly configuration: string
  /** The metadata that the configuration must have (OpenID4VCI 1.0 Appendix A). */
  readonly described: object
  /** The credential type, with members that create it; undefined if every issuer of these tests has the type. */
  readonly type?: { readonly name: string; readonly members: object }
  /** A type that demands key attestations. */
  readonly attested: { readonly configuration: string; readonly members: object }
  /** Checks the credential: its signature up to the root, its type, and its status list. */
  check(suite: Suite, credential: string, holder: WalletActor): Promise<Checked>
}

/** Checks a signature with the key that x5c certifies. The check trusts only the root. */
export async function certified(compact: string): Promise<{ header: Json; payload: Json }> {
  const header = decodeProtectedHeader(compact)
  await compactVerify(compact, await importJWK(certifiedKey(header.x5c) as Parameters<typeof importJWK>[0], header.alg))
  return { header, payload: decodeJwt(compact) }
}

async function checkSdJwt({ service, base }: Suite, credential: string): Promise<Checked> {
  const [jwt = '', ...parts] = credential.split('~').filter((part) => part !== '')
  const { header, payload } = await certified(jwt)
  expect(header.typ).toBe('dc+sd-jwt')
  const type = await service.request('GET', payload.vct.slice(base.length))
  expect(type.json.vct).toBe(payload.vct)
  const { uri, idx } = payload.status.status_list
  const list = await service.request('GET', uri.slice(base.length))
  expect(list.headers.get('content-type')).toBe('application/statuslist+jwt')
  const { header: listHeader, payload: listPayload } = await certified(list.text)
  expect([listHeader.typ, listPayload.sub, listPayload.iss]).toEqual(['statuslist+jwt', uri, base])
  const disclosed = parts.map(
    (part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as [string, string, unknown],
  )
  return {
    key: payload.cnf.jwk,
    claims: Object.fromEntries(disclosed.map(([, name, value]) => [name, value])),
    idx,
    times: [payload.iat, payload.nbf ?? 0, payload.exp ?? 0],
    randoms: disclosed.map(([salt]) => salt),
  }
}

const DOCTYPE = 'org.example.purchase.1'
const MDOC_TYPE = {
  mdoc: { doctype: DOCTYPE, namespaces: { [DOCTYPE]: { product: '/product', price: '/price' } } },
}

async function checkMdoc({ service, base }: Suite, credential: string, holder: WalletActor): Promise<Checked> {
  const { doctype, claims, x5c, deviceKey, status, validityInfo } = readMdoc(credential)
  expect(doctype).toBe(DOCTYPE)
  certifiedKey(x5c)
  // An independent library checks the signature and the digests.
  expect(await failedChecks(credential, holder.signer, [[DOCTYPE, 'product']])).toEqual([])
  if (status === undefined) throw new Error('The document has no status.')
  const accept = 'application/statuslist+cwt'
  const list = await fetch(`${service.url}${status.uri.slice(base.length)}`, { headers: { accept } })
  expect(list.headers.get('content-type')).toBe(accept)
  const cwt = decodeStatusListCwt(new Uint8Array(await list.arrayBuffer()))
  verifyStatusListCwt(cwt, certifiedKey(cwt.header.x5c) as Jwk)
  expect(cwt.payload.sub).toBe(status.uri)
  return {
    key: deviceKey,
    claims: claims[DOCTYPE],
    idx: status.idx,
    times: [validityInfo.signed, validityInfo.validFrom, validityInfo.validUntil].map((time) => Number(time) / 1000),
    randoms: randomsOf(credential),
  }
}

export const FORMATS: readonly CredentialFormat[] = [
  {
    name: 'sd_jwt_vc',
    configuration: SD_JWT,
    described: { format: 'dc+sd-jwt', vct: expect.any(String) },
    attested: { configuration: 'Attested-sd-jwt', members: {} },
    check: checkSdJwt,
  },
  {
    name: 'mdoc',
    configuration: 'Purchase-mdoc',
    described: { format: 'mso_mdoc', doctype: DOCTYPE, credential_signing_alg_values_supported: [-7, -9] },
    type: { name: 'Purchase', members: MDOC_TYPE },
    attested: { configuration: 'Attested-mdoc', members: MDOC_TYPE },
    check: checkMdoc,
  },
]

/** The claims of every credential in these tests. */
export const ISSUED = SUBJECT
