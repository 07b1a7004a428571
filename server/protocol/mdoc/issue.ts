import { hash, X509Certificate } from 'node:crypto'
import { CredentialError, type TokenStatusReference } from '../credential/verification.js'
import { isSelfSigned } from '../issuer-keys/certificate-chain.js'
import { encodeBase64url } from '../jose/base64url.js'
import type { Jwk, Signer } from '../jose/jws.js'
import { type Encodable, encodeCbor, encodedItem } from './cbor/encode.js'
import { Encoded, TAG_DATE_TIME, Tagged } from './cbor/values.js'
import { coseKeyOf } from './cose/key.js'
import { createSign1, x5chainHeader } from './cose/sign1.js'
import type { MdocElements } from './elements.js'

const RANDOM_BYTES = 32
const ID_BYTES = 4
const MAX_DIGEST_ID = 0x7fff_ffff

export interface MdocInput {
  /** Of P-256, P-384 or Ed25519; its `kid` is not used. */
  readonly signer: Pick<Signer, 'alg' | 'sign'>
  /** The issuer's certificate chain, leaf first, each base64 DER. A root at its end is left out. */
  readonly x5c: readonly string[]
  readonly doctype: string
  readonly elements: MdocElements
  /** The holder's public key. */
  readonly deviceKey: Jwk
  readonly status?: TokenStatusReference
  /** `signed` and `validFrom`, in whole seconds; but never before the certificate is valid. */
  readonly issuedAt: Date
  /** `validUntil`, in whole seconds; but never after the certificate. */
  readonly expiresAt: Date
  /** A cryptographically secure source. */
  readonly randomBytes: (length: number) => Uint8Array
}

/**
 * Issues a mobile document (ISO/IEC 18013-5 §8.3.2.1.2.2, §9.1.2). Every item has a digest id and random bytes of its own, and the
 * items of a namespace stand in random order, so that nothing but their values links copies.
 *
 * @returns base64url of the encoded IssuerSigned (OpenID4VCI 1.0 Appendix A.2.4).
 * @throws CredentialError for a device key or a signer that COSE does not carry here, and where the certificate has expired.
 */
export async function issueMdoc(input: MdocInput): Promise<string> {
  const chain = withoutRoot(input.x5c)
  const items = signedItems(input)
  const object = new Map<string, Encodable>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['docType', input.doctype],
    ['valueDigests', mapValues(items, (each) => new Map(each.map(({ id, digest }) => [id, digest])))],
    ['deviceKeyInfo', new Map([['deviceKey', coseKeyOf(input.deviceKey)]])],
    ['validityInfo', validityOf(input, chain[0])],
    ...(input.status === undefined ? [] : [['status', statusOf(input.status)] as const]),
  ])
  const issuerAuth = await createSign1(input.signer, encodeCbor(encodedItem(object)), {
    unprotected: x5chainHeader(chain.map(({ raw }) => raw)),
  })
  const nameSpaces = mapValues(items, (each) => each.map(({ bytes }) => new Encoded(bytes)))
  return encodeBase64url(
    encodeCbor(
      new Map<string, Encodable>([
        ['nameSpaces', nameSpaces],
        ['issuerAuth', issuerAuth],
      ]),
    ),
  )
}

interface SignedItem {
  readonly id: number
  /** IssuerSignedItemBytes */
  readonly bytes: Uint8Array
  readonly digest: Uint8Array
}

/** In the order of their digest ids, which are random. */
function signedItems({ elements, randomBytes }: MdocInput): ReadonlyMap<string, readonly SignedItem[]> {
  const ids = new Set<number>()
  return mapValues(elements, (values) =>
    [...values]
      .map(([elementIdentifier, elementValue]) => {
        const id = freshId(ids, randomBytes)
        const item = new Map<string, Encodable>([
          ['digestID', id],
          ['random', randomBytes(RANDOM_BYTES)],
          ['elementIdentifier', elementIdentifier],
          ['elementValue', elementValue],
        ])
        const bytes = encodeCbor(encodedItem(item))
        return { id, bytes, digest: hash('sha256', bytes, 'buffer') }
      })
      .sort((one, other) => one.id - other.id),
  )
}

function freshId(taken: Set<number>, randomBytes: MdocInput['randomBytes']): number {
  for (;;) {
    const id = Buffer.from(randomBytes(ID_BYTES)).readUInt32BE() & MAX_DIGEST_ID
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}

function mapValues<Key, Value, Mapped>(map: ReadonlyMap<Key, Value>, mapped: (value: Value) => Mapped) {
  return new Map([...map].map(([key, value]) => [key, mapped(value)]))
}

/** HAIP 1.0 §6.1.1; ISO/IEC 18013-5 §9.1.2.4. */
function withoutRoot(x5c: readonly string[]): readonly X509Certificate[] {
  const chain = x5c.map((certificate) => new X509Certificate(Buffer.from(certificate, 'base64')))
  return chain.filter((certificate, position) => position === 0 || !isSelfSigned(certificate))
}

function validityOf({ issuedAt, expiresAt }: MdocInput, leaf: X509Certificate | undefined): Encodable {
  if (leaf === undefined) throw new CredentialError('An mdoc needs the certificate of its issuer.')
  const signed = tdate(Math.max(issuedAt.getTime(), Date.parse(leaf.validFrom)))
  const end = Math.min(expiresAt.getTime(), Date.parse(leaf.validTo))
  if (end <= issuedAt.getTime()) throw new CredentialError('The certificate of the issuer has expired.')
  return new Map([
    ['signed', signed],
    ['validFrom', signed],
    ['validUntil', tdate(end)],
  ])
}

/** ISO/IEC 18013-5 §7.2.1: UTC, no fractions of a second. */
const tdate = (milliseconds: number) =>
  new Tagged(TAG_DATE_TIME, `${new Date(milliseconds).toISOString().slice(0, 19)}Z`)

/** Token Status List §6.3. */
const statusOf = ({ idx, uri }: TokenStatusReference): Encodable =>
  new Map([
    [
      'status_list',
      new Map<string, Encodable>([
        ['idx', idx],
        ['uri', uri],
      ]),
    ],
  ])
