import { expect, it } from 'vitest'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { AttestationError, attesterOf } from '../../../server/protocol/openid4vci/attester.js'
import { makeCertificate } from '../issuer-keys/certificates.js'

const until = '2027-01-01T00:00:00Z'
const root = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, notAfter: '2099-12-31T00:00:00Z' })
const leaf = makeCertificate({ subject: 'Provider', issuer: root, keyUsage: 0x80, notAfter: until })
const trust = { trustAnchors: [root.certificate], providers: [] }
const keyAt = (time: string, x5c: unknown = [leaf.x5c], by = trust) => attesterOf({ x5c }, {}, by, new Date(time)).jwk

it('a chain that was verified before is still refused after it has expired, or if its anchor is not trusted', () => {
  const good = '2026-12-31T23:00:00Z'
  expect(keyAt(good)).toEqual(leaf.certificate.publicKey.export({ format: 'jwk' }))
  expect(keyAt(good)).toEqual(keyAt(good))
  expect(() => keyAt('2027-01-01T00:01:00Z')).toThrow(AttestationError)
  expect(() => keyAt('2024-12-31T00:00:00Z')).toThrow(AttestationError)
  expect(() => keyAt(good, [leaf.x5c], { trustAnchors: [], providers: [] })).toThrow(AttestationError)
  expect(() => keyAt(good, [[leaf.x5c]])).toThrow(AttestationError)
  expect(() => keyAt(good, [leaf.x5c, root.x5c])).toThrow('holds a trust anchor, which must be left out')
})

it('a key needs a kid: a provider key without a kid does not verify an attestation without a kid (RFC 7515 §4.1.4)', async () => {
  const { publicJwk } = await generateKeyPair('ES256')
  const provider = (kid?: string) => ({
    trustAnchors: [],
    providers: [{ clientId: 'wallet', iss: 'https://provider.example', keys: [{ ...publicJwk, ...(kid && { kid }) }] }],
  })
  const payload = { iss: 'https://provider.example' }
  expect(attesterOf({ kid: 'one' }, payload, provider('one'), new Date()).jwk).toEqual({ ...publicJwk, kid: 'one' })
  expect(() => attesterOf({}, payload, provider('one'), new Date())).toThrow(AttestationError)
  expect(() => attesterOf({}, payload, provider(), new Date())).toThrow(AttestationError)
})
