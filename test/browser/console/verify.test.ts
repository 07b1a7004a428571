import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen } from './actors.js'
import { press, tabTo } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }

const desk = driven()

async function signed(format: 'dc+sd-jwt' | 'jwt_vc_json'): Promise<{ id: string; credential: string }> {
  const body = { type: 'ProofOfPurchase', credential_subject: SUBJECT, format }
  const { status, text, json } = await desk.service.request('POST', '/credentials/sign', { body })
  expect(status, text).toBe(201)
  return json
}

describe('verifying a credential', () => {
  it('shows each check and the claims of the credential, with the keyboard alone', async () => {
    expect((await desk.service.request('POST', '/schemas', { body: demonstration })).status).toBe(201)
    const { credential } = await signed('dc+sd-jwt')
    await desk.opened('/verify', async (page) => {
      await heading(page, 'Check a credential')
      await tabTo(page, 'Credential')
      await page.keyboard.insertText(`${credential.slice(0, 70)}\n${credential.slice(70)}\n`)
      await press(page, 'Check')
      await page.getByText('The credential is valid.').waitFor()
      const result = page.getByRole('region', { name: 'Result' })
      await result.getByText('The issuer’s key signed the credential.').waitFor()
      await result.getByText('Espresso machine').waitFor()
      expect(await result.getByRole('listitem').filter({ hasText: 'passed' }).count()).toBe(5)
    })
  })

  it('accepts a dropped file, and names the failed check', async () => {
    const { id, credential } = await signed('jwt_vc_json')
    const revoked = await desk.service.request('POST', `/api/v1/credentials/${id}/revoke`)
    expect(revoked.status, revoked.text).toBeLessThan(300)
    await desk.opened('/verify', async (page) => {
      const dropped = await page.evaluateHandle(
        `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(credential)}], 'credential.jwt')); return data })()`,
      )
      await page.getByLabel('Credential', { exact: true }).dispatchEvent('drop', { dataTransfer: dropped })
      await page.getByText('The credential is not valid.').waitFor()
      const step = page.getByRole('listitem').filter({ hasText: 'Not revoked' })
      expect(await step.textContent()).toContain('Credential has been revoked.')
    })
  })

  it('accepts a mobile document as a file of bytes, and names the failed check', async () => {
    await desk.opened('/verify', async (page) => {
      const checked = page.waitForRequest((request) => request.url().includes('verify.checks'))
      // The beginning of a CBOR map. The rest is missing.
      const buffer = Buffer.from('a26affff00', 'hex')
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'licence.cbor', mimeType: 'application/cbor', buffer })
      expect((await checked).postData()).toContain('"omr__wA"')
      await page.getByText('The credential is not valid.').waitFor()
      const step = page.getByRole('listitem').filter({ hasText: 'Format' })
      expect(await step.textContent()).not.toContain('Unsupported')
    })
  })

  it('reports an empty field, and a text that is not a credential', async () => {
    await desk.opened('/verify', async (page) => {
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByText('Fill in this field.').waitFor()
      await page.getByLabel('Credential', { exact: true }).fill('no credential')
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByText('Details', { exact: true }).click()
      await page.getByText('Unsupported credential format.').waitFor()
      await page.getByRole('button', { name: 'Clear' }).click()
      await page.getByText('The checks appear here.').waitFor()
    })
  })

  it('is good in every size, light and dark', async () => {
    const { credential } = await signed('dc+sd-jwt')
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/verify`)
      await page.getByText('The checks appear here.').waitFor()
      await assertGood(page, `verify-empty-${name}`)
      await page.getByLabel('Credential', { exact: true }).fill(credential)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByText('The credential is valid.').waitFor()
      await assertGood(page, `verify-${name}`)
    })
  })
})
