import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { newOffer, newRequest } from '../issuer/openid4vci/sign-in-actors.js'
import { type OpenidProvider, startOpenidProvider } from '../support/openid-provider.js'
import { assertGood, inEverySize } from './actors.js'
import { ARGUMENTS } from './chromium.js'

const PHOTO = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='}`
const SCHEMA = {
  type: 'object',
  properties: {
    givenName: { type: 'string', title: 'Given name' },
    birthDate: { type: 'string', format: 'date', title: 'Date of birth' },
    level: { enum: ['gold', 'silver'], title: 'Level' },
    active: { type: 'boolean', title: 'Active member' },
    points: { type: 'integer', title: 'Points', description: 'As of this month.' },
    nicknames: { type: 'array', title: 'Nicknames', items: { type: 'string' } },
    photo: { type: 'string', title: 'Photo' },
    address: {
      type: 'object',
      title: 'Address',
      properties: { street: { type: 'string', title: 'Street' }, country: { type: 'string', title: 'Country' } },
    },
  },
  required: ['givenName', 'active'],
  additionalProperties: false,
}
const SUBJECT = {
  givenName: 'Alice',
  birthDate: '1990-02-03',
  level: 'gold',
  active: true,
  points: 12,
  nicknames: ['Al', 'A very long nickname that does not break anywhere'.replaceAll(' ', '')],
  photo: PHOTO,
  address: { street: 'Main Street 1', country: 'NL' },
}
const DISPLAY = [{ name: 'Membership', description: 'Proves that you are a member of the club.' }]
const MEMBER = { name: 'Member', version: 1, schema: SCHEMA, display: DISPLAY }

let provider: OpenidProvider
let signing: Issuer
let local: Issuer
let browser: Browser

beforeAll(async () => {
  provider = await startOpenidProvider()
  signing = await startIssuer({ env: provider.env() })
  local = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
  await provider.register(signing.service.url)
  provider.user = { sub: 'alice', name: 'Alice Liddell' }
  for (const { service, authorization } of [signing, local])
    await service.request('POST', '/schemas', { authorization: await authorization(), body: MEMBER })
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
})
afterAll(async () => {
  await browser?.close()
  await signing?.service.close()
  await local?.service.close()
  await provider?.close()
})

/** Presses Tab until the element with this name has the focus, which must be visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  const target = page.getByRole('button', { name }).or(page.getByLabel(name)).first()
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element.ownerDocument.activeElement === element)) break
  }
  expect(await target.evaluate((element) => element.ownerDocument.activeElement === element), name).toBe(true)
  const outline = await target.evaluate(
    (element) =>
      // biome-ignore lint/suspicious/noExplicitAny: a window of the browser, whose types this program does not have.
      (element.ownerDocument as any).defaultView.getComputedStyle(element).outlineStyle,
  )
  expect(outline, name).not.toBe('none')
}

/** Returns the address to which a redirect leads, if the browser requests it. The address belongs to an app. */
async function leavesTo(page: Page, scheme: string, act: () => Promise<void>): Promise<URL> {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const left = new Promise<URL>((resolve) => {
    client.on('Network.requestWillBeSent', ({ request }) => {
      if (request.url.startsWith(`${scheme}:`)) resolve(new URL(request.url))
    })
    client.on('Page.frameRequestedNavigation', ({ url }) => {
      if (url.startsWith(`${scheme}:`)) resolve(new URL(url))
    })
  })
  await client.send('Page.enable')
  await act()
  return left
}

const offered = async () =>
  newRequest({
    issuer_state: (
      await newOffer(signing, {
        credentialConfigurationIds: ['Member-sd-jwt'],
        credentialSubject: SUBJECT,
        forSubject: 'alice',
      })
    ).issuer_state,
    scope: 'Member-sd-jwt',
    redirect_uri: 'com.example.wallet:/callback',
  }).address

describe('pages in a browser', () => {
  it('after sign-in the page shows every claim, in both sizes, light and dark', async () => {
    await inEverySize(browser, async (page, name) => {
      await page.goto(`${signing.service.url}${await offered()}`)
      await page.getByRole('heading', { name: 'Membership' }).waitFor()
      for (const text of ['Alice Liddell', 'Given name', '3 February 1990', 'Address › Country', 'Yes'])
        await page.getByText(text, { exact: true }).first().waitFor()
      const photo = page.getByRole('img', { name: 'Photo' })
      // biome-ignore lint/suspicious/noExplicitAny: an image of the browser, whose type this program does not have.
      expect(await photo.evaluate((image) => (image as any).naturalWidth)).toBe(1)
      await assertGood(page, `offer-${name}`)
    })
  })

  it('a person can agree with the keyboard alone, and the browser then opens the app', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${signing.service.url}${await offered()}`)
    const address = await leavesTo(page, 'com.example.wallet', async () => {
      await tabTo(page, 'Put it into my wallet')
      await page.keyboard.press('Enter')
    })
    expect(address.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    await context.close()
  })

  it('the form of a local installation can be filled in by keyboard alone; errors are beside their fields', async () => {
    await inEverySize(browser, async (page, name) => {
      const { address } = newRequest({ scope: 'Member', redirect_uri: 'com.example.wallet:/callback' })
      await page.goto(`${local.service.url}${address}`)
      await assertGood(page, `form-${name}`)
      await tabTo(page, 'Given name')
      await page.keyboard.type('Alice')
      await tabTo(page, 'Active member')
      await page.keyboard.press('Y')
      await tabTo(page, 'Points')
      await page.keyboard.type('1.5')
      await tabTo(page, 'Put it into my wallet')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      const points = page.getByLabel('Points')
      expect(await points.getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByLabel('Given name').inputValue()).toBe('Alice')
      await assertGood(page, `wrong-${name}`)
      await points.fill('12')
      const wallet = await leavesTo(page, 'com.example.wallet', () =>
        page.getByRole('button', { name: 'Put it into my wallet' }).press('Enter'),
      )
      expect(wallet.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    })
  })

  it('error pages follow the same rules', async () => {
    await inEverySize(browser, async (page, name) => {
      const answer = await page.goto(`${local.service.url}/openid4vci/authorize/unknown`)
      expect(answer?.status()).toBe(404)
      await assertGood(page, `error-${name}`)
    })
  })
})
