import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { DidResolutionError } from '../../../server/protocol/did/did-resolution-error.js'
import { SIGNATURE_ALGORITHMS } from '../../../server/protocol/jose/algorithms.js'
import type { Jwk } from '../../../server/protocol/jose/jws.js'
import { type KeyProofOptions, verifyKeyProof } from '../../../server/protocol/openid4vci/key-proof.js'
import { newWallet, type ProofChanges, type WalletActor } from '../../support/wallet-actor.js'

const ISSUER = 'https://issuer.example/tenant'
const NONCE = 'a-nonce-of-the-issuer'
const now = new Date('2026-03-01T12:00:00Z')
const seconds = now.getTime() / 1000
const nonceMadeAt = new Date((seconds - 100) * 1000)

let wallet: WalletActor

beforeAll(async () => {
  wallet = await newWallet()
})

const options = (changes: Partial<KeyProofOptions> = {}): KeyProofOptions => ({
  audience: ISSUER,
  now,
  algorithms: SIGNATURE_ALGORITHMS,
  nonceIssuedAt: (nonce) => (nonce === NONCE ? nonceMadeAt : undefined),
  resolveKey: async (kid) => {
    if (kid === wallet.kid || kid === wallet.did) return { id: wallet.kid, jwk: wallet.publicJwk }
    throw new DidResolutionError('its DID does not list it for authentication.')
  },
  ...changes,
})

const atNow = (changes: ProofChanges = {}): ProofChanges => ({
  ...changes,
  payload: { iat: seconds, ...changes.payload },
})
const proof = (changes?: ProofChanges) => wallet.proof(ISSUER, NONCE, atNow(changes))
const refused = (error: string, message: string) => expect.objectContaining({ error, message })

describe('a key proof of type jwt (OpenID4VCI 1.0 Appendix F.1)', () => {
  it('proves a key that the header contains as jwk; its DID is the did:jwk', async () => {
    expect(await verifyKeyProof(await proof(), options())).toEqual({
      key: { jwk: wallet.publicJwk, did: wallet.did },
      nonce: NONCE,
    })
  })

  it('proves a key by the DID URL in kid', async () => {
    expect(await verifyKeyProof(await wallet.proofByDid(ISSUER, NONCE, atNow()), options())).toEqual({
      key: { jwk: wallet.publicJwk, did: wallet.did, kid: wallet.kid },
      nonce: NONCE,
    })
  })

  it('proves the only key of a DID if kid is the DID without a fragment', async () => {
    const signed = await wallet.proofByDid(ISSUER, NONCE, atNow({ header: { kid: wallet.did } }))
    expect(await verifyKeyProof(signed, options())).toMatchObject({ key: { did: wallet.did, kid: wallet.kid } })
  })

  it('does not accept a key by its name in the document if this name belongs to another DID', async () => {
    const victim = await newWallet()
    const signed = await wallet.proofByDid(ISSUER, NONCE, atNow({ header: { kid: wallet.did } }))
    const resolveKey = async () => ({ id: victim.kid, jwk: wallet.publicJwk })
    await expect(verifyKeyProof(signed, options({ resolveKey }))).rejects.toEqual(
      refused(
        'invalid_proof',
        'The key that the kid of the proof names cannot be resolved: its verification method bears the name of another DID.',
      ),
    )
  })

  it.each(SIGNATURE_ALGORITHMS)('may be signed with %s', async (alg) => {
    const other = await newWallet(alg)
    const signed = await other.proof(ISSUER, NONCE, atNow())
    expect((await verifyKeyProof(signed, options())).key.did).toBe(other.did)
  })

  it('may have claims and header members that were not requested', async () => {
    const signed = await proof({ header: { key_attestation: 'x' }, payload: { iss: 'client', jti: '1' } })
    expect((await verifyKeyProof(signed, options())).key.did).toBe(wallet.did)
  })
})

