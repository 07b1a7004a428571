import { hash, X509Certificate } from 'node:crypto'
import { readExtensions } from '../../issuer-keys/certificate-profile.js'
import { derElements, derMembers } from '../../issuer-keys/der.js'
import type { Signer } from '../../jose/jws.js'
import { encodeCbor } from '../../mdoc/cbor/encode.js'
import { type CborKey, type Encodable, Tagged } from '../../mdoc/cbor/values.js'
import { createSign1, x5chainHeader } from '../../mdoc/cose/sign1.js'
import { tdateOf } from '../../mdoc/values.js'
import type { TrustedEntity } from '../trust-list.js'

const SUBJECT_KEY_IDENTIFIER = '551d0e'
const TAG_BIGNUM = 2

/** A VICAL to publish. Services without document types are left out: the standard requires a type. */
export interface PublishedVical {
  readonly provider: string
  readonly issuedAt: Date
  readonly nextUpdate: Date
  readonly sequenceNumber: number
  readonly entities: readonly TrustedEntity[]
}

/**
 * Signs a VICAL (ISO/IEC 18013-5 §C.1.7): an untagged COSE_Sign1 with the chain of the signer's certificate (DER, the
 * signer's first) in its unprotected header. Services that are not granted are left out: a VICAL has no states.
 */
export async function writeVical(
  { provider, issuedAt, nextUpdate, sequenceNumber, entities }: PublishedVical,
  signer: Pick<Signer, 'alg' | 'sign'>,
  chain: readonly Uint8Array[],
): Promise<Uint8Array> {
  const content = new Map<CborKey, Encodable>([
    ['version', '1.0'],
    ['vicalProvider', provider],
    ['date', tdateOf(issuedAt.getTime())],
    ['vicalIssueID', sequenceNumber],
    ['nextUpdate', tdateOf(nextUpdate.getTime())],
    ['certificateInfos', entities.flatMap(infosOf)],
  ])
  return encodeCbor(await createSign1(signer, encodeCbor(content), { unprotected: x5chainHeader(chain) }))
}

function infosOf({ names, territory, services }: TrustedEntity): readonly Encodable[] {
  const [name] = Object.values(names)
  return services.flatMap(({ status, types = [], certificates }) =>
    status !== 'granted' || types.length === 0
      ? []
      : certificates.map((der) => {
          const certificate = new X509Certificate(der)
          return new Map<CborKey, Encodable>([
            ['certificate', der],
            ['serialNumber', new Tagged(TAG_BIGNUM, Buffer.from(certificate.serialNumber, 'hex'))],
            ['ski', keyIdentifierOf(certificate)],
            ['docType', types],
            ...(name === undefined ? [] : [['issuingAuthority', name] as const]),
            ...(territory === undefined ? [] : [['issuingCountry', territory] as const]),
            ['notBefore', tdateOf(Date.parse(certificate.validFrom))],
            ['notAfter', tdateOf(Date.parse(certificate.validTo))],
          ])
        }),
  )
}

/** The certificate's key identifier, or one made by RFC 5280 §4.2.1.2 (1) if it has none. */
function keyIdentifierOf(certificate: X509Certificate): Uint8Array {
  const [tbs] = derMembers(certificate.raw)
  const extension = readExtensions(tbs).find(({ id }) => id === SUBJECT_KEY_IDENTIFIER)
  const own = extension && derElements(extension.value)[0]?.content
  if (own !== undefined) return own
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' })
  // BIT STRING: the first octet counts its unused bits.
  const key = derMembers(spki)[1]?.content.subarray(1) ?? spki
  return hash('sha1', key, 'buffer')
}
