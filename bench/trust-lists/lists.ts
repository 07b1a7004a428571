import { createSigner } from '../../server/protocol/jose/jws.js'
import { writeLote } from '../../server/protocol/trust-lists/lote/write-lote.js'
import type { TestCertificate } from '../../test/protocol/issuer-keys/certificates.js'
import { certify } from '../wallet/certificate-files.js'

const SERVICE = 'http://uri.etsi.org/19602/SvcType/PID'

export interface ListsWish {
  readonly lists: number
  /** Entities of each list. */
  readonly entities: number
  readonly issuedAt: Date
  readonly nextUpdate: Date
  /** The authority for issuance of the first entity of the first list. By default it is made. */
  readonly authority?: TestCertificate
}

/** Lists of the profile `pid`, in their compact form, and the certificate that signs all of them. */
export interface MadeLists {
  readonly operator: TestCertificate
  readonly lists: readonly { readonly bytes: Uint8Array; readonly first: TestCertificate }[]
}

/** Makes lists. Each entity has an authority for issuance and another one for status. */
export async function makeLists({ lists, entities, issuedAt, nextUpdate, authority }: ListsWish): Promise<MadeLists> {
  const operator = certify({ subject: 'C=EU/Operator', keyUsage: 0x80 })
  const signer = await createSigner(operator.privateKey.export({ format: 'jwk' }), 'list')
  const service = (kind: string, { certificate }: TestCertificate) => ({
    type: `${SERVICE}/${kind}`,
    uses: [],
    names: { en: 'A service' },
    status: 'granted' as const,
    certificates: [certificate.raw],
    keys: [],
  })
  const makeList = async (list: number) => {
    const authorityOf = (name: string) => certify({ subject: `C=EU/${name}`, ca: true, keyUsage: 0x04 })
    const first = (list === 0 ? authority : undefined) ?? authorityOf(`Authority ${list} 0`)
    const jws = await writeLote(
      {
        profile: 'pid',
        sequenceNumber: 1,
        issuedAt,
        nextUpdate,
        territory: 'EU',
        operator: { en: 'Operator' },
        entities: Array.from({ length: entities }, (_, at) => ({
          names: { en: `Entity ${list} ${at}` },
          address: { street: 'Street 1', country: 'DE', electronic: ['mailto:trust@entity.example'] },
          informationUri: 'https://entity.example',
          services: [
            service('Issuance', at === 0 ? first : authorityOf(`Authority ${list} ${at}`)),
            service('Revocation', authorityOf(`Status ${list} ${at}`)),
          ],
        })),
      },
      signer,
      [operator.x5c],
    )
    return { bytes: Buffer.from(jws), first }
  }
  return { operator, lists: await Promise.all(Array.from({ length: lists }, (_, list) => makeList(list))) }
}