describe('attacks on a key proof (Appendix F.4)', () => {
  it.each<[string, ProofChanges, string]>([
    ['without typ', { header: { typ: undefined } }, 'The typ of the proof must be openid4vci-proof+jwt.'],
    ['another typ', { header: { typ: 'JWT' } }, 'The typ of the proof must be openid4vci-proof+jwt.'],
    ['no key', { header: { jwk: undefined } }, 'The proof names no key: kid or jwk is missing in its header.'],
    ['two keys', { header: { kid: 'did:example:1#0' } }, 'The proof names several keys: its header has kid and jwk.'],
    [
      'x5c',
      { header: { jwk: undefined, x5c: ['MIIB'] } },
      'The proof names its key by x5c, which is not supported; use jwk or the kid of a DID.',
    ],
    ['a jwk that is none', { header: { jwk: 'key' } }, 'The jwk of the proof is not an object.'],
    [
      'a jwk of an unknown type',
      { header: { jwk: { kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' } } },
      'The jwk of the proof is not a supported public key.',
    ],
    [
      'a symmetric key',
      { header: { jwk: { kty: 'oct', k: 'AA' } } },
      'The jwk of the proof holds a private or symmetric key.',
    ],
    [
      'a kid that is no DID URL',
      { header: { jwk: undefined, kid: 'key-1' } },
      'The kid of the proof is not a DID URL.',
    ],
    [
      'a kid whose DID does not list it',
      { header: { jwk: undefined, kid: 'did:example:1#0' } },
      'The key that the kid of the proof names cannot be resolved: its DID does not list it for authentication.',
    ],
    ['another aud', { payload: { aud: 'https://issuer.example' } }, audienceText()],
    ['no aud', { payload: { aud: undefined } }, audienceText()],
    ['several auds', { payload: { aud: [ISSUER, 'https://other.example'] } }, audienceText()],
    ['no nonce', { payload: { nonce: undefined } }, 'The proof has no nonce: get one from the nonce endpoint.'],
    ['no iat', { payload: { iat: undefined } }, 'The proof has no iat.'],
    ['an iat that is text', { payload: { iat: '1' } }, 'The proof has no iat.'],
    ['a future iat', { payload: { iat: seconds + 61 } }, 'The proof was made in the future: check iat and the clock.'],
    ['an iat before its nonce', { payload: { iat: seconds - 221 } }, 'The proof is older than its nonce.'],
    ['a past exp', { payload: { exp: seconds - 60 } }, 'The proof has expired.'],
    ['a future nbf', { payload: { nbf: seconds + 61 } }, 'The proof is not valid yet.'],
    [
      'a critical extension',
      { header: { crit: ['b64'] } },
      'The proof is not a well-formed JWT: The JWT header has critical extensions that are not supported.',
    ],
  ])('%s', async (_, changes, message) => {
    await expect(verifyKeyProof(await proof(changes), options())).rejects.toEqual(refused('invalid_proof', message))
  })

  it('a private key in its header', async () => {
    const signed = await proof({ header: { jwk: wallet.privateJwk } })
    await expect(verifyKeyProof(signed, options())).rejects.toEqual(
      refused('invalid_proof', 'The jwk of the proof holds a private or symmetric key.'),
    )
  })

  it('a nonce of another server or an expired nonce, with the code that makes a wallet fetch a new nonce (§8.3.1.2)', async () => {
    await expect(verifyKeyProof(await proof({ payload: { nonce: 'other' } }), options())).rejects.toEqual(
      refused('invalid_nonce', 'The nonce of the proof is unknown or has expired.'),
    )
  })

  it('the signature of another key', async () => {
    const signed = await proof({ header: { jwk: (await newWallet()).publicJwk } })
    await expect(verifyKeyProof(signed, options())).rejects.toEqual(
      refused('invalid_proof', 'The signature of the proof cannot be accepted: The signature is not valid.'),
    )
  })

  const forged = (alg: string, sign: (input: string) => string) => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = encode({ typ: 'openid4vci-proof+jwt', alg, jwk: wallet.publicJwk })
    const input = `${header}.${encode({ aud: ISSUER, iat: seconds, nonce: NONCE })}`
    return `${input}.${sign(input)}`
  }
  const wrongAlgorithm = `The alg of the proof must be one of ${SIGNATURE_ALGORITHMS.join(', ')}.`

  it('alg none', async () => {
    await expect(
      verifyKeyProof(
        forged('none', () => ''),
        options(),
      ),
    ).rejects.toEqual(refused('invalid_proof', wrongAlgorithm))
  })

  it('an HMAC with the public key', async () => {
    const key = JSON.stringify(wallet.publicJwk)
    const hmac = forged('HS256', (input) => createHmac('sha256', key).update(input).digest('base64url'))
    await expect(verifyKeyProof(hmac, options())).rejects.toEqual(refused('invalid_proof', wrongAlgorithm))
  })

  it('an algorithm that its key does not support', async () => {
    const signed = forged('EdDSA', () => Buffer.alloc(64).toString('base64url'))
    await expect(verifyKeyProof(signed, options())).rejects.toEqual(
      refused(
        'invalid_proof',
        'The signature of the proof cannot be accepted: Signature algorithm EdDSA does not fit the key.',
      ),
    )
  })

  it.each(['', 'a.b', 'a.b.c', 'x'.repeat(300_000)])('a text that is not a JWT', async (text) => {
    await expect(verifyKeyProof(text, options())).rejects.toMatchObject({ error: 'invalid_proof' })
  })

  it('no DID is resolved for a wallet without a fresh nonce', async () => {
    const looked: string[] = []
    const resolveKey = async (kid: string): Promise<{ id: string; jwk: Jwk }> => {
      looked.push(kid)
      return { id: kid, jwk: wallet.publicJwk }
    }
    const signed = await wallet.proofByDid(ISSUER, 'stale', atNow())
    await expect(verifyKeyProof(signed, options({ resolveKey }))).rejects.toMatchObject({ error: 'invalid_nonce' })
    expect(looked).toEqual([])
  })

  it('a fault of the service is not reported as a wrong proof', async () => {
    const fault = new Error('database away')
    const signed = await wallet.proofByDid(ISSUER, NONCE, atNow())
    await expect(verifyKeyProof(signed, options({ resolveKey: () => Promise.reject(fault) }))).rejects.toBe(fault)
  })
})

describe('leeway of 60 seconds between the clocks, 120 before the nonce', () => {
  it.each([
    ['iat', { iat: seconds + 60 }],
    ['an iat before its nonce', { iat: seconds - 220 }],
    ['exp', { exp: seconds - 59 }],
    ['nbf', { nbf: seconds + 60 }],
  ])('%s', async (_, payload) => {
    expect((await verifyKeyProof(await proof({ payload }), options())).key.did).toBe(wallet.did)
  })
})

function audienceText(): string {
  return 'The aud of the proof must be the credential issuer identifier.'
}
