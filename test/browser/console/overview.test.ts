import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { assertGood } from '../actors.js'
import { driven, onEveryScreen, quiet, watchedPage } from './actors.js'

const desk = driven()

describe('the overview', () => {
  it('is good in every size, light and dark: checklist, health, issuer and verifier, documents', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/`)
      await page.getByText('The service is ready.').waitFor()
      await page.getByText('Sign-in is off').waitFor()
      await page.getByText('default', { exact: true }).nth(1).waitFor()
      expect(await page.getByText('There is no credential type yet.').isVisible()).toBe(false)
      await page.getByText(/^\d+ of \d+ checks needs? attention\.$/).click()
      await page.getByText('There is no credential type yet.').waitFor()
      await page.getByText('Credentials issued').first().waitFor()
      const chart = page.getByRole('img', { name: 'The last 30 days' })
      await chart.waitFor()
      // The texts of the chart are as large as other small texts, also on a phone.
      const heights = await chart
        .locator('text')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
      expect(Math.min(...heights)).toBeGreaterThan(10)
      await assertGood(page, `overview-${name}`)
    })
  })

  it('the chart has space for the numbers of its axis, from 1 to 10,000,000, in both languages, also on a phone', async () => {
    // The row is replaced, because an hour may end between two counts.
    const counted = (count: number) =>
      query(
        desk.service.databaseUrl,
        `DELETE FROM statistics WHERE type = 'Axis';
         INSERT INTO statistics (step, at, measure, type, detail, count)
         VALUES ('hour', date_trunc('hour', now()), 'issued', 'Axis', '', ${count})`,
      )
    const tops: string[] = []
    for (const [locale, name] of [
      ['en-GB', 'The last 30 days'],
      ['de-AT', 'Die letzten 30 Tage'],
    ] as const)
      for (const width of [360, 1440]) {
        const context = await desk.browser.newContext({ locale, viewport: { width, height: 900 } })
        const { page } = await watchedPage(context)
        for (const count of [1, 950, 12_345, 999_999, 3_000_001, 10_000_000]) {
          await counted(count)
          await page.goto(`${desk.service.url}/console/`)
          const chart = page.getByRole('img', { name })
          await chart.waitFor()
          const box = await chart.boundingBox()
          // The text outside of groups is the unit.
          const texts = chart.locator('g > text')
          const shown = await texts.evaluateAll((all) =>
            all.map((each) => {
              const { left, right } = each.getBoundingClientRect()
              return { text: each.textContent, left, right }
            }),
          )
          for (const { text, left } of shown)
            expect(left, `${text} of ${count}, ${locale} ${width}`).toBeGreaterThanOrEqual(box?.x ?? 0)
          // The first five texts are the numbers, from the lowest to the highest. The other texts are the days, which
          // must not overlap.
          const days = shown.slice(5)
          for (const [at, { text, left }] of days.slice(1).entries())
            expect(left, `${text}, ${locale} ${width}`).toBeGreaterThan(days[at]?.right ?? 0)
          if (width === 360) tops.push(shown[4]?.text ?? '')
        }
        await context.close()
      }
    await query(desk.service.databaseUrl, `DELETE FROM statistics WHERE type = 'Axis'`)
    expect(tops).toEqual([
      ...['4', '1K', '20K', '1M', '4M', '10M'],
      ...['4', '1000', '20.000', '1\u00a0Mio.', '4\u00a0Mio.', '10\u00a0Mio.'],
    ])
  })

  it('has the language of the browser, or the chosen language', async () => {
    const context = await desk.browser.newContext({ locale: 'de-AT' })
    const { page, complaints } = await watchedPage(context)
    await page.goto(`${desk.service.url}/console/`)
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('the navigation has the screens in groups, each with a heading and an icon', async () => {
    await desk.opened('/', async (page) => {
      const nav = page.getByRole('navigation', { name: 'Screens' })
      await nav.getByRole('link', { name: 'Settings' }).waitFor()
      const group = (name: string) => nav.getByRole('list', { name }).getByRole('link')
      expect(await group('Issue').allTextContents()).toEqual(['Credential types', 'Offers', 'Credentials'])
      expect(await group('Verify').allTextContents()).toEqual(['Requests', 'Check a credential'])
      expect(await group('Operate').count()).toBe(6)
      expect(await nav.getByRole('link').locator('svg').count()).toBe(await nav.getByRole('link').count())
      const width = "document.querySelector('.brand img').naturalWidth"
      await expect.poll(() => page.evaluate<number>(width)).toBeGreaterThan(0)
      const icon = await page.locator('link[rel="icon"]').getAttribute('href')
      const { status, headers } = await fetch(new URL(icon ?? '', desk.service.url))
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    })
  })

  it('has the colours of the system, or the chosen colours, also after a reload', async () => {
    await desk.opened('/', async (page) => {
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      await page.emulateMedia({ colorScheme: 'light' })
      const light = await background()
      await page.getByLabel('Colours').selectOption('dark')
      const dark = await background()
      expect(dark).not.toBe(light)
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      expect(await background()).toBe(dark)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.getByLabel('Colours').selectOption('light')
      expect(await background()).toBe(light)
      await page.getByLabel('Colours').selectOption('as the system')
      expect(await background()).toBe(dark)
    })
  })

  it('an unknown address shows a sentence and a link back', async () => {
    const { page } = await watchedPage(await desk.browser.newContext({ locale: 'en-GB' }))
    await page.goto(`${desk.service.url}/console/nowhere/at/all`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.context().close()
  })

  it('shows the checks without other servers at once, and the other checks when the other servers have answered', async () => {
    const { page } = await watchedPage(await desk.browser.newContext({ locale: 'en-GB' }))
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/trpc\/setup\.read/, async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${desk.service.url}/console/`)
    await page.getByText('attention.').click()
    await page.getByText('There is no credential type yet.').waitFor()
    await page.getByText('Checking addresses').waitFor()
    // The other calls get their answers while the slow call still waits.
    await page.getByRole('img', { name: 'The last 30 days' }).waitFor()
    expect(await page.getByText('wallets on other devices cannot reach it').count()).toBe(0)
    answer()
    await page.getByText('wallets on other devices cannot reach it').first().waitFor()
    expect(await page.getByText('Checking addresses').count()).toBe(0)
    await page.context().close()
  })

  it('has the next steps until there is a type, an offer and a request', async () => {
    const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
    const post = async (path: string, body: object) =>
      expect((await desk.service.request('POST', path, { body })).status).toBe(201)
    await desk.opened('/', async (page) => {
      const steps = page.getByRole('heading', { name: 'Next steps' })
      await steps.waitFor()
      await post('/schemas', demonstration)
      const credentialSubject = { productName: 'Espresso', merchant: 'Shop', purchaseDate: '2026-03-01' }
      await post('/credential-offers', { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject })
      await page.reload()
      await steps.waitFor()
      await post('/authorization-requests', {
        query: [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }],
      })
      await steps.waitFor({ state: 'detached' })
      await assertGood(page, 'overview-without-steps')
    })
  })

  it('reads each of its data at most once when it opens, and once more when its stream begins', async () => {
    // A counter that grows later is a change, after which the overview reads its figures once more.
    const isCounted = async () => {
      const text = `SELECT high = (SELECT max(id) FROM audit_events) AS "is" FROM statistics_progress`
      return (await query(desk.service.databaseUrl, text))[0]?.is
    }
    await expect.poll(isCounted).toBe(true)
    const { page } = await watchedPage(await desk.browser.newContext({ locale: 'en-GB' }))
    const calls: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      const names = pathname.startsWith('/trpc/') ? decodeURIComponent(pathname.slice('/trpc/'.length)).split(',') : []
      const inputs = JSON.parse(searchParams.get('input') ?? '{}')
      calls.push(...names.map((name, at) => `${name} ${JSON.stringify(inputs[at])}`))
    })
    await page.goto(`${desk.service.url}/console/`)
    await page.getByText('The service is ready.').waitFor()
    const times = (start: string) => calls.filter((call) => call.startsWith(start)).length
    // The first event of the stream lets the overview read everything again.
    await quiet(page)
    expect([times('statistics.read'), times('agent.issuers')]).toEqual([2, 2])
    expect([...new Set(calls)].filter((call) => calls.filter((other) => other === call).length > 2)).toEqual([])
    await page.context().close()
  })

  it('says that the service does not answer, and reads again by itself when it answers', async () => {
    const { page } = await watchedPage(await desk.browser.newContext({ locale: 'en-GB' }))
    await page.clock.install()
    await page.goto(`${desk.service.url}/console/`)
    await page.getByText('The service is ready.').waitFor()
    await page.route('**/*', (route) => route.abort('connectionrefused'))
    await page.clock.runFor(10_000)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
    const bar = page.getByText('The service cannot be reached.')
    await bar.waitFor()
    expect(await page.getByText('The service is ready.').isVisible()).toBe(true)
    await page.unroute('**/*')
    await page.clock.runFor(20_000)
    await bar.waitFor({ state: 'detached' })
    await page.context().close()
  })
})
