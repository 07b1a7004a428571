import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, scanned, startOpenService } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = {
  customerName: 'Ada Lovelace',
  productName: 'Espresso machine',
  merchant: 'Corner Shop',
  purchaseDate: '2026-03-01',
}

const desk = driven(() => startOpenService(LOOPBACK))
let wallet: HostedWallet

/** Selects a claim of a request, with its required value. */
async function tick(page: Page, claim: string, value?: string): Promise<void> {
  await page.getByLabel(claim, { exact: true }).check()
  if (value !== undefined) await page.getByLabel(`Required value of ${claim}`).fill(value)
}

describe('requests', () => {
  it('without any request, the screen leads to the next step', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/requests`)
      await page.getByText('There is no request yet').waitFor()
      await assertGood(page, `requests-empty-${name}`)
    })
  })

  it('are made with the keyboard alone, and each check of the answer of a wallet is shown live', async () => {
    expect((await desk.service.request('POST', '/schemas', { body: demonstration })).status).toBe(201)
    wallet = await newWallet(desk.service)
    const offer = await desk.service.request('POST', '/credential-offers', {
      body: { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT },
    })
    expect((await wallet.process(offer.json.credentialOfferUri)).status).toBe(200)
    await desk.opened('/requests', async (page) => {
      await heading(page, 'Requests')
      await press(page, 'New request')
      await heading(page, 'New request')
      await tabTo(page, 'productName')
      await page.keyboard.press('Space')
      await typeInto(page, 'Required value of productName', 'Espresso machine')
      await page.getByText('"Espresso machine"').waitFor()
      await press(page, 'Create request')
      await heading(page, 'productName · Proof of purchase')
      await page.getByText('Waiting for a wallet to scan the code.').waitFor()
      const link = await scanned(page)
      expect(link).toMatch(/^openid4vp:/)
      const answered = await wallet.process(link)
      expect(answered.status, answered.text).toBe(200)
      await page.getByText('Verified: all requested claims.').waitFor()
      // The checks are read when the session has ended. One line opens them.
      await page.getByText('All 8 checks passed').click()
      await page.getByText('The wallet signed this request with the credential’s key.').waitFor()
      const steps = await page.getByRole('list', { name: 'Progress' }).getByRole('listitem').allTextContents()
      expect(steps[0]).toContain('The request is created.')
      expect(steps[1]).toContain('A wallet has read the request.')
      expect(steps.at(-1)).toContain('Verified: all requested claims.')
      const card = page.getByRole('region', { name: 'Verified claims' })
      const regions = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
      expect(regions.slice(0, 2)).toEqual(['Verified claims', 'Progress'])
      await card.getByText('Espresso machine').waitFor()
      expect(await card.getByText('Ada Lovelace').count()).toBe(0)
    })
  })

  it('name the check that failed, what the wallet sent and what to do, before the other checks', async () => {
    await desk.opened('/requests/new-request', async (page) => {
      await tick(page, 'productName')
      await page.getByLabel('Accepted issuers').selectOption('Issuers that I list')
      await page.getByLabel('Trusted issuers').fill('did:web:elsewhere.example')
      await page.getByRole('button', { name: 'Create request' }).click()
      await page.getByText('Waiting for a wallet to scan the code.').waitFor()
      await wallet.process(await scanned(page))
      await page.getByText('The request failed.').waitFor()
      const refusal = page.getByRole('region', { name: 'Why it failed' })
      await refusal.getByText('Trusted issuer', { exact: true }).waitFor()
      const text = await refusal.textContent()
      expect(text).toContain('is not trusted')
      expect(text).toContain('The wallet sentProof of purchase (SD-JWT VC)')
      expect(text).toContain('add it to the trusted issuers')
      const regions = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
      expect(regions).toEqual(['Why it failed', 'Progress'])
      await assertGood(page, 'request-failed-closed')
      await page.getByText('2 of 8 checks passed').click()
      const steps = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
      const told = (await steps.allTextContents()).map((text) => text.split(/(?<=passed|failed|checked)/)[0])
      expect(told).toEqual([
        'Format passed',
        'Validity period passed',
        'Trusted issuer failed',
        ...['Issuer key', 'Signature', 'Not revoked', 'Query', 'Holder binding'].map((name) => `${name} not checked`),
      ])
      await assertGood(page, 'request-failed')
    })
  })

  it('are good in every size, light and dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/requests/new-request`)
      await tick(page, 'productName', 'Espresso machine')
      await page.getByRole('button', { name: 'Request another credential' }).click()
      await page.getByLabel('Type').nth(1).selectOption('Another type …')
      await page.getByLabel('Format').selectOption('Mobile document (mdoc)')
      await page.getByRole('button', { name: 'Add a transaction' }).click()
      await assertGood(page, `request-new-${name}`)
      await page.getByRole('button', { name: 'Remove credential 2' }).click()
      await page.getByRole('button', { name: 'Remove transaction 1' }).click()
      await page.getByRole('button', { name: 'Save as a query' }).click()
      await page.getByText('The query is saved.').waitFor()
      await page.getByRole('button', { name: 'Create request' }).click()
      await page.getByText('Waiting for a wallet to scan the code.').waitFor()
      await assertGood(page, `request-waiting-${name}`)
      await wallet.process(await scanned(page))
      await page.getByRole('region', { name: 'Verified claims' }).getByText('Espresso machine').waitFor()
      await assertGood(page, `request-proven-${name}`)
      await page.goto(`${desk.service.url}/console/requests`)
      await page.getByText('productName').first().waitFor()
      await assertGood(page, `requests-${name}`)
    })
  })

  it('are in German, with the sentences of the service on demand', async () => {
    await desk.opened('/requests/new-request', async (page) => {
      await page.getByLabel('Language').selectOption('de')
      await heading(page, 'Neue Anfrage')
      await page.getByLabel('productName', { exact: true }).check()
      await page.getByRole('button', { name: 'Anfrage erstellen' }).click()
      await page.getByText('Wartet, bis eine Wallet den Code scannt.').waitFor()
      await wallet.process(await scanned(page))
      await page.getByText('Bestätigt: alle angefragten Angaben.').waitFor()
      await page.getByText('Alle 8 Prüfungen sind bestanden').click()
      await page.getByText('Dem Aussteller wird vertraut.').waitFor()
      expect(await page.getByText('The issuer is trusted.').count()).toBe(0)
      await page.goto(`${desk.service.url}/console/sessions?state=Error`)
      const row = page.getByRole('row').filter({ hasText: 'Dem Aussteller wird nicht vertraut.' }).first()
      const sentence = row.locator('.sentence')
      expect(await sentence.isVisible()).toBe(false)
      await row.getByText('Einzelheiten').click()
      await sentence.getByText('is not trusted').waitFor()
      expect(await sentence.getAttribute('lang')).toBe('en')
    })
  })

  it('show the payment of an open request in words, and none after its end', async () => {
    const metadata = await desk.service.request('GET', '/.well-known/openid-credential-issuer')
    const { vct } = metadata.json.credential_configurations_supported['ProofOfPurchase-sd-jwt']
    const claims = ['productName', 'merchant', 'purchaseDate'].map((name) => ({ path: [name] }))
    const payload = { transaction_id: 'T-1', amount: 12.5, currency: 'EUR', payee: { name: 'Corner Shop', id: 'DE02' } }
    const { json, status, text } = await desk.service.request('POST', '/authorization-requests', {
      body: {
        dcqlQuery: { credentials: [{ id: 'purchase', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims }] },
        transactionData: [{ type: 'urn:eudi:sca:payment:1', credential_ids: ['purchase'], payload }],
      },
    })
    expect(status, text).toBe(201)
    await desk.opened(`/requests/${json.verificationSessionId}`, async (page) => {
      // The title names two of the claims, and counts the others.
      await heading(page, 'productName, merchant and 1 more · Proof of purchase')
      const approved = page.getByRole('region', { name: 'Transactions to approve' })
      await approved.getByText('€12.50 to Corner Shop').waitFor()
      await approved.getByText('T-1').waitFor()
      await assertGood(page, 'request-payment')
      await page.keyboard.press('Control+k')
      await page.keyboard.type(json.verificationSessionId)
      await page.getByRole('option', { name: /productName, merchant and 1 more · Proof of purchase/ }).waitFor()
    })
  })

  it('can be opened again unchanged; a query that the form cannot show is JSON', async () => {
    const fields = [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }]
    const save = async (last: object) => {
      const body = { query: [{ fields: [{ ...fields[0], filter: { type: 'array', ...fields[0]?.filter } }, last] }] }
      const { json } = await desk.service.request('POST', '/api/v1/verifier/vp-queries', { body })
      return json.id
    }
    const shown = await save({ path: ['$.credentialSubject.merchant'], filter: { enum: ['Corner Shop', '7'] } })
    const hidden = await save({ path: ['$.credentialSubject.merchant'], filter: { pattern: '^Corner' } })
    await desk.opened('/requests', async (page) => {
      await page.locator(`a[href$="query=${shown}"]`).click()
      await heading(page, 'New request')
      expect(await page.getByLabel('merchant', { exact: true }).isChecked()).toBe(true)
      const dcql = JSON.parse((await page.locator('pre.query').textContent()) ?? '')
      expect(dcql.credentials[0]).toMatchObject({
        format: 'dc+sd-jwt',
        claims: [{ path: ['merchant'], values: ['Corner Shop', '7'] }],
      })
      await page.goto(`${desk.service.url}/console/requests/new-request?query=${hidden}`)
      await page.getByText('The form cannot show all parts of this query').waitFor()
      expect(await page.locator('pre.query').textContent()).toContain('^Corner')
      await assertGood(page, 'request-not-shown')
    })
  })

  it('are saved as queries, used again with one click, and deleted', async () => {
    await desk.opened('/requests', async (page) => {
      const rows = page.getByRole('table', { name: 'Saved queries' }).getByRole('row')
      await rows.nth(1).waitFor()
      const before = await rows.count()
      await page.getByRole('button', { name: 'Request Proof of purchase' }).first().click()
      await page.getByText('Waiting for a wallet to scan the code.').waitFor()
      expect((await wallet.process(await scanned(page))).status).toBe(200)
      await page.getByText('Verified: all requested claims.').waitFor()
      await page.goto(`${desk.service.url}/console/requests`)
      await page.getByRole('button', { name: 'Delete the query for Proof of purchase' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect.poll(() => rows.count()).toBe(before - 1)
    })
  })
})
