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
  it('shows every operation, with files of this service only and without an error in the developer console', async () => {
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
    const { paths } = (await service.request('GET', '/api-docs-json')).json
    const operations = Object.values<object>(paths).flatMap((methods) => Object.keys(methods))
    expect(await page.locator('.opblock').count()).toBe(operations.length)
    expect(await page.locator('.info .title').innerText()).toContain('Credence')

    const verify = page.locator('.opblock', { hasText: '/credentials/verify' })
    await verify.locator('.opblock-summary-control').click()
    await verify.locator('.responses-table').first().waitFor()
    expect(complaints).toEqual([])
    const foreign = requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))
    expect(foreign).toEqual([])
  })
})
