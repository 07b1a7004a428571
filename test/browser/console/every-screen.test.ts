import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, settled, startOpenService, watchedPage } from './actors.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espressomaschine', merchant: 'Eckladen', purchaseDate: '2026-03-01' }
const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]
const DESK = { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } as const
const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'light' } as const

const desk = driven(() => startOpenService(LOOPBACK))

const post = async (path: string, body: unknown) => {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect(status, text).toBe(201)
  return json
}

/** Makes one record of each kind. Returns the ids for the addresses of screens. */
async function prepared(): Promise<Readonly<Record<string, string>>> {
  await post('/schemas', demonstration)
  const offer = { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT }
  const taken = await post('/credential-offers', offer)
  await post('/credential-offers', { ...offer, deferred: true })
  const wallet = await newWallet(desk.service)
  expect((await wallet.process(taken.credentialOfferUri)).status).toBe(200)
  await post('/api/v1/verifier/vp-queries', { query: QUERY })
  const asked = await post('/authorization-requests', { query: QUERY })
  expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
  await post('/authorization-requests', { query: QUERY })
  const issuer = await post('/agent/issuer', { method: 'key', display: [{ name: 'Eckladen' }] })
  const verifier = await post('/agent/verifier', { method: 'key', display: [{ name: 'Garantie' }] })
  await post('/api/v1/trusted-issuers', { issuer: 'https://university.example', note: 'Diplome' })
  const credentials = await desk.service.request('GET', '/api/v1/credentials')
  const holders = await desk.service.request('GET', '/agent/holders')
  return {
    '/types/$name': '/types/ProofOfPurchase',
    '/types/$name/edit': '/types/ProofOfPurchase/edit',
    '/offers/$id': `/offers/${taken.credentialOfferSessionId}`,
    '/requests/$id': `/requests/${asked.verificationSessionId}`,
    '/credentials/$id': `/credentials/${credentials.json.items[0].id}`,
    '/wallets/$id': `/wallets/${holders.json[0].id}`,
    '/trust/issuers/$id': `/trust/issuers/${issuer.id}`,
    '/trust/verifiers/$id': `/trust/verifiers/${verifier.id}`,
  }
}

it('every screen works in German on a phone and on a desktop: no serious axe finding, nothing wider than the page, no complaint', async () => {
  const router = readFileSync('client/console/router.ts', 'utf8')
  const paths = [...router.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(20)
  const addresses = await prepared()
  for (const screen of [PHONE, DESK]) {
    const context = await desk.browser.newContext({ ...screen, locale: 'de-DE' })
    const { page, complaints } = await watchedPage(context)
    for (const path of paths) {
      const address = addresses[path] ?? path
      expect(address, `${path} needs an id`).not.toContain('$')
      await page.goto(`${desk.service.url}/console${address}`)
      await settled(page)
      await assertGood(page, `de-${screen.viewport.width}${address.replaceAll('/', '-').slice(0, 40)}`, 'de')
    }
    expect(complaints).toEqual([])
    await context.close()
  }
})
