import { type Browser, chromium } from 'playwright-core'
import { inTime } from '../../server/outbound/in-time.js'

/**
 * The times at which events happened when the console was opened, in milliseconds since the click. `KiB` is the traffic
 * until the checklist was shown.
 */
export interface FirstPaint {
  /** The page itself had arrived. */
  readonly html: number
  /** The first part was drawn. */
  readonly drawn: number
  /** The title of the screen was shown. */
  readonly title: number
  /** The last script or style that the overview needs had arrived. */
  readonly scripts: number
  /** The answer about the session had arrived. */
  readonly session: number
  /** The answer about the setup had arrived. */
  readonly setup: number
  /** The checklist could be read: the goal of this benchmark. */
  readonly checklist: number
  /** The checks that need other servers were shown too. */
  readonly complete: number
  readonly KiB: number
}

export const PARTS = ['html', 'drawn', 'title', 'scripts', 'session', 'setup', 'checklist', 'complete', 'KiB'] as const

/**
 * A script that records when the title and the first item of the checklist were drawn: in the frame after they were
 * added to the page.
 */
const WATCH = `
  window.seen = {}
  const found = (selector) => document.querySelector(selector) !== null
  const wanted = {
    title: () => found('main h1'),
    checklist: () => found('.checklist li'),
    complete: () => found('.checklist li') && !found('.panel:has(.checklist) .loading'),
  }
  const look = () => {
    for (const [name, isThere] of Object.entries(wanted)) {
      if (!isThere()) continue
      delete wanted[name]
      requestAnimationFrame(() => setTimeout(() => {
        window.seen[name] = performance.now()
        if (name === 'complete') allSeen()
      }))
    }
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
`

/**
 * A script that reads the browser's data about the loading of the page. The address of each request of the console
 * contains the names of the called procedures.
 */
const READ = `(() => {
  const all = performance.getEntriesByType('resource').filter(({ responseEnd }) => responseEnd <= window.seen.checklist)
  const lastOf = (is) => Math.max(...all.filter(is).map(({ responseEnd }) => responseEnd))
  const [page] = performance.getEntriesByType('navigation')
  return {
    html: page.responseEnd,
    drawn: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    title: window.seen.title,
    scripts: lastOf(({ name }) => name.includes('/console/assets/')),
    session: lastOf(({ name }) => /console[./]session/.test(name)),
    setup: lastOf(({ name }) => /setup[.?]/.test(name)),
    checklist: window.seen.checklist,
    complete: window.seen.complete,
    KiB: [page, ...all].reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024,
  }
})()`

/** Starts a browser for the benchmark. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })

/**
 * Opens the console once, as a new visitor.
 *
 * @param url of the console
 * @param slowDown the factor by which the browser's processor is slowed down
 */
export async function firstPaint(browser: Browser, url: string, slowDown: number): Promise<FirstPaint> {
  // A new context has an empty cache.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  try {
    const page = await context.newPage()
    const seen = new Promise<void>((resolve) => void page.exposeFunction('allSeen', resolve))
    await page.addInitScript(WATCH)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.clearBrowserCache')
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
    await page.goto(url, { waitUntil: 'commit' })
    await inTime(seen, 30_000)
    // READ returns exactly these members.
    return (await page.evaluate(READ)) as FirstPaint
  } finally {
    await context.close()
  }
}
