import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, type Source, startSource } from '../../issuer/claims-source/source.js'
import { textInPng } from '../../support/qr-code.js'
import { assertGood } from '../actors.js'
import { driven, heading, startOpenService } from './actors.js'
import { choose, press, tabTo, typeInto } from './keyboard.js'

let source: Source
beforeAll(async () => {
  source = await startSource()
})
afterAll(() => source[Symbol.asyncDispose]())

const desk = driven(() => startOpenService({ OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }))

describe('a claims source in the console', () => {
  it('is entered and tested with the keyboard alone; the next version keeps its secret', async () => {
    await desk.opened('/types/new-type', async (page) => {
      await heading(page, 'New credential type')
      await typeInto(page, 'Technical name', 'Diploma')
      await typeInto(page, 'Name', 'Diploma')
      await typeInto(page, 'Claim, claim 1', 'degree')
      await press(page, 'Claims source (optional)')
      await typeInto(page, 'Address of your system', source.url)
      await choose(page, 'How the service identifies itself', 'B')
      await page.getByLabel('Token').waitFor()
      await assertGood(page, 'claims-source-edited')
      await press(page, 'Publish')
      await page.getByLabel('Token').and(page.locator('[aria-invalid=true]')).waitFor()
      await typeInto(page, 'Token', 'secret-token')
      await press(page, 'Publish')
      await heading(page, 'Diploma')
      await page.getByText('Bearer token').waitFor()

      source.answers((_, response) => json(response, 200, { credentialSubject: { degree: 'Physics' } }))
      await typeInto(page, 'Made-up reference', 'M-1')
      await press(page, 'Test the source')
      await page.getByText('The source answered with claims that can be issued.').waitFor()
      await page.getByText('"degree": "Physics"').waitFor()
      expect(source.asked[0]?.json.data).toMatchObject({ reference: 'M-1', test: true })
      expect(source.asked[0]?.headers.authorization).toBe('Bearer secret-token')
      await assertGood(page, 'claims-source-tested')

      source.answers((_, response) => json(response, 200, { credentialSubject: { degree: 7 } }))
      await press(page, 'Test the source')
      await page.getByText('The source answered with claims that the schema refuses.').waitFor()
      await page.getByText('credentialSubject.degree must be string').waitFor()

      await page.goto(`${desk.service.url}/console/types/Diploma/edit`)
      await page.getByRole('button', { name: 'Publish version 2' }).click()
      await heading(page, 'Diploma')
      await page.getByText('Version 2').first().waitFor()
      source.answers((_, response) => json(response, 404, {}))
      await typeInto(page, 'Made-up reference', 'M-2')
      await press(page, 'Test the source')
      await page.getByText('The source does not know this reference.').waitFor()
      expect(source.asked[0]?.headers.authorization).toBe('Bearer secret-token')
    })
  })

  it('gives an offer its claims later: the offer has only a reference', async () => {
    await desk.opened('/offers?type=Diploma', async (page) => {
      await heading(page, 'Offer a credential')
      await page.getByLabel('degree').waitFor()
      await tabTo(page, 'Ask the claims source when a wallet takes the credential')
      await page.keyboard.press('Space')
      expect(await page.getByLabel('degree').count()).toBe(0)
      await typeInto(page, 'Reference', 'M-1')
      await assertGood(page, 'claims-source-offer')
      await press(page, 'Create offer')
      await heading(page, 'M-1')
      const link = textInPng(await page.getByRole('img').screenshot()) ?? ''
      expect(link).toMatch(/^openid-credential-offer:/)
    })
  })

  it('appears in the checklist after a failure', async () => {
    source.answers((_, response) => json(response, 400, {}))
    const [type] = (await desk.service.request('GET', '/api/v1/schemas?name=Diploma&active=true')).json.items
    await desk.service.request('POST', `/api/v1/schemas/${type.id}/claims-source/test`, { body: { reference: 'M-3' } })
    await desk.opened('/', async (page) => {
      await page.getByText('attention.').click()
      await page.getByText('The claims source of Diploma failed at its last request:').waitFor()
    })
  })
})
