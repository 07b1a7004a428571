import { describe, expect, it } from 'vitest'
import { LOOPBACK } from '../../support/wallet.js'
import { driven, quiet, startOpenService, watchedPage } from './actors.js'

const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]

const desk = driven(() => startOpenService(LOOPBACK))

async function makeRequest(): Promise<void> {
  const made = await desk.service.request('POST', '/authorization-requests', { body: { query: QUERY } })
  expect(made.status, made.text).toBe(201)
}

describe('lists of the console', () => {
  it('update live in two tabs, which share one stream; if the tab with the stream closes, the other tab opens a stream', async () => {
    const context = await desk.browser.newContext()
    const streams: string[] = []
    context.on('request', (request) => {
      if (request.url().includes('/trpc/console.events')) streams.push(request.url())
    })
    const tabs = [await watchedPage(context), await watchedPage(context)] as const
    const [one, two] = [tabs[0].page, tabs[1].page]
    const rows = (page: typeof one) => page.getByRole('table').getByRole('row')
    for (const page of [one, two]) {
      await page.goto(`${desk.service.url}/console/sessions`)
      await page.getByRole('link', { name: 'New request' }).waitFor()
    }
    await expect.poll(() => streams.length).toBe(1)
    await makeRequest()
    for (const page of [one, two]) {
      await page.bringToFront()
      await expect.poll(() => rows(page).count()).toBe(2)
    }
    expect(streams).toHaveLength(1)
    await expect.poll(() => desk.service.platform.events.open()).toBe(1)
    await one.close()
    await expect.poll(() => streams.length).toBe(2)
    await makeRequest()
    await expect.poll(() => rows(two).count()).toBe(3)
    await expect.poll(() => desk.service.platform.events.open()).toBe(1)
    expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([])
    await context.close()
  })

  it('are read after a minute without input in a way that does not extend the session', async () => {
    const context = await desk.browser.newContext()
    const { page } = await watchedPage(context)
    await page.clock.install()
    await page.goto(`${desk.service.url}/console/sessions`)
    await page.getByRole('table').waitFor()
    const unattended = async (change: () => Promise<void>) => {
      const [read] = await Promise.all([
        page.waitForRequest((request) => request.url().includes('verificationSessions.list')),
        change(),
        page.clock.runFor(3_000),
      ])
      return (await read.allHeaders())['x-console-idle']
    }
    await page.mouse.move(200, 200)
    expect(await unattended(makeRequest)).toBeUndefined()
    await page.clock.fastForward(61_000)
    expect(await unattended(makeRequest)).toBe('1')
    await page.mouse.move(300, 200)
    expect(await unattended(makeRequest)).toBeUndefined()
    await context.close()
  })

  it('are not read again while the window is hidden, but when it is shown again', async () => {
    const context = await desk.browser.newContext()
    const { page } = await watchedPage(context)
    await page.goto(`${desk.service.url}/console/sessions`)
    const rows = page.getByRole('table').getByRole('row')
    await rows.first().waitFor()
    await quiet(page)
    const before = await rows.count()
    const show = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
         document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await show(true)
    await makeRequest()
    await page.waitForTimeout(4_000)
    expect(await rows.count()).toBe(before)
    await show(false)
    await expect.poll(() => rows.count()).toBe(before + 1)
    await context.close()
  })

  it('are read less often while changes follow one another, and once more after the last change', async () => {
    const context = await desk.browser.newContext()
    const { page, complaints } = await watchedPage(context)
    let reads = 0
    page.on('request', (request) => {
      if (request.url().includes('verificationSessions.list')) reads += 1
    })
    await makeRequest()
    await page.goto(`${desk.service.url}/console/sessions`)
    const rows = page.getByRole('table').getByRole('row')
    await rows.first().waitFor()
    await quiet(page)
    const before = await rows.count()
    reads = 0
    const changes = 24
    const began = performance.now()
    for (let made = 0; made < changes; made += 1) {
      await makeRequest()
      await page.waitForTimeout(500)
    }
    await expect.poll(() => rows.count()).toBe(before + changes)
    // A list that is read each second would be read at least twelve times. On a slow machine the changes take longer.
    const seconds = (performance.now() - began) / 1_000
    expect(reads).toBeLessThan(8 + Math.max(0, seconds - 15) / 5)
    expect(complaints).toEqual([])
    await context.close()
  })
})
