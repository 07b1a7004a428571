import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConsoleService, startConsole } from '../../console/actors.js'
import { query } from '../../support/postgres.js'
import { assertGood } from '../actors.js'
import { driven, heading, quiet } from './actors.js'

let started: ConsoleService
beforeAll(async () => {
  started = await startConsole()
})
const desk = driven(async () => started.service)
afterAll(() => started?.provider.close())

describe('a console with a login', () => {
  it('leads a user through the login to the requested screen, and signs the user out again', async () => {
    await desk.opened('/types/new-type', async (page) => {
      await heading(page, 'You are not signed in')
      await assertGood(page, 'closed')
      await page.getByRole('link', { name: 'Sign in' }).click()
      await heading(page, 'New credential type')
      expect(page.url()).toBe(`${desk.service.url}/console/types/new-type`)
      await page.getByText('Alice').waitFor()
      // The test does not check the provider's own page, which requests a font of another host.
      await page.route(`${started.provider.issuer}/**`, (route) => route.fulfill({ body: 'Signed out.' }))
      // The service refuses a call that is under way when the session ends.
      await quiet(page)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${started.provider.issuer}/**`)
      await page.goto(`${desk.service.url}/console/`)
      await heading(page, 'You are not signed in')
    })
  })

  it('keeps the input when the session ends, and continues after a login in another window', async () => {
    await desk.opened(
      '/types/new-type',
      async (page) => {
        await page.getByRole('link', { name: 'Sign in' }).click()
        await page.getByLabel('Technical name').fill('Membership')
        await page.getByLabel('Claim, claim 1').fill('level')
        await quiet(page)
        await query(desk.service.databaseUrl, 'DELETE FROM console_sessions')
        await page.getByRole('button', { name: 'Publish' }).click()
        await page.getByText('Your session has ended.').waitFor()
        await assertGood(page, 'session-ended')
        expect(await page.getByLabel('Claim, claim 1').inputValue()).toBe('level')
        await page.getByRole('link', { name: 'Sign in (new window)' }).click()
        await page.getByText('Your session has ended.').waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Publish' }).click()
        await heading(page, 'Membership')
      },
      [401],
    )
  })
})

it('with CONSOLE=off, a built console is not served', async () => {
  const status = async (service: string) => (await fetch(`${service}/console/`)).status
  expect(await status(desk.service.url)).toBe(200)
  await using off = await startConsole({ env: { CONSOLE: 'off' } })
  expect(await status(off.service.url)).toBe(404)
})
