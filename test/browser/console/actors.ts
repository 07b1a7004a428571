import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { textInPng } from '../../support/qr-code.js'
import { startService, type TestService } from '../../support/service.js'
import { ARGUMENTS, EXECUTABLE } from '../chromium.js'
import { inTime } from '../in-time.js'

/** A service that everyone may use, as with `npm start`. */
export const startOpenService = (env: Readonly<Record<string, string>> = {}): Promise<TestService> =>
  startService({ env: { AUTH_DISABLED: 'true', OIDC_JWKS_URL: '', ...env } })

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
]

/** A page, and the complaints of its browser: errors in the developer console, errors of scripts, and violations of the content policy. */
export interface Watched {
  readonly page: Page
  readonly complaints: readonly string[]
}

/** The calls of a page to the service. */
interface Traffic {
  /** Calls without an answer. The stream of changes is not among them, because it does not end. */
  readonly underWay: Set<Request>
  /** Answers to requests for the stream of changes. */
  streams: number
}
const traffics = new WeakMap<Page, Traffic>()

/** Records the calls of a page, for `quiet`. */
function recordTraffic(page: Page): void {
  const traffic: Traffic = { underWay: new Set(), streams: 0 }
  const isStream = (request: Request) => request.url().includes('/trpc/console.events')
  const ended = (request: Request) => traffic.underWay.delete(request)
  page.on('request', (request) => {
    if (request.url().includes('/trpc/') && !isStream(request)) traffic.underWay.add(request)
  })
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  page.on('response', (response) => {
    if (isStream(response.request())) traffic.streams += 1
  })
  traffics.set(page, traffic)
}

/** Opens a page and records every complaint of the browser. */
export async function watchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage()
  recordTraffic(page)
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

/** Acts on a phone and on a desktop, in light and in dark. The browser must have no complaint. */
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
   * Opens a screen on a desktop and acts on it. The browser must complain about nothing except the expected refusals.
   *
   * @param path below `/console`
   * @param refusals statuses of the expected refusals, in order
   */
  opened(path: string, act: (page: Page) => Promise<void>, refusals?: readonly number[]): Promise<void>
}

/** A service and a browser for all tests of a file. They start before the first test and end after the last test. */
export function driven(start: () => Promise<TestService> = startOpenService): Driven {
  let service: TestService | undefined
  let browser: Browser | undefined
  const begun = <Of>(what: Of | undefined): Of => {
    if (what === undefined) throw new Error('Nothing runs before the first test.')
    return what
  }
  beforeAll(async () => {
    service = await start()
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS })
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

/** Waits for a screen by its whole title. The editor of a type has a title that contains the type's title. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

/**
 * Waits until nothing on the screen is loading. It does not wait for requests that the screen does not need. A test
 * that needs the answer to such a request must wait for the content that the answer shows.
 */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1:visible').waitFor()
  await page.waitForLoadState('load')
  await expect.poll(() => page.locator('.loading').allTextContents()).toEqual([])
}

/**
 * Waits until a screen makes no call any more. One second after the stream of changes begins, a screen reads all its
 * data again. If a test ends the session or counts calls before that, its outcome depends on the speed of the machine.
 */
export async function quiet(page: Page): Promise<void> {
  await settled(page)
  const traffic = traffics.get(page)
  if (traffic === undefined) throw new Error('Only a watched page records its calls.')
  await expect.poll(() => traffic.streams, { message: 'the stream of changes begins' }).toBeGreaterThan(0)
  // The timer of the screen has begun and is shorter, so it ends before this timer, also in a slow browser.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 2_000))')
  await expect.poll(() => traffic.underWay.size, { message: 'all calls are answered' }).toBe(0)
}

/** The content of the QR code on the screen. */
export const scanned = async (page: Page): Promise<string> => textInPng(await page.getByRole('img').screenshot()) ?? ''
