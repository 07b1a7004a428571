import { describe, expect, it } from 'vitest'
import {
  EXPIRED_MESSAGE,
  isFinal,
  requestExpired,
  requestRetrieved,
  responseFailed,
  responseVerified,
  SESSION_STATES,
  type Session,
  type SessionState,
  viewOf,
} from '../../../server/verifier/sessions/session.js'

const FAILED = responseFailed('Credential has been revoked.')

/** For each state, the states that may follow: the transitions of the interface, and the expiry. */
const TABLE: Record<SessionState, [string, SessionState][]> = {
  RequestCreated: [
    ['retrieved', 'RequestUriRetrieved'],
    ['expired', 'Error'],
  ],
  RequestUriRetrieved: [
    ['verified', 'ResponseVerified'],
    ['failed', 'Error'],
    ['expired', 'Error'],
  ],
  ResponseVerified: [],
  Error: [],
}
const TRANSITIONS = { retrieved: requestRetrieved, verified: responseVerified, failed: FAILED, expired: requestExpired }

describe('states of a verification session', () => {
  it.each(SESSION_STATES)('%s allows exactly the transitions of the interface', (state) => {
    const admitted = Object.entries(TRANSITIONS).flatMap(([name, transition]) => {
      return transition.from.includes(state) ? [[name, transition.to]] : []
    })
    expect(admitted).toEqual(TABLE[state])
  })

  it('are final if no transition leads to another state', () => {
    expect(SESSION_STATES.filter(isFinal)).toEqual(SESSION_STATES.filter((state) => TABLE[state].length === 0))
  })

  it('have an errorMessage only in Error', () => {
    for (const { to, errorMessage } of Object.values(TRANSITIONS)) {
      expect(errorMessage !== undefined).toBe(to === 'Error')
    }
    expect([FAILED.errorMessage, requestExpired.errorMessage]).toEqual([
      'Credential has been revoked.',
      EXPIRED_MESSAGE,
    ])
  })
})

describe('the view of a session', () => {
  const session: Session = {
    id: 's-1',
    requestId: 'r-1',
    qrCodeId: 'q-1',
    verifierId: 'did:web:verifier.example',
    clientId: 'decentralized_identifier:did:web:verifier.example',
    furtherClientIds: null,
    keyId: 'k-1',
    kid: 'did:web:verifier.example#1',
    state: 'RequestUriRetrieved',
    errorMessage: null,
    responseMode: 'direct_post.jwt',
    expectedOrigins: null,
    profile: 'final',
    secrets: 'secret',
    dcqlQuery: { credentials: [] },
    vpQuery: null,
    trustedIssuers: null,
    redirectUri: 'https://shop.example/done',
    requireResponseCode: false,
    evidenceSeconds: null,
    x5c: null,
    verifierAttestation: null,
    verifierInfo: null,
    transactionData: null,
    walletUrl: null,
    createdBy: 'alice',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    expiresAt: new Date('2026-01-01T00:05:00Z'),
  }
  const address = 'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example'

  it('has the members of the interface and no secret', () => {
    expect(viewOf(session, address)).toEqual({
      id: 's-1',
      verifierId: 'did:web:verifier.example',
      state: 'RequestUriRetrieved',
      authorizationRequestId: 'r-1',
      authorizationRequestUri: address,
      authorizationResponseRedirectUri: 'https://shop.example/done',
      expiresAt: '2026-01-01T00:05:00.000Z',
    })
  })
})
