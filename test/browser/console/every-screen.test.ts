import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, settled, startOpenService, watchedPage } from './actors.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espressomaschine', merchant: 'Eckladen', purchaseDate: '2026-03-01' }
const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]
const DESK = { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } as const
const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'light' } as const

/** The screens of sessions, offers, requests and credentials. They call each thing by a name. */
const NAMING = [
  '/',
  '/sessions',
  '/offers',
  '/offers/$id',
  '/requests',
  '/requests/$id',
  '/credentials',
  '/credentials/$id',
]

/** Titles, cells, links and labels of a screen that contain an id or its beginning. */
const idsIn = async (page: Page): Promise<readonly string[]> => {
  const texts = await page.locator('h1, h2, h3, th, td, a, label, summary').allInnerTexts()
  return texts.filter((text) => /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/.test(text))
}

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
  const batch = await desk.service.request('POST', '/api/v1/credential-offers/batch', {
    body: { batch: { name: 'Winter' }, rows: [{ ...offer, key: 'M-1' }] },
  })
  const wallet = await newWallet(desk.service)
  expect((await wallet.process(taken.credentialOfferUri)).status).toBe(200)
  const waiting = await post('/credential-offers', { ...offer, deferred: true })
  expect((await wallet.process(waiting.credentialOfferUri)).status).toBe(200)
  await post('/api/v1/verifier/vp-queries', { query: QUERY })
  const asked = await post('/authorization-requests', { query: QUERY })
  expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
  await post('/authorization-requests', { query: QUERY })
  const refused = await post('/authorization-requests', { query: QUERY, trustedIssuers: ['did:web:elsewhere.example'] })
  await wallet.process(refused.authorizationRequestUri)
  await query(desk.service.databaseUrl, 'UPDATE verification_sessions SET created_by = $1 WHERE id = $2', [
    crypto.randomUUID(),
    refused.verificationSessionId,
  ])
  const issuer = await post('/agent/issuer', { method: 'key', display: [{ name: 'Eckladen' }] })
  const verifier = await post('/agent/verifier', { method: 'key', display: [{ name: 'Garantie' }] })
  await post('/api/v1/trusted-issuers', { issuer: 'https://university.example', note: 'Diplome' })
  const credentials = await desk.service.request('GET', '/api/v1/credentials')
  const job = await desk.service.request('POST', '/api/v1/credential-status-jobs', {
    body: { action: 'revoke', filter: { ids: [crypto.randomUUID()] } },
  })
  const webhook = await post('/api/v1/webhooks', {
    url: 'http://127.0.0.1:9/webhooks',
    events: ['*'],
    description: 'Laden',
  })
  await desk.service.request('POST', `/api/v1/webhooks/${webhook.id}/test`, { body: {} })
  const list = await post('/api/v1/trust-lists', {
    url: 'http://127.0.0.1:9/list.jwt',
    kind: 'lote',
    purpose: 'credentials',
    types: ['https://club.example/membership', 'org.iso.18013.5.1.mDL', 'urn:eudi:pid:1'],
    signer: { sha256: 'ab'.repeat(32) },
    note: 'Personalausweise',
  })
  const holders = await desk.service.request('GET', '/agent/holders')
  const [held] = (await wallet.get('/credentials')).json
  return {
    '/types/$name': '/types/ProofOfPurchase',
    '/types/$name/edit': '/types/ProofOfPurchase/edit',
    '/offers/batches/$id': `/offers/batches/${batch.json.batchId}`,
    '/offers/$id': `/offers/${taken.credentialOfferSessionId}`,
    '/requests/$id': `/requests/${asked.verificationSessionId}`,
    '/credentials/jobs/$id': `/credentials/jobs/${job.json.id}`,
    '/credentials/$id': `/credentials/${credentials.json.items[0].id}`,
    '/wallets/$id': `/wallets/${holders.json[0].id}`,
    '/wallets/$id/credentials/$credentialId': `/wallets/${wallet.id}/credentials/${held.id}`,
    '/trust/issuers/$id': `/trust/issuers/${issuer.id}`,
    '/trust/verifiers/$id': `/trust/verifiers/${verifier.id}`,
    '/trust/lists/$id': `/trust/lists/${list.id}`,
    '/webhooks/$id': `/webhooks/${webhook.id}`,
  }
}

let addresses: Readonly<Record<string, string>>
beforeAll(async () => {
  addresses = await prepared()
})

it.each([
  ['a phone', PHONE],
  ['a desktop', DESK],
] as const)(
  'every screen works in German on %s: no serious axe finding, nothing wider than the page, no complaint',
  async (_, screen) => {
    const router = readFileSync('client/console/router.ts', 'utf8')
    const paths = [...router.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(20)
    const context = await desk.browser.newContext({ ...screen, locale: 'de-DE' })
    const { page, complaints } = await watchedPage(context)
    for (const path of paths) {
      const address = addresses[path] ?? path
      expect(address, `${path} needs an id`).not.toContain('$')
      await page.goto(`${desk.service.url}/console${address}`)
      await settled(page)
      if (NAMING.includes(path)) expect(await idsIn(page), address).toEqual([])
      await assertGood(page, `de-${screen.viewport.width}${address.replaceAll('/', '-').slice(0, 40)}`, 'de')
    }
    expect(complaints).toEqual([])
    await context.close()
  },
)
