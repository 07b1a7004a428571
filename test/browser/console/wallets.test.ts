import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
const MOST_CLICKS = 12

const desk = driven()

/** Makes an offer of the demonstration type. Returns the address for wallets, and the PIN if there is one. */
async function offered(more: Readonly<Record<string, unknown>> = {}): Promise<{ link: string; pin: string }> {
  const { status, json, text } = await desk.service.request('POST', '/credential-offers', {
    body: { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT, ...more },
  })
  expect(status, text).toBe(201)
  return { link: json.credentialOfferUri, pin: json.txCode ?? '' }
}

/** Makes a request with a payment to authorize. */
async function paymentAsked(): Promise<string> {
  const metadata = await desk.service.request('GET', '/.well-known/openid-credential-issuer')
  const { vct } = metadata.json.credential_configurations_supported['ProofOfPurchase-sd-jwt']
  const { status, json, text } = await desk.service.request('POST', '/authorization-requests', {
    body: {
      dcqlQuery: {
        credentials: [
          { id: 'purchase', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['productName'] }] },
        ],
      },
      transactionData: [{ type: 'payment', credential_ids: ['purchase'], amount: '12.50 EUR', payee: 'Corner Shop' }],
    },
  })
  expect(status, text).toBe(201)
  return json.authorizationRequestUri
}

/** Counts clicks from now on. */
async function countClicks(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate('window.presses = 0; addEventListener("pointerdown", () => { window.presses += 1 }, true); null')
  return () => page.evaluate('window.presses')
}

const click = (page: Page, role: 'button' | 'link', name: string) =>
  page.getByRole(role, { name, exact: true }).first().click()

describe('hosted wallets', () => {
  it('without any wallet, the screen leads to the next step', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/wallets`)
      await page.getByText('There is no wallet yet').waitFor()
      await assertGood(page, `wallets-empty-${name}`)
    })
  })

  it(`an empty service needs at most ${MOST_CLICKS} clicks until a credential is verified, without a phone`, async () => {
    await desk.opened('/', async (page) => {
      await heading(page, 'Overview')
      const clicks = await countClicks(page)
      await click(page, 'link', 'Credential types')
      await click(page, 'link', 'New credential type')
      await page.getByLabel('Technical name').fill('Ticket')
      await page.getByLabel('Claim, claim 1').fill('seat')
      await click(page, 'button', 'Publish')
      await click(page, 'link', 'Offer')
      await page.getByLabel('seat').fill('12 A')
      await click(page, 'button', 'Create offer')
      await click(page, 'button', 'Take with a hosted wallet')
      await page.getByText('The wallet has taken the credential.').waitFor()
      await click(page, 'link', 'Requests')
      await click(page, 'link', 'New request')
      await page.getByLabel('seat', { exact: true }).check()
      await click(page, 'button', 'Create request')
      await click(page, 'button', 'Answer with a hosted wallet')
      await page.getByText('Verified: all requested claims.').waitFor()
      await page.getByRole('region', { name: 'Verified claims' }).getByText('12 A').waitFor()
      expect(await clicks()).toBeLessThanOrEqual(MOST_CLICKS)
    })
  })

  it('get another name, which the list shows', async () => {
    await desk.opened('/wallets', async (page) => {
      await page.getByLabel('Name').fill('Till 1')
      await click(page, 'button', 'New wallet')
      await heading(page, 'Till 1')
      await click(page, 'button', 'Rename')
      await page.getByRole('dialog').getByLabel('Name').fill('Till 2')
      await click(page, 'button', 'Save')
      await heading(page, 'Till 2')
      await assertGood(page, 'wallet-renamed')
      await page.goto(`${desk.service.url}/console/wallets`)
      await page.getByRole('link', { name: 'Till 2' }).waitFor()
    })
  })

  it('are made and get offers with the keyboard alone; after a wrong PIN the input stays', async () => {
    expect((await desk.service.request('POST', '/schemas', { body: demonstration })).status).toBe(201)
    const { link, pin } = await offered({ txCode: true })
    await desk.opened(
      '/wallets',
      async (page) => {
        await heading(page, 'Wallets')
        await press(page, 'New wallet')
        await heading(page, 'Hosted wallet')
        await page.getByText('The wallet is empty').waitFor()
        await typeInto(page, 'Link of the offer or request', link)
        await typeInto(page, 'PIN', pin === '0000' ? '1111' : '0000')
        await press(page, 'Send to the wallet')
        await page.getByText('That did not work').waitFor()
        expect(await page.getByLabel('Link of the offer or request').inputValue()).toBe(link)
        await page.getByLabel('PIN').fill(pin)
        await press(page, 'Send to the wallet')
        await page.getByText('The wallet has taken the credential.').waitFor()
        const held = page.getByRole('list', { name: 'Credentials in this wallet' })
        await held.getByText('valid').waitFor()
        await held.getByRole('link', { name: 'Proof of purchase' }).waitFor()
        expect(await held.textContent()).not.toContain('Espresso machine')
      },
      [500],
    )
  })

  it('present only after a person has authorized the transaction, and inform the verifier if the person declines', async () => {
    const link = await paymentAsked()
    const declined = await paymentAsked()
    await desk.opened('/wallets', async (page) => {
      await page.getByRole('table').getByRole('link').first().click()
      for (const [uri, answer, outcome] of [
        [declined, 'Decline', 'The request is declined.'],
        [link, 'Authorize and present', 'The wallet has presented the requested claims.'],
      ] as const) {
        await page.getByLabel('Link of the offer or request').fill(uri)
        await click(page, 'button', 'Send to the wallet')
        const question = page.getByRole('dialog', { name: 'Authorize this transaction?' })
        await question.getByText('12.50 EUR').waitFor()
        await assertGood(page, `wallet-authorize-${answer}`)
        await question.getByRole('button', { name: answer }).click()
        await page.getByText(outcome).waitFor()
      }
      await page.getByRole('table', { name: 'Presentations' }).getByText('accepted').waitFor()
    })
  })

  it('delete a credential after a confirmation', async () => {
    await desk.opened('/wallets', async (page) => {
      await page.getByRole('table').getByRole('link').last().click()
      const held = page.getByRole('list', { name: 'Credentials in this wallet' })
      await held.getByRole('link', { name: 'Ticket' }).click()
      await heading(page, 'Ticket')
      await page.getByText('12 A').waitFor()
      await tabTo(page, 'Delete')
      await page.keyboard.press('Enter')
      await page.getByText('Delete this credential from the wallet?').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('The wallet is empty').waitFor()
    })
  })

  it('are good in every size, light and dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/wallets`)
      await page.getByRole('table').waitFor()
      await assertGood(page, `wallets-${name}`)
      await page.getByRole('table').getByRole('link').first().click()
      await page.getByRole('table', { name: 'Presentations' }).waitFor()
      await page.getByRole('list', { name: 'Credentials in this wallet' }).waitFor()
      await assertGood(page, `wallet-${name}`)
    })
  })
})
