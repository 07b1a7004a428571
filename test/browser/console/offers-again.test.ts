import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { textInPng } from '../../support/qr-code.js'
import { assertGood } from '../actors.js'
import { driven, heading } from './actors.js'

const desk = driven()

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name' },
    level: { type: 'string', title: 'Level', enum: ['gold', 'silver'] },
  },
}
const offer = { credentialConfigurationIds: ['Club-sd-jwt'], credentialSubject: { name: 'Ada', level: 'gold' } }
const made = async (members: object = {}): Promise<string> => {
  const { status, json, text } = await desk.service.request('POST', '/credential-offers', {
    body: { ...offer, ...members },
  })
  expect(status, text).toBe(201)
  return json.credentialOfferSessionId
}
const again = async (id: string) => (await desk.service.request('GET', `/api/v1/credential-offers/${id}`)).json

describe('offers that were made before', () => {
  beforeAll(async () => {
    const type = { name: 'Club', version: 1, schema }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
  })

  it('are open again, get a new link with a PIN, and are cancelled with a reason', async () => {
    const id = await made()
    await desk.opened(`/offers/${id}`, async (page) => {
      const code = page.getByRole('img', { name: 'QR code of the offer' })
      await code.waitFor()
      const first = (await again(id)).credentialOfferUri
      expect(textInPng(await code.screenshot())).toBe(first)
      await page.getByRole('button', { name: 'Send a new link' }).click()
      await page.getByRole('dialog').getByLabel('Also a new PIN').check()
      await page.getByRole('dialog').getByRole('button', { name: 'Send a new link' }).click()
      await page.locator('.pin').waitFor()
      const { credentialOfferUri, txCode } = await again(id)
      expect(credentialOfferUri).not.toBe(first)
      expect(await page.locator('.pin').textContent()).toBe(txCode)
      await assertGood(page, 'offer-again')
      await page.getByRole('button', { name: 'Cancel offer' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('Wrong person')
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel offer' }).click()
      await page.getByText('Wrong person').waitFor()
      await code.waitFor({ state: 'detached' })
    })
    expect(await again(id)).toMatchObject({ state: 'Error', errorMessage: 'Offer cancelled.', reason: 'Wrong person' })
  })

  it('are approved with corrected claims, in a form with the offered claims', async () => {
    const id = await made({ deferred: true, label: 'Ada Lovelace' })
    await desk.opened(`/offers/${id}`, async (page) => {
      await page.getByRole('definition').filter({ hasText: 'Ada Lovelace' }).waitFor()
      await page.getByRole('button', { name: 'Correct claims' }).click()
      expect(await page.getByLabel('Name', { exact: false }).first().inputValue()).toBe('Ada')
      await page.getByLabel('Level').selectOption('silver')
      await assertGood(page, 'offer-corrected')
      await page.getByRole('button', { name: 'Approve with these claims' }).click()
      await page.getByText('You have approved the offer.').waitFor()
    })
    const { deferred } = await again(id)
    expect(deferred).toBe('approved')
  })

  it('of a batch are cancelled together, and their result file is saved', async () => {
    const rows = ['a', 'b'].map((key) => ({ ...offer, key }))
    const body = { rows, batch: { name: 'Winter term' } }
    expect((await desk.service.request('POST', '/api/v1/credential-offers/batch', { body })).status).toBe(200)
    await desk.opened('/offers/batches', async (page) => {
      await page.getByRole('link', { name: 'Winter term' }).waitFor()
      await assertGood(page, 'batches')
      await page.getByRole('link', { name: 'Winter term' }).click()
      await heading(page, 'Winter term')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as CSV' }).click(),
      ])
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['a', 'b'])
      await page.getByRole('button', { name: 'Cancel open offers' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel open offers' }).click()
      await page.getByText('Cancelled at').waitFor()
      await assertGood(page, 'batch-cancelled')
    })
    const { items } = (await desk.service.request('GET', '/api/v1/offer-batches')).json
    expect(items[0]).toMatchObject({ name: 'Winter term', cancelledAt: expect.any(String) })
  })
})
