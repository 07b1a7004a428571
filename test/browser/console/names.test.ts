import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, startOpenService } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }

const desk = driven(() => startOpenService(LOOPBACK))

const table = (page: Page, name: string) => page.getByRole('table', { name }).getByRole('rowheader')

/** The link of the newest offer with a reference, from the API. */
async function offered(members: object): Promise<string> {
  const { status, json, text } = await desk.service.request('POST', '/credential-offers', {
    body: { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT, ...members },
  })
  expect(status, text).toBe(201)
  return json.credentialOfferUri
}

beforeAll(async () => {
  expect((await desk.service.request('POST', '/schemas', { body: demonstration })).status).toBe(201)
})

describe('names in the console', () => {
  it('an offer gets them with the keyboard alone; its page and the lists show them', async () => {
    await desk.opened('/offers', async (page) => {
      await heading(page, 'Offer a credential')
      await page.getByLabel('productName').fill('Grinder')
      await page.getByLabel('merchant').fill('Corner Shop')
      await page.getByLabel('purchaseDate').fill('2026-03-01')
      await typeInto(page, 'Label', 'Ada Lovelace')
      await typeInto(page, 'Reference', 'M-2026-0042')
      await press(page, 'Create offer')
      await heading(page, 'Ada Lovelace')
      await page.getByRole('definition').filter({ hasText: 'M-2026-0042' }).waitFor()
      await expect.poll(() => page.title()).toContain('Ada Lovelace')
      await page.goto(`${desk.service.url}/console/sessions?kind=offers`)
      await table(page, 'Offers').getByRole('link', { name: 'Ada Lovelace' }).waitFor()
      await page.getByRole('cell', { name: 'M-2026-0042' }).waitFor()
      await page.getByRole('cell', { name: 'Proof of purchase' }).first().waitFor()
    })
  })

  it('an offer without names has the title of its type', async () => {
    const id = new URL(await offered({})).searchParams.get('credential_offer_uri')?.split('/').at(-1) ?? ''
    await desk.opened(`/offers/${id}`, async (page) => {
      await heading(page, 'Proof of purchase')
    })
  })

  it('a credential has the names of its offer, is found by them, and its title is its label', async () => {
    const wallet = await newWallet(desk.service)
    await wallet.process(await offered({ reference: 'M-1', label: 'Grace Hopper' }))
    await wallet.process(await offered({ reference: 'M-2' }))
    await wallet.process(await offered({}))
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/credentials`)
      await table(page, 'Credentials').getByRole('link', { name: 'Grace Hopper' }).waitFor()
      await table(page, 'Credentials').getByRole('link', { name: 'M-2' }).waitFor()
      await assertGood(page, `credentials-with-names-${name}`)
      await page.getByLabel('Label begins with').fill('grace')
      await page.keyboard.press('Enter')
      await expect.poll(() => table(page, 'Credentials').count()).toBe(1)
      await page.getByLabel('Label begins with').fill('')
      await page
        .getByRole('searchbox')
        .or(page.getByLabel('Reference', { exact: true }))
        .first()
        .fill('M-2')
      await page.keyboard.press('Enter')
      await expect.poll(() => new URL(page.url()).searchParams.get('reference')).toBe('M-2')
      await expect.poll(() => table(page, 'Credentials').allTextContents()).toEqual(['M-2'])
      await table(page, 'Credentials').getByRole('link').click()
      await heading(page, 'M-2')
      await assertGood(page, `credential-with-names-${name}`)
    })
  })

  it('a request gets them, a saved query is called by its name', async () => {
    await desk.opened('/requests/new-request', async (page) => {
      await page.getByLabel('productName', { exact: true }).first().check()
      await page.getByRole('textbox', { name: /^Label/ }).fill('Return desk')
      await page.getByRole('textbox', { name: /^Reference/ }).fill('order-7')
      await page.getByRole('button', { name: 'Save as a query' }).click()
      await page.getByRole('link', { name: 'Show saved queries' }).waitFor()
      await page.getByRole('button', { name: 'Create request' }).click()
      await heading(page, 'Return desk')
      await page.getByRole('definition').filter({ hasText: 'order-7' }).waitFor()
      await page.goto(`${desk.service.url}/console/requests`)
      await page.getByRole('table', { name: 'Saved queries' }).getByText('Return desk').waitFor()
      await page.goto(`${desk.service.url}/console/sessions?reference=order-7`)
      await expect.poll(() => table(page, 'Requests').allTextContents()).toEqual(['Return desk'])
    })
  })

  it('are cut in lists if they are long, without a space too; the whole name is shown on demand with the keyboard', async () => {
    const [label, reference] = ['W'.repeat(200), 'm'.repeat(200)]
    const wallet = await newWallet(desk.service)
    await wallet.process(await offered({ label, reference }))
    const query = [{ fields: [{ path: ['$.vct'] }] }]
    const asked = await desk.service.request('POST', '/authorization-requests', {
      body: { query, label, reference, trustedIssuers: ['did:web:elsewhere.example'] },
    })
    await wallet.process(asked.json.authorizationRequestUri)
    for (const width of [390, 1440]) {
      const context = await desk.browser.newContext({ viewport: { width, height: 900 }, locale: 'en-GB' })
      const page = await context.newPage()
      for (const path of ['', 'sessions', 'sessions?kind=offers', 'credentials']) {
        await page.goto(`${desk.service.url}/console/${path}`)
        const link = page.getByRole('link', { name: label }).first()
        const heightOf = async () => (await link.locator('.long-name').boundingBox())?.height ?? 0
        await link.waitFor()
        await assertGood(page, `long-names-${width}-${path.replaceAll(/\W/g, '_')}`)
        const cut = await heightOf()
        expect(cut, path).toBeLessThan(60)
        // The focus of the keyboard shows the whole name.
        await tabTo(page, label)
        await expect.poll(heightOf, { message: path }).toBeGreaterThan(cut)
        if (path === '') continue
        await press(page, 'Show Reference')
        const shown = page.getByRole('dialog', { name: 'Reference' })
        expect(await shown.locator('code').textContent()).toBe(reference)
        const box = await shown.boundingBox()
        expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? width) <= width, path).toBe(true)
      }
      // A row without a reference has no line for it.
      await page.goto(`${desk.service.url}/console/sessions?kind=offers`)
      await page.getByRole('link', { name: label }).waitFor()
      expect(await page.locator('td[data-label="Reference"]').filter({ hasText: /^$/ }).count()).toBe(0)
      await context.close()
    }
  })

  it('each row of a file may have names of its own', async () => {
    const rows = ['productName,merchant,purchaseDate,Reference,Label']
    for (const n of [1, 2]) rows.push(`Grinder,Corner Shop,2026-03-01,row-${n},Person ${n}`)
    await desk.opened('/offers/from-file?type=ProofOfPurchase', async (page) => {
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
      await page.getByRole('table', { name: 'First rows' }).getByText('Person 2').waitFor()
      await page.getByRole('button', { name: 'Check 2 rows' }).click()
      await page.getByRole('button', { name: 'Create 2 offers' }).click()
      await page.getByText('2 offers are created.').waitFor()
    })
    const { json } = await desk.service.request('GET', '/api/v1/credential-offer-sessions?label=person')
    expect(json.items.map(({ reference, label }: Record<string, string>) => [reference, label]).sort()).toEqual([
      ['row-1', 'Person 1'],
      ['row-2', 'Person 2'],
    ])
  })

  it('a hosted wallet gets a name with the keyboard alone', async () => {
    await desk.opened('/wallets', async (page) => {
      await heading(page, 'Wallets')
      await tabTo(page, 'Name')
      await page.keyboard.type('Front desk')
      await press(page, 'New wallet')
      await heading(page, 'Front desk')
      await page.goto(`${desk.service.url}/console/wallets`)
      await table(page, 'Wallets').getByRole('link', { name: 'Front desk' }).waitFor()
      await assertGood(page, 'wallets-with-names')
    })
  })
})
