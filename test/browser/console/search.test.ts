import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, settled } from './actors.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }

const desk = driven()

const field = (page: Page) => page.getByRole('combobox', { name: 'Search for screens and things' })
const options = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option')
const chosen = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option', { selected: true })

const posted = async (path: string, body: object) => {
  const { status, json, text } = await desk.service.request('POST', path, { body })
  expect(status, text).toBe(201)
  return json
}

const offer = (members: object) =>
  posted('/credential-offers', {
    credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'],
    credentialSubject: SUBJECT,
    ...members,
  })

beforeAll(async () => {
  await posted('/schemas', demonstration)
  await offer({ label: 'Ada Lovelace', reference: 'M-1' })
  await offer({ label: 'Ada Lovelace', reference: 'M-2' })
  await posted('/agent/holder', { method: 'key', name: 'Ada at the front desk' })
})

describe('the search of the console', () => {
  it('opens by Ctrl+K, and the arrow keys and Enter open a thing', async () => {
    await desk.opened('/', async (page) => {
      await settled(page)
      await page.keyboard.press('Control+k')
      expect(await page.locator(':focus').getAttribute('role')).toBe('combobox')
      await page.keyboard.type('ada')
      await expect.poll(() => options(page).count()).toBe(3)
      expect(await field(page).getAttribute('aria-expanded')).toBe('true')
      await page.getByRole('status').filter({ hasText: '3 results' }).waitFor()
      expect(await chosen(page).textContent()).toContain('M-2')
      await page.keyboard.press('ArrowDown')
      expect(await chosen(page).textContent()).toContain('M-1')
      expect(await field(page).getAttribute('aria-activedescendant')).toBe(await chosen(page).getAttribute('id'))
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      expect(await chosen(page).textContent()).toContain('M-2')
      await page.keyboard.press('ArrowUp')
      expect(await chosen(page).textContent()).toContain('Ada at the front desk')
      // A thing without details has its age alone.
      expect(await chosen(page).locator('.soft').textContent()).toMatch(/^\d+ (?:second|minute)s? ago$|^now$/)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/console\/wallets\/[0-9a-f-]{36}$/)
      expect(await field(page).inputValue()).toBe('')
    })
  })

  it('finds a thing by its reference, and a type by its title, with a click', async () => {
    await desk.opened('/', async (page) => {
      await settled(page)
      await field(page).fill('M-1')
      await options(page).filter({ hasText: 'Ada Lovelace' }).click()
      await heading(page, 'Ada Lovelace')
      await field(page).fill('proof of')
      await options(page).filter({ hasText: 'Credential type' }).click()
      await page.waitForURL(/\/console\/types\/ProofOfPurchase$/)
    })
  })

  it('finds screens by the words of their names', async () => {
    await desk.opened('/', async (page) => {
      await settled(page)
      await field(page).fill('keys')
      await options(page).filter({ hasText: 'Trust and keys' }).waitFor()
      await expect.poll(() => options(page).count()).toBe(1)
      await page.getByRole('status').filter({ hasText: '1 result' }).waitFor()
      await page.keyboard.press('Enter')
      await heading(page, 'Trust and keys')
    })
  })

  it('Escape closes it and returns the focus', async () => {
    await desk.opened('/types', async (page) => {
      await settled(page)
      const link = page.getByRole('navigation').getByRole('link', { name: 'Offers' })
      await link.focus()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('zzz')
      await page.getByText('Nothing found.').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.getByRole('listbox').count()).toBe(0)
      expect(await page.locator(':focus').textContent()).toBe('Offers')
    })
  })

  it('is good on a phone and on a desktop', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/types`)
      await settled(page)
      await field(page).fill('ada')
      await expect.poll(() => options(page).count()).toBe(3)
      await assertGood(page, `search-${name}`)
    })
  })
})
