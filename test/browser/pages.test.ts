import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textInPng } from '../support/qr-code.js'
import { startService, type TestService } from '../support/service.js'
import { assertGood, inEverySize } from './actors.js'
import { ARGUMENTS } from './chromium.js'

const CARD = {
  name: 'MembersCard',
  version: 1,
  title: 'Member’s card',
  display: [{ name: 'Member’s card', description: 'Of the library of Delft', background_color: '#1f4d3a' }],
  schema: {
    type: 'object',
    properties: {
      given_name: { type: 'string', title: 'Given name' },
      family_name: { type: 'string', title: 'Family name' },
      member_number: { type: 'string' },
      joinedOn: { type: 'string', title: 'Member since' },
    },
    required: ['given_name'],
  },
}
const MARKUP = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
const SUBJECT = { given_name: 'Ada' }

let service: TestService
let browser: Browser

const post = async (path: string, body: unknown) => {
  const answer = await service.request('POST', path, {
    authorization: await service.bearer('issuer'),
    client: true,
    body,
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

beforeAll(async () => {
  service = await startService({ env: { AUTH_DISABLED: 'true', OIDC_JWKS_URL: '' } })
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
  await post('/schemas', CARD)
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

/** Complaints of a page in the developer console: refused styles and scripts, missing files. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** Reads the QR code that the page shows, as the camera of a phone does. */
const seenByCamera = async (page: Page): Promise<string> =>
  textInPng(await page.screenshot({ fullPage: true })) ?? 'no QR code is seen'

describe('the page at /', () => {
  it('follows the rules for pages in every size, light and dark', async () => {
    await inEverySize(browser, async (page, name) => {
      const complaints = complaintsOf(page)
      await page.goto(`${service.url}/`)
      await page.getByText('Running', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Console' }).waitFor()
      await assertGood(page, `home-${name}`)
      expect(complaints).toEqual([])
    })
  })

  it('leads to the reference with the keyboard alone and without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.url}/`)
    for (let links = 0; links < 2; links++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/api-docs/)
    await context.close()
  })
})

describe('a camera’s path', () => {
  it('the QR code on a screen opens the page, and the page’s link opens the offer', async () => {
    const offer = await post('/credential-offers', {
      credentialConfigurationIds: ['MembersCard-sd-jwt'],
      credentialSubject: SUBJECT,
      page: true,
    })
    await inEverySize(browser, async (screen, name) => {
      await screen.goto(offer.pageUrl)
      const seen = await seenByCamera(screen)
      expect(seen).toBe(offer.pageUrl)
      const phone = await browser.newContext({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false })
      const page = await phone.newPage()
      await page.goto(seen)
      await page.getByText('Member since').waitFor()
      expect(await page.getByRole('link', { name: 'Open my wallet' }).getAttribute('href')).toBe(
        offer.credentialOfferUri,
      )
      await phone.close()
      await assertGood(screen, `camera-${name}`)
    })
    const [, byReference = ''] = /credential_offer_uri=([^&]+)/.exec(offer.credentialOfferUri) ?? []
    const taken = await fetch(decodeURIComponent(byReference))
    expect(await taken.json()).toMatchObject({ credential_configuration_ids: ['MembersCard-sd-jwt'] })
  })

  it('the address in the QR code of an offering or a request shows a page in a browser', async () => {
    const offering = await post('/api/v1/offerings', { credential_type: 'MembersCard', credential_subject: SUBJECT })
    const asked = await post('/authorization-requests', {
      dcqlQuery: {
        credentials: [
          {
            id: 'card',
            format: 'dc+sd-jwt',
            meta: { vct_values: [`${service.url}/vct/MembersCard`] },
            claims: [{ path: ['given_name'] }, { path: ['joinedOn'] }],
          },
        ],
      },
    })
    await inEverySize(browser, async (page, name) => {
      const complaints = complaintsOf(page)
      await page.goto(offering.qr_code_url)
      await page.waitForURL(/\/receive\//)
      expect(await seenByCamera(page)).toBe(offering.offering_full_url)
      await page.getByText('Given name').waitFor()
      await assertGood(page, `offering-${name}`)
      await page.goto(asked.qr_code_url)
      await page.waitForURL(/\/present\//)
      expect(await seenByCamera(page)).toBe(asked.authorizationRequestUri)
      await page.getByText('Does the camera not find the code?').click()
      await assertGood(page, `request-${name}`)
      expect(complaints).toEqual([])
    })
  })
})

describe('pages of errors', () => {
  it('explain the error in words', async () => {
    await inEverySize(browser, async (page, name) => {
      const unknown = await page.goto(`${service.url}/receive/${crypto.randomUUID()}`)
      expect(unknown?.status()).toBe(404)
      await page.getByText('Ask the sender for a new link.').waitFor()
      await assertGood(page, `unknown-${name}`)
    })
  })
})

describe('texts of a credential type', () => {
  it('is shown as text, even if it looks like HTML, and breaks no page, even if it is long', async () => {
    await post('/schemas', {
      name: 'Hostile',
      version: 1,
      title: MARKUP,
      display: [
        {
          name: `${MARKUP}${'W'.repeat(140)}`,
          description: MARKUP.repeat(17),
        },
      ],
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 300 }, (_, at) => [
            `claim_${at}`,
            { title: at === 0 ? MARKUP.repeat(300) : `Claim ${at}` },
          ]),
        ),
      },
    })
    const offering = await post('/api/v1/offerings', { credential_type: 'Hostile', credential_subject: {} })
    await inEverySize(browser, async (page, name) => {
      const complaints = complaintsOf(page)
      page.on('dialog', () => complaints.push('a script ran'))
      await page.goto(offering.qr_code_url)
      await page.getByText('and 288 more').waitFor()
      expect(await page.locator('main img').count()).toBe(2)
      expect(await page.locator('script, svg').count()).toBe(0)
      await assertGood(page, `hostile-${name}`)
      expect(complaints).toEqual([])
    })
  })
})
