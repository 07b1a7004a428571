import { describe, expect, it } from 'vitest'
import type { WalletOffering } from '../../../server/issuer/openid4vci/offer-store.js'
import { createWalletOffers } from '../../../server/issuer/openid4vci/wallet-offers.js'
import { NOW, storedSession, walletOffering } from './offering-fakes.js'

/**
 * Makes `handOut` with a store that finds the given offering, or no offering. Also returns the recorded calls of the
 * store.
 */
function offersWith(found: WalletOffering | undefined, issuerProfile: 'final' | 'haip' = 'final') {
  const asked: unknown[] = []
  const { handOut } = createWalletOffers({
    store: {
      fetchedOffering: async (...args) => {
        asked.push(['fetched', ...args])
        return found
      },
      offering: async (...args) => {
        asked.push(['looked at', ...args])
        return found
      },
    },
    config: { issuerProfile },
    seals: { openOfferName: (name) => ({ offeringId: name, linkNumber: 0 }) },
    objectOf: ({ offeringId }) => ({ of: offeringId }),
    clock: () => NOW,
  })
  return { handOut, asked }
}

const later = new Date(NOW.getTime() + 1)

describe('an offer that is read', () => {
  it('by a wallet changes its session; by a viewer it does not', async () => {
    const { handOut, asked } = offersWith(walletOffering({ session: storedSession({ state: 'Created' }) }))
    expect(await handOut('offer', true)).toEqual({ of: 'offer' })
    expect(await handOut('offer', false)).toEqual({ of: 'offer' })
    expect(asked).toEqual([
      ['fetched', { offeringId: 'offer', linkNumber: 0 }, true, NOW],
      ['looked at', 'offer'],
    ])
  })

  it('with an unknown id is a 404', async () => {
    const { handOut } = offersWith(undefined)
    await expect(handOut('offer', true)).rejects.toEqual(
      expect.objectContaining({ error: 'invalid_request', status: 404 }),
    )
  })

  it.each([
    ['has been used up', { redemptionLimit: 2, redemptionCount: 2 }, /used up/],
    ['expires at this moment', { expiresAt: NOW }, /has expired/],
    ['has ended', { session: storedSession({ state: 'Error' }) }, /has ended/],
    ['is locked, whatever else', { session: storedSession({ txCodeAttempts: 5 }), expiresAt: NOW }, /is locked/],
  ] as const)('is refused if it %s', async (_, offering, message) => {
    const { handOut } = offersWith(walletOffering(offering))
    await expect(handOut('offer', true)).rejects.toThrow(message)
  })

  it('is open until its last millisecond and its last redemption', async () => {
    const { handOut } = offersWith(walletOffering({ redemptionLimit: 2, redemptionCount: 1, expiresAt: later }))
    expect(await handOut('offer', true)).toEqual({ of: 'offer' })
  })

  it.each([
    ['everything here', 'haip', 'final'],
    ['the offer', 'final', 'haip'],
  ] as const)('has no pre-authorized code if HAIP is the profile of %s', async (_, ofAll, profile) => {
    const session = storedSession()
    const { handOut, asked } = offersWith(walletOffering({ profile, session }), ofAll)
    await expect(handOut('offer', true)).rejects.toThrow('Pre-authorized codes are no longer given here.')
    expect(asked).toEqual([['fetched', { offeringId: 'offer', linkNumber: 0 }, ofAll === 'final', NOW]])
    const grant = 'authorization_code'
    expect(await offersWith(walletOffering({ profile, session, grant }), ofAll).handOut('offer', true)).toBeTruthy()
    // In an offering without a session, the creator has not chosen a grant.
    expect(await offersWith(walletOffering({ profile }), ofAll).handOut('offer', true)).toBeTruthy()
  })
})
