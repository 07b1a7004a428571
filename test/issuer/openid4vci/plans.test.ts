import { expect, it } from 'vitest'
import { plannedAnew, recordPlans } from '../../support/plans.js'
import { newWallet } from '../../support/wallet-actor.js'
import { SD_JWT, startIssuer } from './actors.js'

it('no statement of an issuance is planned again each time', async () => {
  // There is only one connection, so it executes each statement at every issuance.
  const issuer = await startIssuer({ maintenance: false, poolSize: 1 })
  const plans = recordPlans()
  try {
    const wallet = await newWallet()
    for (let count = 0; count < 12; count += 1) {
      const { credentialOfferUri } = await issuer.makeOffer({ credentialConfigurationIds: [SD_JWT] })
      const reference = new URL(credentialOfferUri).searchParams.get('credential_offer_uri') ?? ''
      const path = new URL(reference).pathname
      await issuer.service.request('GET', '/.well-known/openid-credential-issuer')
      const taken = await issuer.take(await issuer.token(path.split('/').at(-1) ?? ''), SD_JWT, wallet)
      expect(taken.status, taken.text).toBe(200)
    }
    const counts = await plans.read()
    expect(counts.filter(({ generic }) => generic > 0).length).toBeGreaterThan(5)
    expect(plannedAnew(counts)).toEqual([])
  } finally {
    plans.stop()
    await issuer.service.close()
  }
})
