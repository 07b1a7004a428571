import { beforeAll, describe, expect, it } from 'vitest'
import { thumbprint } from '../../../server/protocol/jose/jws.js'
import {
  type ElementPath,
  presentMdoc,
  readMdoc,
  redirectTranscript,
  verifyDeviceResponse,
  verifyIssuerSigned,
} from '../../../server/protocol/mdoc/mdoc.js'
import {
  type Actor,
  DOCTYPE,
  ELEMENTS,
  issue,
  MORE,
  makeAuthority,
  makeHolder,
  makeIssuer,
  NAMESPACE,
  trusting,
} from './actors.js'

const REQUEST = {
  clientId: 'x509_san_dns:verifier.example',
  nonce: 'n-0S6_WzA2Mj',
  responseUri: 'https://verifier.example/response',
}
const status = { idx: 7, uri: 'https://issuer.example/token-status-lists/1' }
const authority = makeAuthority()
let issuer: Actor

beforeAll(async () => {
  issuer = await makeIssuer(authority)
})

describe('A mobile document', () => {
  it.each(['ES256', 'ES384', 'EdDSA'] as const)(
    'is issued to a key for %s, verified, and read by its holder',
    async (alg) => {
      const holder = await makeHolder(alg)
      const issued = await issue(issuer, holder, { status })
      const verified = await verifyIssuerSigned(issued, trusting(authority))
      expect(verified).toMatchObject({
        doctype: DOCTYPE,
        claims: ELEMENTS,
        status,
        validityInfo: {
          signed: new Date('2026-06-01T10:00:00Z'),
          validFrom: new Date('2026-06-01T10:00:00Z'),
          validUntil: new Date('2026-09-01T10:00:00Z'),
        },
        deviceKeyThumbprint: thumbprint(holder.publicJwk),
        issuer: 'https://issuer.example',
        x5c: [issuer.x5c],
      })
      expect(readMdoc(issued)).toMatchObject({ doctype: DOCTYPE, claims: ELEMENTS, status })
    },
  )

  it.each(['ES256', 'ES384', 'EdDSA'] as const)(
    'is presented with a device signature of %s, and with only the requested elements',
    async (alg) => {
      const holder = await makeHolder(alg)
      const sessionTranscript = redirectTranscript(REQUEST)
      const disclose: ElementPath[] = [
        [NAMESPACE, 'family_name'],
        [MORE, 'organ_donor'],
      ]
      const issuerSigned = await issue(issuer, holder)
      const response = await presentMdoc({ issuerSigned, disclose, sessionTranscript, signer: holder })
      const verified = await verifyDeviceResponse(response, { ...trusting(authority), sessionTranscript })
      expect(verified.claims).toEqual({ [NAMESPACE]: { family_name: 'Möbius' }, [MORE]: { organ_donor: true } })
    },
  )
})
