import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../client/console/texts/en.js'
import { type ConsoleService, startConsole } from '../../console/actors.js'
import { assertGood } from '../actors.js'
import { driven, heading, settled, watchedPage } from './actors.js'

let started: ConsoleService
beforeAll(async () => {
  started = await startConsole()
})
const desk = driven(async () => started.service)
afterAll(() => started?.provider.close())

const bar = (page: Page) => page.getByText('The service cannot be reached. Trying again')

/** The service stops: nobody answers at its address. */
const stopService = (page: Page) => page.route('**/*', (route) => route.abort('connectionrefused'))
const startService = (page: Page) => page.unroute('**/*')

async function opened(path: string): Promise<Page> {
  const { page } = await watchedPage(await desk.browser.newContext({ locale: 'en-GB' }))
  await page.goto(`${desk.service.url}/console${path}`)
  return page
}

async function signedIn(path: string): Promise<Page> {
  const page = await opened(path)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByText('Alice').waitFor()
  return page
}

describe('while the service does not answer, the browser never shows its own error page', () => {
  it('a user who signs in stays on the console, and gets to the login when the service is back', async () => {
    const page = await opened('/types')
    await heading(page, 'You are not signed in')
    await stopService(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await bar(page).waitFor()
    await heading(page, 'You are not signed in')
    await startService(page)
    await heading(page, 'Credential types')
    await page.context().close()
  })

  it('a screen that was never opened opens when the service is back', async () => {
    const page = await signedIn('/types')
    await heading(page, 'Credential types')
    await stopService(page)
    await page.getByRole('link', { name: 'Settings' }).click()
    await bar(page).waitFor()
    await assertGood(page, 'away-from-a-screen')
    await startService(page)
    await heading(page, 'Settings')
    await page.context().close()
  })

  it('a user who signs out sees a sentence, and may repeat it when the service is back', async () => {
    const page = await signedIn('/types')
    await stopService(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await bar(page).waitFor()
    await heading(page, 'Credential types')
    await page.context().close()
  })
})

it('a sign-out in one window closes the console in the other windows', async () => {
  const page = await signedIn('/offers')
  const other = await page.context().newPage()
  await other.goto(`${desk.service.url}/console/types/new-type`)
  await other.getByLabel('Technical name').fill('Membership')
  await page.route(`${started.provider.issuer}/**`, (route) => route.fulfill({ body: 'Signed out.' }))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await heading(other, 'You are not signed in')
  expect(await other.locator('body').innerText()).not.toContain('Membership')
  await page.context().close()
})

it('a sign-out asks before it forgets a form that was begun', async () => {
  const page = await signedIn('/types/new-type')
  await page.getByLabel('Technical name').fill('Membership')
  await page.getByRole('button', { name: 'Sign out' }).click()
  const question = page.getByRole('dialog', { name: 'Sign out?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByLabel('Technical name').inputValue()).toBe('Membership')
  await page.route(`${started.provider.issuer}/**`, (route) => route.fulfill({ body: 'Signed out.' }))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await question.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${started.provider.issuer}/**`)
  await page.context().close()
})

it('the address of a thing that does not exist shows a sentence, on every screen of one thing', async () => {
  const router = readFileSync('client/console/router.ts', 'utf8')
  const paths = [...router.matchAll(/path: '([^']*\$[^']*)'/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(8)
  const page = await signedIn('/')
  for (const path of paths) {
    const address = path.replace('$id', crypto.randomUUID()).replace('$name', 'Nothing')
    await page.goto(`${desk.service.url}/console${address}`)
    await settled(page)
    const text = await page.locator('main').innerText()
    expect(
      [en.problem.missing, en.wallets.unknown, 'not found'].some((sentence) => text.includes(sentence)),
      `${path}: ${text}`,
    ).toBe(true)
    await assertGood(page, `missing${path.replaceAll('/', '-')}`)
  }
  await page.context().close()
})
