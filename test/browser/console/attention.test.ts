import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, onEveryScreen, startOpenService } from './actors.js'

const schema = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const offer = {
  credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'],
  credentialSubject: { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' },
}

const desk = driven(() => startOpenService(LOOPBACK))
let wallet: HostedWallet

/** Makes a deferred offer. A wallet has requested its credential and waits. */
async function waiting(members: object = {}): Promise<string> {
  const body = { ...offer, ...members, deferred: true }
  const { json } = await desk.service.request('POST', '/credential-offers', { body })
  expect((await wallet.process(json.credentialOfferUri)).json).toMatchObject({ deferred: 1 })
  return json.credentialOfferSessionId
}

const sessionOf = async (id: string) => (await desk.service.request('GET', `/credential-offer-sessions/${id}`)).json

describe('the console shows what needs attention', () => {
  beforeAll(async () => {
    expect((await desk.service.request('POST', '/schemas', { body: schema })).status).toBe(201)
    wallet = await newWallet(desk.service)
  })

  it('deferred offers whose wallets wait are listed, approved and rejected', async () => {
    // An offer without a name is called by its type, and told apart by its claims.
    const [approved, rejected] = [await waiting(), await waiting({ label: 'Ada Lovelace' })]
    const approval = 'Approve: Proof of purchase, Espresso machine, Corner Shop'
    await desk.opened('/offers', async (page) => {
      const table = page.getByRole('table', { name: 'Wallets that wait for your decision' })
      await table.getByRole('button', { name: approval }).click()
      await table.getByRole('button', { name: approval }).waitFor({ state: 'detached' })
      await assertGood(page, 'offers-waiting')
      await table.getByRole('button', { name: 'Reject: Ada Lovelace' }).click()
      // A rejection asks first.
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      await table.waitFor({ state: 'detached' })
    })
    expect(await sessionOf(approved)).toMatchObject({ deferred: 'approved' })
    expect(await sessionOf(rejected)).toMatchObject({ state: 'Error', deferred: 'rejected' })
  })

  it('the overview shows wallets that wait for a decision, and the latest failures, each with the failed check', async () => {
    await waiting()
    const taken = await desk.service.request('POST', '/credential-offers', { body: offer })
    expect((await wallet.process(taken.json.credentialOfferUri)).status).toBe(200)
    const claims = [{ path: ['productName'] }]
    const { json } = await desk.service.request('POST', '/authorization-requests', {
      body: {
        trustedIssuers: ['did:web:elsewhere.example'],
        dcqlQuery: {
          credentials: [
            {
              id: 'proof',
              format: 'dc+sd-jwt',
              meta: { vct_values: [`${desk.service.url}/vct/ProofOfPurchase`] },
              claims,
            },
          ],
        },
      },
    })
    await wallet.process(json.authorizationRequest ?? json.authorizationRequestUri)
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/`)
      const failed = page.getByRole('region', { name: 'What waits for you' })
      await failed.getByText('Trusted issuer').waitFor()
      await failed.getByRole('link', { name: '1 wallet waits for your decision.' }).waitFor()
      await failed.getByRole('link', { name: 'All failed sessions' }).waitFor()
      expect(await failed.getByRole('link', { name: 'Ada Lovelace' }).count()).toBe(1)
      expect(await failed.getByRole('link', { name: 'Request: productName · Proof of purchase' }).count()).toBe(1)
      await assertGood(page, `overview-failures-${name}`)
    })
  })
})
