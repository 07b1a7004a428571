import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../client/console/texts/en.js'
import { driven, heading, startOpenService, watchedPage } from './actors.js'

const desk = driven(() => startOpenService())

/** A page whose answers all wait from `hold` to `release`. So a test sees what the page shows before an answer. */
async function slowPage(path: string) {
  const context = await desk.browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  const { page } = await watchedPage(context)
  await page.goto(`${desk.service.url}/console${path}`)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hold = () => page.route('**/*', (route) => released.then(() => route.continue()))
  return { page, hold, release: () => release(), context }
}

describe('on a slow network', () => {
  beforeAll(async () => {
    const type = { name: 'Badge', version: 1, schema: { type: 'object', properties: { name: { type: 'string' } } } }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
  })

  it.each(['Credential types', 'Credentials', 'Sessions', 'Audit', 'Requests'])(
    'the list of a screen that opens shows a skeleton at once: %s',
    async (name) => {
      const { page, hold, release, context } = await slowPage('/settings')
      await heading(page, 'Settings')
      await hold()
      await page.getByRole('link', { name, exact: true }).click()
      await page.locator('.skeleton:visible').first().waitFor()
      release()
      await heading(page, name)
      await page.locator('.skeleton:visible').first().waitFor({ state: 'detached' })
      await context.close()
    },
  )

  it('a button shows that it works, and a second press does nothing', async () => {
    const { page, hold, release, context } = await slowPage('/wallets')
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(request.url())
    })
    const make = page.getByRole('button', { name: en.wallets.make })
    await make.waitFor()
    await hold()
    await make.click()
    await page.locator('.busy').waitFor()
    expect(await make.isDisabled()).toBe(true)
    await make.click({ force: true })
    release()
    await heading(page, 'Hosted wallet')
    expect(calls).toHaveLength(1)
    await context.close()
  })
})
