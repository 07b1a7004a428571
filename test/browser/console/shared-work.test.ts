import { expect, it } from 'vitest'
import { assertGood } from '../actors.js'
import { driven, heading, startOpenService, watchedPage } from './actors.js'

const desk = driven(() => startOpenService())

const QUERY = { query: [{ fields: [{ path: ['$.type'], filter: { type: 'array', contains: { const: 'Badge' } } }] }] }

it('while the service does not answer, a bar says so and no input is lost; the form can be sent when the service answers again', async () => {
  const context = await desk.browser.newContext({ locale: 'en-GB' })
  const { page } = await watchedPage(context)
  await page.goto(`${desk.service.url}/console/types/new-type`)
  await page.getByLabel('Technical name').fill('Badge')
  await page.getByLabel('Claim, claim 1').fill('level')
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  await page.getByRole('button', { name: 'Publish' }).click()
  const bar = page.getByText('The service cannot be reached.')
  await bar.waitFor()
  await assertGood(page, 'away')
  await page.getByLabel('Title, claim 1').fill('Level')
  // If only a proxy answers (502), the service is unreachable too.
  await page.unroute('**/*')
  await page.route('**/*', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.waitForTimeout(1_500)
  expect(await bar.isVisible()).toBe(true)
  await page.unroute('**/*')
  await bar.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Technical name').inputValue()).toBe('Badge')
  expect(await page.getByLabel('Claim, claim 1').inputValue()).toBe('level')
  expect(await page.getByLabel('Title, claim 1').inputValue()).toBe('Level')
  await page.getByRole('button', { name: 'Publish' }).click()
  await heading(page, 'Badge')
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain('Badge')
  await context.close()
})

it('if two users delete the same saved query, the second user learns that it is deleted, and the list no longer shows it', async () => {
  const made = await desk.service.request('POST', '/api/v1/verifier/vp-queries', { body: QUERY })
  expect(made.status, made.text).toBe(201)
  await desk.opened(
    '/requests',
    async (page) => {
      // The first user acts a moment earlier, so the list of the second user cannot have changed yet.
      let release = () => {}
      const read = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/trpc/vpQueries.delete*', async (route) => {
        const path = `/api/v1/verifier/vp-queries/${made.json.id}`
        expect((await desk.service.request('DELETE', path)).status).toBeLessThan(300)
        await route.continue()
      })
      await page.getByRole('button', { name: 'Delete the query for Badge' }).click()
      // As soon as the list no longer has the query, another sentence takes the place of the refusal.
      await page.route(/vpQueries\.list/, (route) => read.then(() => route.continue()))
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('VP query not found').waitFor()
      release()
      await page.getByText('Delete the query for Badge').waitFor({ state: 'detached' })
      await expect.poll(() => page.getByRole('table', { name: 'Saved queries' }).count()).toBe(0)
    },
    [404],
  )
})
