import { describe, expect, it } from 'vitest'
import { final } from '../../../../server/issuer/openid4vci/profiles/final.js'

const { credentialRequest, credentialResponse } = final

describe('the one proof of a wallet that has not left the drafts (draft 15 §8.2, draft 13 §7.2)', () => {
  const request = { credential_configuration_id: 'A', proof: { proof_type: 'jwt', jwt: 'a.b.c' } }

  it('is one of the proofs of its type', () => {
    expect(credentialRequest(request)).toEqual({ credential_configuration_id: 'A', proofs: { jwt: ['a.b.c'] } })
    const attested = { ...request, proof: { proof_type: 'attestation', attestation: 'a.b.c' } }
    expect(credentialRequest(attested)).toMatchObject({ proofs: { attestation: ['a.b.c'] } })
  })

  it('is answered with one credential beside the list', () => {
    const response = { credentials: [{ credential: 'x' }], notification_id: 'n' }
    expect(credentialResponse(response, request)).toEqual({ credential: 'x', ...response })
    expect(credentialResponse(response, { credential_configuration_id: 'A', proofs: {} })).toEqual(response)
    expect(credentialResponse({ transaction_id: 't', interval: 5 }, request)).toEqual({
      transaction_id: 't',
      interval: 5,
    })
  })

  it.each([
    ['a.b.c', 'proof must be an object.'],
    [null, 'proof must be an object.'],
    [{ jwt: 'a.b.c' }, 'proof must have a proof_type.'],
  ])('cannot be %j', (proof, message) => {
    expect(() => credentialRequest({ proof })).toThrow(expect.objectContaining({ error: 'invalid_proof', message }))
  })

  it('cannot come beside proofs', () => {
    expect(() => credentialRequest({ ...request, proofs: { jwt: ['a.b.c'] } })).toThrow(
      expect.objectContaining({ error: 'invalid_proof', message: 'proofs and proof must not be sent together.' }),
    )
  })
})
