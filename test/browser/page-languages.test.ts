import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGE_LANGUAGES } from '../../server/pages/texts/languages.js'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { newRequest } from '../issuer/openid4vci/sign-in-actors.js'
import { askOnPage } from '../people-pages/actors.js'
import { ARGUMENTS } from './chromium.js'
import { inTime } from './in-time.js'

const WALLETS = [{ name: 'Example Wallet', ios: 'https://apps.apple.com/app/id1', web: 'https://wallet.example' }]
const PAYMENT = {
  type: 'urn:eudi:sca:payment:1',
  credential_ids: ['purchase'],
  payload: {
    transaction_id: '8D8AC610-566D-4EF0-9C22-186B2A5ED793',
    payee: { name: 'Super Gaming Shop', id: 'DE89370400440532013000' },
    currency: 'EUR',
    amount: 1249.5,
    recurrence: { start_date: '2026-12-01', frequency: 'MNTH' },
    note: { inner: 'A text that the service does not know' },
  },
}
const MEMBER = {
  name: 'Member',
  version: 1,
  schema: {
    type: 'object',
    properties: {
      givenName: { type: 'string', title: 'Given name' },
      active: { type: 'boolean', title: 'Active member' },
      level: { enum: ['gold', 'silver'], title: 'Level' },
    },
    required: ['givenName'],
    additionalProperties: false,
  },
}

/** A phone and a desktop. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]

const MOST_BYTES = 60 * 1024

let issuer: Issuer
let browser: Browser
let axe: string

/** The pages, with a text that each has in the language of the reader. */
let pages: {
  readonly name: string
  readonly url: string
  readonly says: 'present.declineHint' | 'receive.take' | 'receive.waiting' | 'consent.accept' | 'error.nothingHere'
}[]

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  issuer = await startIssuer({
    env: { AUTH_DISABLED: 'true', WALLET_LINKS: JSON.stringify(WALLETS), SERVICE_CONTACT: 'help@example.org' },
  })
  const { service } = issuer
  const authorization = await issuer.authorization()
  await service.request('POST', '/schemas', { authorization, body: MEMBER })
  const { credentialOfferSessionId } = await issuer.makeOffer()
  const offer = await service.request('POST', '/pages', { authorization, body: { credentialOfferSessionId } })
  const asked = await askOnPage(service, { purpose: 'We check your order.', transactionData: [PAYMENT] })
  pages = [
    { name: 'present', url: asked.pageUrl, says: 'present.declineHint' },
    { name: 'receive', url: offer.json.url, says: 'receive.waiting' },
    { name: 'error', url: `${service.url}/receive/unknown`, says: 'error.nothingHere' },
  ]
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
})
afterAll(async () => {
  await browser?.close()
  await issuer?.service.close()
})

/** Runs axe in an isolated world, because the policy of a page allows no script. Returns the serious findings. */
async function axeOn(page: Page) {
  const client = await page.context().newCDPSession(page)
  const { frameTree } = await client.send('Page.getFrameTree')
  const { executionContextId: contextId } = await client.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  await client.send('Runtime.evaluate', { contextId, expression: axe })
  return {
    /** @param rules the rules to run; all rules if undefined */
    async findings(rules?: readonly string[]): Promise<string[]> {
      const options = JSON.stringify({
        resultTypes: ['violations'],
        preload: false,
        ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }),
      })
      const expression = `axe.run(document, ${options}).then(({violations}) => JSON.stringify(violations.filter(({impact}) => impact === "serious" || impact === "critical").map(({id, nodes}) => id + ": " + nodes.map(({html}) => html).join(" "))))`
      const { result } = await inTime(
        'axe',
        client.send('Runtime.evaluate', { contextId, expression, awaitPromise: true }),
      )
      return JSON.parse(String(result.value))
    },
    close: () => client.detach(),
  }
}

/** Rules whose outcome depends on the size of the window or on its colours. All other rules need one run for each page. */
const VISUAL_RULES = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block']

const SIDEWAYS = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

/** Checks a loaded page in both sizes, light and dark. */
async function assertAccessible(page: Page, name: string): Promise<void> {
  const { findings, close } = await axeOn(page)
  let rules: readonly string[] | undefined
  for (const viewport of SIZES) {
    await page.setViewportSize(viewport)
    expect(await page.evaluate(SIDEWAYS), `${name} scrolls sideways at ${viewport.width}`).toBe(false)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findings(rules), `${name} at ${viewport.width}, ${colorScheme}`).toEqual([])
      rules = VISUAL_RULES
    }
  }
  await close()
}

describe('the pages in every language', () => {
  let page: Page
  let all: typeof pages
  beforeAll(async () => {
    // One browser opens all pages, because the browser that began a consent or an answer sees more than others.
    page = await (await browser.newContext()).newPage()
    const { address } = newRequest({ scope: 'Member', redirect_uri: 'com.example.wallet:/callback' })
    await page.goto(`${issuer.service.url}${address}`)
    all = [...pages, { name: 'consent', url: page.url(), says: 'consent.accept' }]
  })
  afterAll(() => page?.context().close())

  it.each([...PAGE_LANGUAGES.keys()])(
    'in %s follow the rules of accessibility in both sizes, light and dark, from right to left too, and are small',
    async (lang) => {
      const { dir, texts } = PAGE_LANGUAGES.get(lang) ?? {}
      await page.setExtraHTTPHeaders({ 'accept-language': lang })
      for (const { name, url, says } of all) {
        const which = `${name} in ${lang}`
        const answer = await page.goto(url)
        const html = (await answer?.text()) ?? ''
        expect(Buffer.byteLength(html.replaceAll(/data:image\/[^"]+/g, '')), which).toBeLessThan(MOST_BYTES)
        expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]'), which).toEqual([
          lang,
          dir,
        ])
        expect(await page.locator('main').innerText(), which).toContain(texts?.[says])
        await assertAccessible(page, which)
      }
    },
  )

  it('decline without script: the form is sent, and the page says so', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'ar' })
    const page = await context.newPage()
    const asked = await askOnPage(issuer.service, { redirectUri: undefined })
    await page.goto(asked.pageUrl)
    const texts = PAGE_LANGUAGES.get('ar')?.texts
    await page.getByRole('button', { name: String(texts?.['consent.decline']) }).click()
    await page.getByText(String(texts?.['present.youDeclined'])).waitFor()
    expect(page.url()).toBe(asked.pageUrl)
    await context.close()
  })
})
