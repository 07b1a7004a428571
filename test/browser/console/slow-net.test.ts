import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../client/console/texts/en.js'
import { driven, heading, startOpenService, watchedPage } from './actors.js'

const desk = driven(() => startOpenService())

/** Number of milliseconds that every answer takes. */
const LATENCY = 2_000
/** A user sees that something happens within this time, in milliseconds. The machine of the test may be slow. */
const AT_ONCE = 1_000

async function slowPage(path: string) {
  const context = await desk.browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  const { page } = await watchedPage(context)
  await page.goto(`${desk.service.url}/console${path}`)
  const client = await context.newCDPSession(page)
  const slow = () =>
    client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    })
  return { page, slow, context }
}

describe('on a slow network', () => {
  beforeAll(async () => {
    const type = { name: 'Badge', version: 1, schema: { type: 'object', properties: { name: { type: 'string' } } } }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
  })

  it.each(['Credential types', 'Credentials', 'Sessions', 'Audit', 'Requests'])(
    'the list of a screen that opens shows a skeleton at once: %s',
    async (name) => {
      const { page, slow, context } = await slowPage('/settings')
      await heading(page, 'Settings')
      await slow()
      await page.getByRole('link', { name, exact: true }).click()
      await page.locator('.skeleton:visible').first().waitFor({ timeout: AT_ONCE })
      await heading(page, name)
      await page.locator('.skeleton:visible').first().waitFor({ state: 'detached' })
      await context.close()
    },
  )

  it('a button shows that it works, and a second press does nothing', async () => {
    const { page, slow, context } = await slowPage('/wallets')
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(request.url())
    })
    const make = page.getByRole('button', { name: en.wallets.make })
    await make.waitFor()
    await slow()
    await make.click()
    await page.locator('.busy').waitFor({ timeout: AT_ONCE })
    expect(await make.isDisabled()).toBe(true)
    await make.click({ force: true, timeout: AT_ONCE }).catch(() => undefined)
    await heading(page, 'Hosted wallet')
    expect(calls).toHaveLength(1)
    await context.close()
  })
})
