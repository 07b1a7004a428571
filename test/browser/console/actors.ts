import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { startService, type TestService } from '../../support/service.js'

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
      await context.close()
    }
}
