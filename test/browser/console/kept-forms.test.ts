import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, settled, startOpenService, watchedPage } from './actors.js'

const TYPED = 'Zwetschgenkuchen'
const desk = driven(() => startOpenService())

/** A form of the console: its screen, and the field into which the test types. */
interface Form {
  readonly name: string
  readonly path: () => string
  /** Opens the form, if the screen does not show it at first. */
  readonly open?: (page: Page) => Promise<void>
  readonly field: (page: Page) => Locator
}

/** The first text field whose label begins with a word. */
const textbox = (page: Page, label: string): Locator =>
  page.getByRole('textbox', { name: new RegExp(`^${label}`) }).first()

const ids = { offer: '', issuer: '', verifier: '', wallet: '' }

const FORMS: readonly Form[] = [
  { name: 'a new type', path: () => '/types/new-type', field: (page) => page.getByLabel('Title, claim 1') },
  {
    name: 'the next version of a type',
    path: () => '/types/ProofOfPurchase/edit',
    field: (page) => textbox(page, 'Description'),
  },
  { name: 'a new offer', path: () => '/offers?type=ProofOfPurchase', field: (page) => page.getByLabel('Merchant') },
  {
    name: 'a correction of an offer',
    path: () => `/offers/${ids.offer}`,
    open: (page) => page.getByRole('button', { name: 'Correct' }).click(),
    field: (page) => page.getByLabel('Merchant'),
  },
  { name: 'a new request', path: () => '/requests/new-request', field: (page) => textbox(page, 'Label') },
  { name: 'a new issuer', path: () => '/trust/issuers/new-issuer', field: (page) => textbox(page, 'Name') },
  {
    name: 'a new verifier',
    path: () => '/trust/verifiers/new-verifier',
    field: (page) => textbox(page, 'Name'),
  },
  {
    name: 'the name of an issuer',
    path: () => `/trust/issuers/${ids.issuer}`,
    field: (page) => textbox(page, 'Name'),
  },
  {
    name: 'the certificate of a verifier',
    path: () => `/trust/verifiers/${ids.verifier}`,
    open: (page) => page.locator('summary').first().click(),
    field: (page) => page.getByPlaceholder('-----BEGIN CERTIFICATE-----'),
  },
  {
    name: 'the certificate of an issuer',
    path: () => `/trust/issuers/${ids.issuer}`,
    field: (page) => page.getByPlaceholder('-----BEGIN CERTIFICATE-----'),
  },
  { name: 'a trusted issuer', path: () => '/trust/trusted', field: (page) => textbox(page, 'Note') },
  { name: 'a new hosted wallet', path: () => '/wallets', field: (page) => textbox(page, 'Name') },
  { name: 'a link for a hosted wallet', path: () => `/wallets/${ids.wallet}`, field: (page) => textbox(page, 'PIN') },
  { name: 'a status job', path: () => '/credentials/jobs', field: (page) => page.getByLabel('Ids of credentials') },
]

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave this form?' })
const toSettings = (page: Page) => page.getByRole('link', { name: 'Settings' }).click()

/** Everything that the browser would keep longer than the window, and that others could read. */
const stored = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])')

async function post(path: string, body: unknown) {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect(status, text).toBe(201)
  return json
}

describe('a form that was begun', () => {
  beforeAll(async () => {
    await post('/schemas', JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8')))
    const subject = { productName: 'Espressomaschine', merchant: 'Eckladen', purchaseDate: '2026-03-01' }
    const offer = { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: subject, deferred: true }
    ids.offer = (await post('/credential-offers', offer)).credentialOfferSessionId
    ids.issuer = (await post('/agent/issuer', { method: 'key', display: [{ name: 'Eckladen' }] })).id
    ids.verifier = (await post('/agent/verifier', { method: 'key', display: [{ name: 'Garantie' }] })).id
    await newWallet(desk.service)
    ids.wallet = (await desk.service.request('GET', '/agent/holders')).json[0].id
  })

  it.each(FORMS)('asks before the user leaves, and is there again when the user comes back: $name', async (form) => {
    await desk.opened(form.path(), async (page) => {
      const open = async () => {
        // After a step back, the screen before is shown for a moment.
        await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor({ state: 'detached' })
        await settled(page)
        const field = form.field(page)
        if (form.open !== undefined && !(await field.isVisible())) await form.open(page)
        await field.waitFor()
        return field
      }
      // An untouched form does not ask.
      const before = await (await open()).inputValue()
      await toSettings(page)
      await heading(page, 'Settings')
      await page.goBack()
      const field = await open()
      expect(await page.getByText('Restored what you typed').count()).toBe(0)

      await field.fill(TYPED)
      await toSettings(page)
      await question(page).getByRole('button', { name: 'Stay' }).click()
      expect(await field.inputValue()).toBe(TYPED)
      // The buttons of the browser ask too.
      await page.evaluate('history.forward()')
      await question(page).getByRole('button', { name: 'Stay' }).click()
      expect(await field.inputValue()).toBe(TYPED)
      await toSettings(page)
      await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
      await heading(page, 'Settings')
      expect(await stored(page)).not.toContain(TYPED)

      await page.goBack()
      expect(await (await open()).inputValue()).toBe(TYPED)
      await page.getByText('Restored what you typed').waitFor()
      expect(await stored(page)).not.toContain(TYPED)
      await page.getByRole('button', { name: 'Start anew' }).click()
      if (form.open !== undefined && !(await form.field(page).isVisible())) await form.open(page)
      await expect.poll(() => form.field(page).inputValue()).toBe(before)
      await toSettings(page)
      await heading(page, 'Settings')
    })
  })

  it('asks before the window closes; a window without a begun form closes at once', async () => {
    const context = await desk.browser.newContext({ locale: 'en-GB' })
    const { page } = await watchedPage(context)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.goto(`${desk.service.url}/console/offers?type=ProofOfPurchase`)
    // The browser asks only after a gesture of the user.
    await page.getByLabel('Merchant').click()
    await page.keyboard.type(TYPED)
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => asked).toEqual(['beforeunload'])
    // The draft of an earlier screen would be lost too.
    await toSettings(page)
    await assertGood(page, 'leave-question')
    await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
    await heading(page, 'Settings')
    await page.mouse.click(5, 5)
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => asked).toHaveLength(2)
    const other = await context.newPage()
    await other.goto(`${desk.service.url}/console/offers?type=ProofOfPurchase`)
    await other.getByLabel('Merchant').click()
    await other.close({ runBeforeUnload: true })
    await expect.poll(() => other.isClosed()).toBe(true)
    await context.close()
  })

  it('is forgotten after it was sent', async () => {
    await desk.opened('/trust/issuers/new-issuer', async (page) => {
      await textbox(page, 'Name').fill(TYPED)
      await page.getByRole('button', { name: 'Create issuer' }).click()
      await heading(page, TYPED)
      expect(await question(page).count()).toBe(0)
      await page.goBack()
      await heading(page, 'New issuer')
      expect(await textbox(page, 'Name').inputValue()).toBe('')
    })
  })
})
