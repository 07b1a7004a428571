import { DeviceResponse, Document, type IssuerSignedDocument, MDoc } from '@auth0/mdl'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSigner, generateKeyPair, type Jwk, type Signer } from '../../../server/protocol/jose/jws.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import {
  presentMdoc,
  redirectTranscript,
  verifyDeviceResponse,
  verifyIssuerSigned,
} from '../../../server/protocol/mdoc/mdoc.js'
import { makeCertificate } from '../issuer-keys/certificates.js'
import { type Actor, DOCTYPE, issue, MORE, makeIssuer, NAMESPACE, trusting } from './actors.js'
import { failedChecks, issuerSignedOf, transcriptBytesOf } from './auth0.js'
import { owf } from './owf.js'

const NOW = new Date()
const DAY = 86_400_000
const validity = {
  notBefore: `${new Date(NOW.getTime() - DAY).toISOString().slice(0, 19)}Z`,
  notAfter: `${new Date(NOW.getTime() + 100 * DAY).toISOString().slice(0, 19)}Z`,
}
const authority = makeCertificate({ subject: 'C=DE/Authority', ca: true, keyUsage: 0x04, ...validity })
const transcript = redirectTranscript({
  clientId: 'x509_san_dns:v.example',
  nonce: 'n-1',
  responseUri: 'https://v.example',
})

let issuer: Actor
let devicePrivate: Jwk
let holder: Signer

beforeAll(async () => {
  issuer = await makeIssuer(authority, validity)
  devicePrivate = (await generateKeyPair('ES256')).privateJwk
  holder = await createSigner(devicePrivate, 'holder')
})

describe('@auth0/mdl, another code base', () => {
  it('verifies documents and presentations of this service', async () => {
    const issuedAt = new Date(NOW.getTime() - 3_600_000)
    const expiresAt = new Date(NOW.getTime() + DAY)
    const issuerSigned = await issue(issuer, holder, { issuedAt, expiresAt })
    const disclose = [
      [NAMESPACE, 'family_name'],
      [NAMESPACE, 'driving_privileges'],
      [NAMESPACE, 'portrait'],
      [MORE, 'organ_donor'],
    ] as const
    const response = await presentMdoc({ issuerSigned, disclose, sessionTranscript: transcript, signer: holder })
    expect(await failedChecks(response, transcript, authority)).toEqual([])
    const other = encodeCbor([null, null, ['OpenID4VPHandover', Buffer.alloc(32)]])
    expect(await failedChecks(response, other, authority)).toEqual(['Device signature must be valid'])
  })

  describe('issues and presents documents that this service verifies', () => {
    const trust = () => trusting(authority, new Date())
    let document: IssuerSignedDocument

    beforeAll(async () => {
      document = await new Document(DOCTYPE)
        .addIssuerNameSpace(NAMESPACE, {
          family_name: 'Möbius',
          given_name: 'Ada',
          birth_date: '1990-12-24',
          portrait: Buffer.from([0, 1, 254]),
        })
        .useDigestAlgorithm('SHA-512')
        .addValidityInfo({ signed: new Date(), validUntil: new Date(NOW.getTime() + DAY) })
        .addDeviceKeyInfo({ deviceKey: holder.publicJwk })
        .sign({
          issuerPrivateKey: { ...issuer.privateKey.export({ format: 'jwk' }), kid: 'issuer' },
          issuerCertificate: issuer.certificate.toString(),
          alg: 'ES256',
        })
    })

    it('as IssuerSigned', async () => {
      const verified = await verifyIssuerSigned(issuerSignedOf(document), trust())
      expect(verified.claims).toEqual({
        [NAMESPACE]: { family_name: 'Möbius', given_name: 'Ada', birth_date: '1990-12-24', portrait: 'AAH-' },
      })
      expect(verified.deviceKey).toEqual(holder.publicJwk)
    })

    it('as DeviceResponse', async () => {
      const path = `$['${NAMESPACE}']['family_name']`
      const presentation = await DeviceResponse.from(new MDoc([document]))
        .usingPresentationDefinition({
          id: 'one',
          input_descriptors: [
            {
              id: DOCTYPE,
              format: { mso_mdoc: { alg: ['ES256'] } },
              constraints: { limit_disclosure: 'required', fields: [{ path: [path], intent_to_retain: false }] },
            },
          ],
        })
        .usingSessionTranscriptBytes(transcriptBytesOf(transcript))
        .authenticateWithSignature({ ...devicePrivate, kid: 'device' }, 'ES256')
        .sign()
      const response = Buffer.from(presentation.encode()).toString('base64url')
      const verified = await verifyDeviceResponse(response, { ...trust(), sessionTranscript: transcript })
      expect(verified).toMatchObject({ doctype: DOCTYPE, claims: { [NAMESPACE]: { family_name: 'Möbius' } } })
      const elsewhere = redirectTranscript({ clientId: 'other', nonce: 'n-1', responseUri: 'https://v.example' })
      await expect(verifyDeviceResponse(response, { ...trust(), sessionTranscript: elsewhere })).rejects.toThrow(
        'Device signature is invalid.',
      )
    })
  })
})

describe('@owf/mdoc, the library of Credo', () => {
  it('verifies documents and presentations of this service, makes the same transcript, and makes presentations that this service verifies', async () => {
    const request = { clientId: 'x509_san_dns:v.example', nonce: 'n-1', responseUri: 'https://v.example' }
    const issuedAt = new Date(NOW.getTime() - 3_600_000)
    const issuerSigned = await issue(issuer, holder, { issuedAt, expiresAt: new Date(NOW.getTime() + DAY) })
    const disclose = [
      [NAMESPACE, 'birth_date'],
      [NAMESPACE, 'driving_privileges'],
      [MORE, 'organ_donor'],
    ] as const
    const deviceResponse = await presentMdoc({ issuerSigned, disclose, sessionTranscript: transcript, signer: holder })
    const trust = { root: authority.certificate.raw, now: NOW }
    const paths = [
      [NAMESPACE, 'portrait'],
      [NAMESPACE, 'issue_date'],
    ] as const
    const answer = await owf(request, {
      verify: { deviceResponse, ...trust },
      hold: { issuerSigned, devicePrivate, doctype: DOCTYPE, paths, ...trust },
    })
    expect(Buffer.from(answer.transcript)).toEqual(Buffer.from(transcript))
    const options = { ...trusting(authority, new Date()), sessionTranscript: transcript }
    const { claims } = await verifyDeviceResponse(answer.presented, options)
    expect(claims).toEqual({ [NAMESPACE]: { portrait: 'AAH-_w', issue_date: '2026-01-02T03:04:05Z' } })
  })
})
