import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, settled, startOpenService, watchedPage } from './actors.js'

const SUBJECT = { level: 'g', born: '1990-02-03', adult: true }

const TYPE = {
  name: 'Membership',
  version: 1,
  schema: {
    type: 'object',
    properties: {
      level: {
        type: 'string',
        title: 'Level',
        oneOf: [
          { const: 'g', title: 'Gold member' },
          { const: 's', title: 'Silver member' },
        ],
      },
      born: { type: 'string', format: 'date', title: 'Date of birth' },
      adult: { type: 'boolean', title: 'Adult' },
    },
    required: ['level'],
  },
  selectivelyDisclosable: [],
}

interface Place {
  readonly name: string
  readonly url: string
  readonly act?: (page: Page) => Promise<void>
}

const desk = driven(() => startOpenService(LOOPBACK))

let wallet: HostedWallet
let places: Readonly<Record<'held' | 'credential' | 'result' | 'verdict' | 'present' | 'receive', Place>>

const post = async (path: string, body: unknown) => {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect([200, 201], text).toContain(status)
  return json
}

const offer = () =>
  post('/credential-offers', { credentialConfigurationIds: ['Membership-sd-jwt'], credentialSubject: SUBJECT })

beforeAll(async () => {
  await post('/schemas', TYPE)
  wallet = await newWallet(desk.service)
  expect((await wallet.process((await offer()).credentialOfferUri)).status).toBe(200)
  const [{ id }] = (await wallet.get('/credentials')).json
  const held = (await wallet.get(`/credentials/${id}`)).json
  const { json: metadata } = await desk.service.request('GET', '/.well-known/openid-credential-issuer')
  const { vct } = metadata.credential_configurations_supported['Membership-sd-jwt']
  const claims = [{ path: ['level'], values: ['g', 's'] }]
  const request = {
    dcqlQuery: { credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims }] },
  }
  const answered = await post('/authorization-requests', request)
  expect((await wallet.process(answered.authorizationRequestUri)).status).toBe(200)
  const { verificationSessionId } = await post('/authorization-requests', request)
  const present = await post('/pages', { verificationSessionId })
  const { credentialOfferSessionId } = await offer()
  const receive = await post('/pages', { credentialOfferSessionId })
  const { json: issued } = await desk.service.request('GET', '/api/v1/credentials')
  const at = (path: string) => `${desk.service.url}/console${path}`
  places = {
    held: { name: 'held', url: at(`/wallets/${wallet.id}/credentials/${held.id}`) },
    credential: {
      name: 'credential',
      url: at(`/credentials/${issued.items[0].id}`),
      act: (page) => page.getByRole('button', { name: 'Angaben anzeigen' }).click(),
    },
    result: { name: 'result', url: at(`/requests/${answered.verificationSessionId}`) },
    verdict: {
      name: 'verdict',
      url: at('/verify'),
      act: async (page) => {
        await page.locator('textarea').fill(held.credential)
        await page.getByRole('button', { name: 'Prüfen', exact: true }).click()
      },
    },
    present: { name: 'present', url: present.url },
    receive: { name: 'receive', url: receive.url },
  }
})

/** Opens a place in a browser of a language. */
async function at({ url, act }: Place, locale: string, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await desk.browser.newContext({ locale })
  const { page, complaints } = await watchedPage(context)
  await page.goto(url)
  await act?.(page)
  await look(page)
  expect(complaints).toEqual([])
  await context.close()
}

describe('the values of a credential', () => {
  it('are the titles of the type, dates of the reader’s language, and yes and no, on every card', async () => {
    for (const place of [places.held, places.credential, places.result, places.verdict]) {
      await at(place, 'de-DE', async (page) => {
        const claims = page.locator('.credential-claims')
        await claims.getByText('Gold member', { exact: true }).waitFor()
        const values = await claims.locator('strong').allTextContents()
        // The id of the subject may follow.
        expect(values.slice(0, 3), place.name).toEqual(['Gold member', '3. Februar 1990', 'Ja'])
      })
    }
  })

  it('that a request requires are the titles of the type', async () => {
    await at(places.present, 'de-DE', async (page) => {
      await page.getByText('Level (Gold member oder Silver member)').waitFor()
      await settled(page)
      await assertGood(page, 'request-values', 'de')
    })
  })
})

describe('an issuer or verifier without a name', () => {
  const host = () => new URL(desk.service.url).host

  it('has the host of its base URL on the share pages, and says there what is stored', async () => {
    for (const place of [places.present, places.receive]) {
      await at(place, 'en-GB', async (page) => {
        expect(await page.locator('.from').textContent()).toBe(host())
        await page.getByRole('heading', { name: 'What is stored' }).waitFor()
        await assertGood(page, `kept-${place.name}`)
      })
    }
    await at(places.receive, 'en-GB', async (page) => {
      expect(await page.locator('.credential-issuer').textContent()).toBe(host())
    })
  })

  it('has it on the cards of hosted wallets and of the console', async () => {
    for (const place of [places.held, places.result]) {
      await at(place, 'en-GB', async (page) => {
        const issuer = page.locator('.credential-issuer')
        await expect.poll(() => issuer.textContent(), { message: place.name }).toBe(host())
      })
    }
    await at({ name: 'type', url: `${desk.service.url}/console/types/Membership` }, 'en-GB', async (page) => {
      await expect.poll(() => page.locator('.credential-issuer').textContent()).toBe(host())
    })
  })

  it('has it in the lists and on the screens of the console, and in what a wallet shows of a presentation', async () => {
    const consoleAt = (path: string) => ({ name: path, url: `${desk.service.url}/console${path}` })
    await at(consoleAt('/trust'), 'en-GB', async (page) => {
      const names = page.getByRole('link', { name: host(), exact: true })
      await expect.poll(() => names.count()).toBe(2)
      await names.last().click()
      await page.getByRole('heading', { level: 1, name: host(), exact: true }).waitFor()
      expect(await page.locator('.face-mark').textContent()).toBe(host())
    })
    await at(consoleAt('/'), 'en-GB', async (page) => {
      await expect.poll(() => page.locator('.records > li > strong').allTextContents()).toEqual([host(), host()])
    })
    await at(consoleAt('/types/Membership'), 'en-GB', async (page) => {
      await page.getByRole('checkbox', { name: host() }).waitFor()
    })
    await at(places.held, 'en-GB', async (page) => {
      await page.getByRole('table', { name: 'Presentations' }).getByText(host(), { exact: true }).waitFor()
    })
  })

  it('has it in the metadata that wallets read (OpenID4VCI 1.0 §12.2.4), and in the wallet’s list', async () => {
    const { json } = await desk.service.request('GET', '/.well-known/openid-credential-issuer')
    expect(json.display).toEqual([{ name: host(), locale: 'en' }])
    expect((await wallet.get('/credentials')).json[0].issuerName).toBe(host())
  })
})
