import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { inTime } from './in-time.js'

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious findings of axe. A page's own policy allows no script, so axe runs in an isolated world. */
async function findings(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page)
  const { frameTree } = await client.send('Page.getFrameTree')
  const { executionContextId: contextId } = await client.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  await client.send('Runtime.evaluate', { contextId, expression: await axe })
  const expression =
    'axe.run(document).then(({violations}) => JSON.stringify(violations.filter(({impact}) => impact === "serious" || impact === "critical").map(({id, nodes}) => id + ": " + nodes.map(({html}) => html).join(" "))))'
  const { result } = await client.send('Runtime.evaluate', { contextId, expression, awaitPromise: true })
  return JSON.parse(String(result.value))
}

/**
 * Waits for the end of changes of colour, because a colour between two states may have too little contrast. A page that
 * draws nothing ends no change, so the wait has a limit.
 */
const STILL = `Promise.race([
  Promise.allSettled(
    document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime < 1_000).map(({ finished }) => finished),
  ),
  new Promise((resolve) => setTimeout(resolve, 2_000)),
]).then(() => {})`

/**
 * Checks a page in a language against the rules for every page. If SCREENSHOTS names a folder, stores a picture
 * of the page.
 */
export async function assertGood(page: Page, name: string, language = 'en'): Promise<void> {
  const { SCREENSHOTS } = process.env
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true })
  await inTime(`the transitions of ${name}`, page.evaluate(STILL))
  expect(await inTime(`axe on ${name}`, findings(page)), name).toEqual([])
  const scrollsSideways = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  expect(await page.evaluate(scrollsSideways), name).toBe(false)
  expect(await page.locator('html').getAttribute('lang')).toBe(language)
  expect(await page.locator('h1:visible').count()).toBe(1)
}

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
]

/** Acts on a phone and on a desktop, in light and in dark. */
export async function inEverySize(
  browser: Browser,
  act: (page: Page, name: string, context: BrowserContext) => Promise<void>,
): Promise<void> {
  for (const viewport of SIZES)
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme })
      await act(await context.newPage(), `${viewport.width}-${colorScheme}`, context)
      await inTime('closing all windows', context.close())
    }
}
