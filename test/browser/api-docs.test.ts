import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { ARGUMENTS } from './chromium.js'

let service: TestService
let browser: Browser

beforeAll(async () => {
  service = await startService()
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

describe('/api-docs in a browser', () => {
  it('shows every operation and every webhook, with files of this service only and without an error in the developer console', async () => {
    const page = await browser.newPage()
    const requested: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))

    await page.goto(`${service.url}/api-docs`)
    await page.locator('.opblock').first().waitFor()
    const { paths, webhooks } = (await service.request('GET', '/api-docs-json')).json
    const operations = [...Object.values<object>(paths), ...Object.values<object>(webhooks)].flatMap((methods) =>
      Object.keys(methods),
    )
    // Swagger UI draws only the operations of a large document that are near the visible part of the page.
    const shown = new Set<string>()
    const scrolledUntil = async (isDone: () => boolean | Promise<boolean>) => {
      await page.evaluate('window.scrollTo(0, 0)')
      for (let step = 0; step < 200 && !(await isDone()); step += 1) {
        await page.mouse.wheel(0, 500)
        await page.waitForTimeout(50)
        const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
        for (const id of ids) shown.add(id)
      }
    }
    await page.mouse.move(600, 500)
    await scrolledUntil(() => shown.size === operations.length)
    expect(shown.size).toBe(operations.length)
    await page.evaluate('window.scrollTo(0, 0)')
    expect(await page.locator('.info .title').innerText()).toContain('Credence')

    const verify = page.locator('.opblock', { hasText: '/credentials/verify' })
    await scrolledUntil(async () => (await verify.count()) > 0)
    await verify.locator('.opblock-summary-control').click()
    await verify.locator('.responses-table').first().waitFor()
    expect(complaints).toEqual([])
    const foreign = requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))
    expect(foreign).toEqual([])
  })
})
