import { hash } from 'node:crypto'
import { CredentialError, type TokenStatusReference } from '../credential/verification.js'
import { encodeBase64url } from '../jose/base64url.js'
import type { Jwk, Signer } from '../jose/jws.js'
import { encodeCbor, encodeEmbedded } from './cbor/encode.js'
import { type Encodable, Encoded } from './cbor/values.js'
import { coseKeyOf } from './cose/key.js'
import { createSign1, x5chainHeader } from './cose/sign1.js'
import type { MdocElements } from './elements.js'
import { type IssuerChain, issuerChainOf } from './issuer-chain.js'
import { tdateOf } from './values.js'

const RANDOM_BYTES = 32
const ID_BYTES = 4
/** Random bytes for one item. */
const DRAWN_BYTES = ID_BYTES + RANDOM_BYTES
const MAX_DIGEST_ID = 0x7fff_ffff

export interface MdocInput {
  /** A signer with a key of P-256, P-384 or Ed25519; its `kid` is not used. */
  readonly signer: Pick<Signer, 'alg' | 'sign'>
  /**
   * The issuer's certificate chain, leaf first, each base64 DER. The document does not contain a root at the end of the
   * chain.
   */
  readonly x5c: readonly string[]
  readonly doctype: string
  readonly elements: MdocElements
  /** The holder's public key. */
  readonly deviceKey: Jwk
  readonly status?: TokenStatusReference
  /** `signed`, in whole seconds; never before the certificate is valid. */
  readonly issuedAt: Date
  /** `validFrom`, in whole seconds; never before `signed`. Default: `signed`. */
  readonly validFrom?: Date
  /** The time of signing, if `issuedAt` is rounded down. */
  readonly now?: Date
  /** `validUntil`, in whole seconds; never after the certificate expires. */
  readonly expiresAt: Date
  /** A cryptographically secure source. */
  readonly randomBytes: (length: number) => Uint8Array
}

/**
 * Issues a mobile document (ISO/IEC 18013-5 §8.3.2.1.2.2, §9.1.2). Every item has its own digest id and random bytes.
 * The items of a namespace are in random order. So two copies of one document have nothing in common except their
 * values.
 *
 * @returns base64url of the encoded IssuerSigned (OpenID4VCI 1.0 Appendix A.2.4).
 * @throws CredentialError for a device key or a signer's key that is not supported in mobile documents, and for an
 * expired certificate.
 */
export async function issueMdoc(input: MdocInput): Promise<string> {
  const chain = issuerChainOf(input.x5c)
  const items = signedItems(input)
  const object = new Map<string, Encodable>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['docType', input.doctype],
    ['valueDigests', mapValues(items, (each) => new Map(each.map(({ id, digest }) => [id, digest])))],
    ['deviceKeyInfo', new Map([['deviceKey', coseKeyOf(input.deviceKey)]])],
    ['validityInfo', validityOf(input, chain)],
    ...(input.status === undefined ? [] : [['status', statusOf(input.status)] as const]),
  ])
  const issuerAuth = await createSign1(input.signer, encodeEmbedded(object), {
    unprotected: x5chainHeader(chain.certificates),
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

/** The items in the order of their digest ids, which are random. */
function signedItems({ elements, randomBytes }: MdocInput): ReadonlyMap<string, readonly SignedItem[]> {
  const ids = new Set<number>()
  const count = [...elements.values()].reduce((sum, { size }) => sum + size, 0)
  // One call for the random bytes of all items costs hardly more than a call for a few bytes.
  const drawn = Buffer.from(randomBytes(count * DRAWN_BYTES))
  let at = 0
  return mapValues(elements, (values) =>
    [...values]
      .map(([elementIdentifier, elementValue]) => {
        const id = freshId(ids, drawn.readUInt32BE(at), randomBytes)
        const item = new Map<string, Encodable>([
          ['digestID', id],
          ['random', drawn.subarray(at + ID_BYTES, at + DRAWN_BYTES)],
          ['elementIdentifier', elementIdentifier],
          ['elementValue', elementValue],
        ])
        at += DRAWN_BYTES
        const bytes = encodeEmbedded(item)
        return { id, bytes, digest: hash('sha256', bytes, 'buffer') }
      })
      .sort((one, other) => one.id - other.id),
  )
}

/** A digest id of 31 random bits. If the id is already used, new bits are drawn. */
function freshId(taken: Set<number>, drawn: number, randomBytes: MdocInput['randomBytes']): number {
  const id = drawn & MAX_DIGEST_ID
  if (taken.has(id)) return freshId(taken, Buffer.from(randomBytes(ID_BYTES)).readUInt32BE(), randomBytes)
  taken.add(id)
  return id
}

function mapValues<Key, Value, Mapped>(map: ReadonlyMap<Key, Value>, mapped: (value: Value) => Mapped) {
  return new Map([...map].map(([key, value]) => [key, mapped(value)]))
}

function validityOf(
  { issuedAt, validFrom = issuedAt, expiresAt, now = issuedAt }: MdocInput,
  chain: IssuerChain,
): Encodable {
  const signed = Math.max(issuedAt.getTime(), chain.validFrom)
  const start = Math.max(validFrom.getTime(), signed)
  const end = Math.min(expiresAt.getTime(), chain.validUntil)
  if (end <= now.getTime()) throw new CredentialError('The certificate of the issuer has expired.')
  // ISO/IEC 18013-5 §9.1.2.4: validUntil is later than validFrom.
  if (end <= start) throw new CredentialError('The certificate of the issuer expires before the credential is valid.')
  return new Map([
    ['signed', tdateOf(signed)],
    ['validFrom', tdateOf(start)],
    ['validUntil', tdateOf(end)],
  ])
}

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
