import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import Papa from 'papaparse'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, startOpenService } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]

const desk = driven(() => startOpenService(LOOPBACK))

async function post(path: string, body: unknown) {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect(status, text).toBe(201)
  return json
}

beforeAll(async () => {
  await post('/schemas', demonstration)
  const offer = { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT }
  const wallet = await newWallet(desk.service)
  const taken = await post('/credential-offers', offer)
  expect((await wallet.process(taken.credentialOfferUri)).status).toBe(200)
  await post('/authorization-requests', { query: QUERY })
})

/** Runs an action that saves a file. @returns the name and the content of the file */
async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent('download')
  await act()
  const download = await coming
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

describe('the export of a list', () => {
  it('saves the credentials of the filters’ days with the keyboard alone, as CSV', async () => {
    await desk.opened('/credentials', async (page) => {
      await page.getByRole('table').waitFor()
      await press(page, 'Export')
      await page.getByRole('dialog', { name: 'Export credentials' }).waitFor()
      const { name, text } = await saved(page, async () => {
        await tabTo(page, 'Format')
        await press(page, 'Export')
      })
      expect(name).toMatch(/^credentials-[0-9a-f]{8}\.csv$/)
      const { data } = Papa.parse<Record<string, string>>(text.slice(1), { header: true, skipEmptyLines: true })
      expect(data).toHaveLength(1)
      expect(JSON.parse(data[0]?.vc ?? '').credentialSubject).toMatchObject(SUBJECT)
      await page.getByText(`${name} is saved.`).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })
  })

  it('saves sessions and the audit, as NDJSON', async () => {
    for (const [path, kind] of [
      ['/sessions', 'sessions'],
      ['/audit', 'audit'],
    ] as const) {
      await desk.opened(path, async (page) => {
        await page.getByRole('table').waitFor()
        await page.getByRole('button', { name: 'Export', exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Format').selectOption('NDJSON, for programs')
        const { name, text } = await saved(page, () => dialog.getByRole('button', { name: 'Export' }).click())
        expect(name).toMatch(new RegExp(`^${kind}-`))
        const lines = text.trimEnd().split('\n')
        expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ record: 'end', count: lines.length - 2 })
        expect(lines.length).toBeGreaterThan(2)
      })
    }
  })

  it('shows the sentence of the service if the days are the wrong way round', async () => {
    await desk.opened(
      '/audit?from=2026-03-02&to=2026-03-01',
      async (page) => {
        await page.getByRole('button', { name: 'Export', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
        await page.getByRole('alert').getByText('from must be before to').waitFor()
      },
      [400],
    )
  })

  it('is offered for sessions of requests, not of offers', async () => {
    await desk.opened('/sessions?kind=offers', async (page) => {
      await page.getByRole('table').waitFor()
      expect(await page.getByRole('button', { name: 'Export', exact: true }).count()).toBe(0)
    })
  })
})

describe('a person’s data', () => {
  it('is found with the keyboard alone, with number, purpose and end, and is exported', async () => {
    await desk.opened('/person', async (page) => {
      await heading(page, "Person's data")
      await typeInto(page, 'DID or user', 'local-admin')
      await page.keyboard.press('Enter')
      const row = page.getByRole('table').getByRole('row')
      await row.filter({ hasText: 'Credential in a wallet' }).getByText('The wallet deletes it').waitFor()
      await row.filter({ hasText: 'Audit entry' }).getByText('It is never deleted').waitFor()
      const { name, text } = await saved(page, () => press(page, 'Export as NDJSON'))
      expect(name).toMatch(/^person-[0-9a-f]{8}\.ndjson$/)
      expect(text).toContain('"record":"walletCredential"')
      // The address does not contain the person.
      expect(page.url()).toBe(`${desk.service.url}/console/person`)
      await page.getByText('What this list cannot contain').click()
      await page.getByText('names no person').first().waitFor()
      await page.getByRole('region', { name: 'Erase claims' }).getByRole('link').first().click()
      await page.waitForURL(/\/credentials\//)
    })
  })

  it('of an unknown person are no records, and the field for the person is required', async () => {
    await desk.opened('/person', async (page) => {
      await page.getByRole('button', { name: 'Find' }).click()
      await page.locator('.wrong').waitFor()
      await page.getByLabel('DID or user').fill('nobody')
      await page.getByRole('button', { name: 'Find' }).click()
      await page.getByText('The service keeps no record that names this person.').waitFor()
    })
  })

  it('is good in every size, light and dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/person`)
      await page.getByLabel('DID or user').fill('local-admin')
      await page.getByRole('button', { name: 'Find' }).click()
      await page.getByRole('table').waitFor()
      await assertGood(page, `person-${name}`)
      await page.goto(`${desk.service.url}/console/credentials`)
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await assertGood(page, `export-${name}`)
    })
  })
})
