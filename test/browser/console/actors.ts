import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { textInPng } from '../../support/qr-code.js'
import { startService, type TestService } from '../../support/service.js'
import { ARGUMENTS } from '../chromium.js'
import { inTime } from '../in-time.js'

/** A service that anybody may use, as `npm start` has it. */
export const startOpenService = (env: Readonly<Record<string, string>> = {}): Promise<TestService> =>
  startService({ env: { AUTH_DISABLED: 'true', OIDC_JWKS_URL: '', ...env } })

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
]

/** A page, and what its browser had to complain of: errors of the console, of scripts, and reports of the policy. */
export interface Watched {
  readonly page: Page
  readonly complaints: readonly string[]
}

/** Opens a page in which every complaint of the browser is noted. */
export async function watchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.exposeFunction('noteViolation', (what: string) => complaints.push(what))
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => noteViolation('CSP: ' + violatedDirective + ' ' + blockedURI))`,
  )
  return { page, complaints }
}

/** Acts on a phone and on a desk, in light and in dark; the browser must have nothing to complain of. */
export async function onEveryScreen(browser: Browser, act: (page: Page, name: string) => Promise<void>): Promise<void> {
  for (const viewport of SIZES)
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' })
      const { page, complaints } = await watchedPage(context)
      await act(page, `${viewport.width}-${colorScheme}`)
      expect(complaints).toEqual([])
      await inTime('closing all windows', context.close())
    }
}

/** The service and the browser that the tests of a file use. */
export interface Driven {
  readonly service: TestService
  readonly browser: Browser
  /**
   * Opens a screen on a desk and acts on it. The browser must have nothing to complain of, but refusals that are meant.
   *
   * @param path below `/console`
   * @param refusals statuses of the answers that are meant to be refusals, in order
   */
  opened(path: string, act: (page: Page) => Promise<void>, refusals?: readonly number[]): Promise<void>
}

/** A service and a browser for all tests of a file, begun before the first and ended after the last. */
export function driven(start: () => Promise<TestService> = startOpenService): Driven {
  let service: TestService | undefined
  let browser: Browser | undefined
  const begun = <Of>(what: Of | undefined): Of => {
    if (what === undefined) throw new Error('Nothing runs before the first test.')
    return what
  }
  beforeAll(async () => {
    service = await start()
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })
  return {
    get service() {
      return begun(service)
    },
    get browser() {
      return begun(browser)
    },
    opened: async (path, act, refusals = []) => {
      const context = await begun(browser).newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
      const { page, complaints } = await watchedPage(context)
      await page.goto(`${begun(service).url}/console${path}`)
      await act(page)
      const refused = refusals.map((status) => expect.stringContaining(`responded with a status of ${status} `))
      expect(complaints).toEqual(refused)
      await inTime('closing all windows', context.close())
    },
  }
}

/** Waits for a screen by its title. */
export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/**
 * Waits until nothing on the screen is loading. It does not wait for requests that the screen can do without. A test
 * that needs the answer of such a request waits for the content that the answer shows.
 */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.waitForLoadState('load')
  await expect.poll(() => page.locator('.loading').allTextContents()).toEqual([])
}

/** What the code on the screen says. */
export const scanned = async (page: Page): Promise<string> => textInPng(await page.getByRole('img').screenshot()) ?? ''
