import { describe, expect, it } from 'vitest'
import {
  createClientAuthentication,
  type WalletClient,
} from '../../../server/issuer/openid4vci/client-authentication.js'
import type { DpopProof } from '../../../server/protocol/oauth/dpop.js'
import { Work } from '../../../server/protocol/work.js'
import { NOW } from './offering-fakes.js'

/** Client authentication of an installation that trusts no wallet provider. */
const withProfile = (issuerProfile: 'final' | 'haip') =>
  createClientAuthentication({
    config: {
      attestationTrust: { trustAnchors: [], providers: [] },
      issuerBaseUrl: 'https://issuer.example',
      issuerProfile,
    },
    seals: { attestationChallenge: () => 'fresh', isAttestationChallenge: () => false },
    statusesOf: () => {
      throw new Error('No attestation gets so far.')
    },
    clock: () => NOW,
  })

const attested: WalletClient = {
  clientId: 'wallet',
  instanceJkt: 'thumbprint',
  walletName: undefined,
  certified: true,
  challenged: true,
  statuses: [],
  proofs: [],
}
const dpop: DpopProof = { jkt: 'key', jtiHash: 'hash', expiresAt: NOW }
const haip = { profile: 'haip' } as const

describe('the sender of a request', () => {
  const { authenticate } = withProfile('final')
  const work = () => new Work(1_000)

  it.each([{}, { authorization: 'Bearer token' }, { authorization: 'DPoP token' }])(
    'with %o counts as a wallet without a proof',
    async (headers) => {
      expect(await authenticate(headers, { client_id: 'anybody' }, work())).toEqual({
        ...attested,
        clientId: undefined,
        instanceJkt: null,
        certified: false,
        challenged: false,
      })
    },
  )

  it.each<[string, Record<string, string>, Record<string, string>, Record<string, string>]>([
    ['an unknown scheme', { authorization: 'Basic YTpi' }, {}, { 'www-authenticate': 'Basic realm="token"' }],
    ['a secret', {}, { client_secret: 'secret' }, {}],
    ['an attestation without a proof', { 'oauth-client-attestation': 'a' }, {}, {}],
    ['a proof without an attestation', { 'oauth-client-attestation-pop': 'a' }, {}, {}],
    ['two attestations', { 'oauth-client-attestation': 'a, b', 'oauth-client-attestation-pop': 'c' }, {}, {}],
    [
      'an attestation, without trusted providers',
      { 'oauth-client-attestation': 'a', 'oauth-client-attestation-pop': 'b' },
      {},
      {},
    ],
  ])('with %s is refused', async (_, headers, parameters, answered) => {
    await expect(authenticate(headers, parameters, work())).rejects.toEqual(
      expect.objectContaining({ error: 'invalid_client', status: 401, headers: answered }),
    )
  })
})

describe('requirements of HAIP for a wallet (HAIP 1.0 §4)', () => {
  it.each([
    ['final', undefined],
    ['final', { profile: 'final' }],
  ] as const)('do not apply under the profile %s, with the offer %o', (profile, offer) => {
    const { assertTokenClient, assertWallet } = withProfile(profile)
    const unproven = { ...attested, instanceJkt: null }
    assertWallet(unproven, offer)
    assertTokenClient({ wallet: unproven, dpop: undefined }, offer)
  })

  describe.each([
    ['everything here', 'haip', undefined],
    ['all offers of this installation', 'haip', { profile: 'final' }],
    ['the offer', 'final', haip],
  ] as const)('apply if HAIP is the profile of %s', (_, profile, offer) => {
    const { assertTokenClient, assertWallet } = withProfile(profile)

    it('are met by an attested wallet with a bound token', () => {
      assertWallet(attested, offer)
      assertTokenClient({ wallet: attested, dpop }, offer)
    })

    it.each([
      ['an attestation', { ...attested, instanceJkt: null }, 'invalid_client'],
      ['the certificates of its provider', { ...attested, certified: false }, 'invalid_client'],
      ['a challenge of ours', { ...attested, challenged: false }, 'use_attestation_challenge'],
    ])('are not met without %s', (_lacking, wallet, error) => {
      const refusal = expect.objectContaining({ error, status: 401 })
      const thrownBy = (check: () => void) => {
        try {
          check()
          return undefined
        } catch (thrown) {
          return thrown
        }
      }
      expect(thrownBy(() => assertWallet(wallet, offer))).toEqual(refusal)
      expect(thrownBy(() => assertTokenClient({ wallet, dpop }, offer))).toEqual(refusal)
    })

    it('are not met by a token without a key', () => {
      expect(() => assertTokenClient({ wallet: attested, dpop: undefined }, offer)).toThrow('The DPoP proof is missing')
    })
  })

  it('a wallet without a challenge gets a fresh challenge', () => {
    const { assertWallet } = withProfile('haip')
    expect(() => assertWallet({ ...attested, challenged: false })).toThrow(
      expect.objectContaining({ headers: { 'OAuth-Client-Attestation-Challenge': 'fresh' } }),
    )
  })
})

it('no challenge is given if no provider is trusted', () => {
  expect(() => withProfile('final').challenge()).toThrow(expect.objectContaining({ status: 404 }))
})
