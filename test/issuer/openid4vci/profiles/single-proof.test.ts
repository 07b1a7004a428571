import { describe, expect, it } from 'vitest'
import { singleCredential, withProofs } from '../../../../server/issuer/openid4vci/profiles/single-proof.js'

describe('the single proof of a wallet of drafts (draft 15 §8.2, draft 13 §7.2)', () => {
  const request = { credential_configuration_id: 'A', proof: { proof_type: 'jwt', jwt: 'a.b.c' } }

  it('counts like one of the proofs of its type', () => {
    expect(withProofs(request)).toEqual({ credential_configuration_id: 'A', proofs: { jwt: ['a.b.c'] } })
    const attested = { ...request, proof: { proof_type: 'attestation', attestation: 'a.b.c' } }
    expect(withProofs(attested)).toMatchObject({ proofs: { attestation: ['a.b.c'] } })
  })

  it('is answered with one credential', () => {
    const response = { credentials: [{ credential: 'x' }], notification_id: 'n' }
    expect(singleCredential(response, request)).toEqual({ credential: 'x' })
    expect(singleCredential(response, { credential_configuration_id: 'A', proofs: {} })).toEqual({})
    expect(singleCredential({ transaction_id: 't', interval: 5 }, request)).toEqual({})
  })

  it.each([
    ['a.b.c', 'proof must be an object.'],
    [null, 'proof must be an object.'],
    [{ jwt: 'a.b.c' }, 'proof must have a proof_type.'],
  ])('cannot be %j', (proof, message) => {
    expect(() => withProofs({ proof })).toThrow(expect.objectContaining({ error: 'invalid_proof', message }))
  })

  it('cannot be sent together with proofs', () => {
    expect(() => withProofs({ ...request, proofs: { jwt: ['a.b.c'] } })).toThrow(
      expect.objectContaining({ error: 'invalid_proof', message: 'proofs and proof must not be sent together.' }),
    )
  })
})
