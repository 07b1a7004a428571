import { describe, expect, it } from 'vitest'
import { requestedProofs } from '../../../server/protocol/openid4vci/proofs.js'
import {
  zAuthorizationDetails,
  zCredentialRequest,
  zNotificationRequest,
} from '../../../server/protocol/openid4vci/requests.js'

describe('the proofs of a credential request (OpenID4VCI 1.0 §8.2)', () => {
  it('are the array in the only member jwt', () => {
    expect(requestedProofs({ proofs: { jwt: ['a.b.c', 'd.e.f'] } })).toEqual({ type: 'jwt', jwts: ['a.b.c', 'd.e.f'] })
  })

  it('are one key attestation in the only member attestation (Appendix F)', () => {
    const read = requestedProofs({ proofs: { attestation: ['a.b.c'] } })
    expect(read).toEqual({ type: 'attestation', jwts: ['a.b.c'] })
  })

  it('may be at most batch_size proofs', () => {
    const jwt = Array.from({ length: 20 }, () => 'a.b.c')
    expect(requestedProofs({ proofs: { jwt } }).jwts).toHaveLength(20)
    expect(() => requestedProofs({ proofs: { jwt: [...jwt, 'a.b.c'] } })).toThrow(
      'proofs.jwt must hold at most 20 key proofs.',
    )
  })

  // §8.3.1.2: the proofs parameter is invalid if it is missing, or if one of its proofs is invalid.
  it.each([
    [{}, 'proofs is missing: prove the key that the credential is to be bound to.'],
    [{ proofs: null }, 'proofs must be an object.'],
    [{ proofs: ['a.b.c'] }, 'proofs must be an object.'],
    [{ proofs: 'a.b.c' }, 'proofs must be an object.'],
    [{ proofs: {} }, 'proofs must have exactly one member, named after the proof type.'],
    [{ proofs: { jwt: ['a.b.c'], di_vp: [{}] } }, 'proofs must have exactly one member, named after the proof type.'],
    [
      { proofs: { attestation: ['a.b.c', 'd.e.f'] } },
      'proofs.attestation must be an array of exactly one key attestation.',
    ],
    [{ proofs: { attestation: [] } }, 'proofs.attestation must be an array of exactly one key attestation.'],
    [{ proofs: { attestation: 'a.b.c' } }, 'proofs.attestation must be an array of exactly one key attestation.'],
    [{ proofs: { attestation: [7] } }, 'proofs.attestation must be an array of exactly one key attestation.'],
    [{ proofs: { di_vp: [{}] } }, 'The proof type is not supported; use jwt.'],
    [{ proofs: { jwt: [] } }, 'proofs.jwt must be a non-empty array of JWTs.'],
    [{ proofs: { jwt: 'a.b.c' } }, 'proofs.jwt must be a non-empty array of JWTs.'],
    [{ proofs: { jwt: [7] } }, 'A key proof of type jwt is a string.'],
  ])('%j is invalid_proof', (request, message) => {
    expect(() => requestedProofs(request)).toThrow(expect.objectContaining({ error: 'invalid_proof', message }))
  })
})

describe('the schemas of the requests', () => {
  it('ignore unknown parameters (§8.2, §11.1)', () => {
    const request = { credential_configuration_id: 'A', issuer_state: 'x', unknown: { deep: 1 } }
    expect(zCredentialRequest.parse(request)).toEqual({ credential_configuration_id: 'A' })
    const notification = { notification_id: 'n', event: 'credential_accepted' }
    expect(zNotificationRequest.parse({ ...notification, unknown: 1 })).toEqual(notification)
  })

  it.each([[{}], [{ credential_identifier: 'A', credential_configuration_id: 'A' }]])(
    'a credential request names exactly one of identifier and configuration: not %j (§8.2)',
    (request) => {
      expect(zCredentialRequest.safeParse(request).error?.issues[0]?.message).toBe(
        'needs exactly one of credential_identifier and credential_configuration_id',
      )
    },
  )

  it('an event of a notification is one of three, in lower case (§11.1)', () => {
    expect(zNotificationRequest.safeParse({ notification_id: 'n', event: 'Credential_Accepted' }).success).toBe(false)
  })

  it('authorization_details are a non-empty array with only openid_credential (RFC 9396 §5)', () => {
    expect(zAuthorizationDetails.safeParse([]).success).toBe(false)
    const detail = { type: 'openid_credential', credential_configuration_id: 'A' }
    expect(zAuthorizationDetails.safeParse([detail, { type: 'payment' }]).success).toBe(false)
    expect(zAuthorizationDetails.parse([{ ...detail, claims: [] }])).toEqual([detail])
    expect(zAuthorizationDetails.safeParse(Array(20).fill(detail)).success).toBe(true)
    expect(zAuthorizationDetails.safeParse(Array(21).fill(detail)).success).toBe(false)
    const located = (count: number) => [{ ...detail, locations: Array(count).fill('https://issuer.example') }]
    expect(zAuthorizationDetails.safeParse(located(20)).success).toBe(true)
    expect(zAuthorizationDetails.safeParse(located(21)).success).toBe(false)
  })
})
