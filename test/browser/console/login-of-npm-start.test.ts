import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { type BundledProvider, openProvider } from '../../../scripts/start/login/provider.js'
import { startService } from '../../support/service.js'
import { assertGood } from '../actors.js'
import { driven, heading, watchedPage } from './actors.js'

const ROLES = { admin: 'chief', issuer: 'registrar', verifier: 'inspector' }

let provider: BundledProvider
const desk = driven(async () => {
  provider = await openProvider(ROLES)
  const service = await startService({ env: provider.settings })
  await provider.serve(service.url)
  return service
})
afterAll(() => provider?.close())

/** Opens the console in a new browser, and the page on which a user chooses a person. */
async function choosing(): Promise<{ page: Page; context: BrowserContext; complaints: readonly string[] }> {
  const context = await desk.browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  const { page, complaints } = await watchedPage(context)
  await page.goto(`${desk.service.url}/console/`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await heading(page, 'Who are you?')
  return { page, context, complaints }
}

interface ShownSession {
  readonly user: {
    readonly name: string
    readonly isAdmin: boolean
    readonly mayIssue: boolean
    readonly mayVerify: boolean
  } | null
}

/** The rights of the user who is signed in, as the console reads them. */
const rights = (page: Page) =>
  page.evaluate(async () => {
    const answer = await fetch('/console/session', { headers: { 'x-console': '1', accept: 'application/json' } })
    // The service is started by the test, so the answer has the form of its contract.
    const { user } = (await answer.json()) as ShownSession
    return user === null ? null : [user.name, user.isAdmin, user.mayIssue, user.mayVerify]
  })

describe('the people of npm start -- --login', () => {
  it('are on a page that everybody can use', async () => {
    const { page, context } = await choosing()
    await assertGood(page, 'who-are-you')
    expect(await page.getByRole('button').allTextContents()).toEqual([
      'Ada Adminmay do everything',
      'Ines Issuerissues credentials',
      'Vera Verifierverifies credentials',
      'Noah Nobodyhas no role, so the console stays closed',
    ])
    await context.close()
  })

  it.each([
    ['Ada Admin', true, true, true],
    ['Ines Issuer', false, true, false],
    ['Vera Verifier', false, false, true],
  ])('sign in and out: %s (admin: %s, issuer: %s, verifier: %s)', async (name, isAdmin, mayIssue, mayVerify) => {
    const { page, context, complaints } = await choosing()
    await page.getByRole('button', { name }).click()
    await page.waitForURL(`${desk.service.url}/console/`)
    await page.getByText(name).first().waitFor()
    expect(await rights(page)).toEqual([name, isAdmin, mayIssue, mayVerify])
    // The address is the same before and after, so the test waits for the answer to the way back from the provider.
    const back = page.waitForResponse(
      (response) => response.request().isNavigationRequest() && response.url() === `${desk.service.url}/console/`,
    )
    await page.getByRole('button', { name: 'Sign out' }).click()
    await back
    await page.waitForURL(`${desk.service.url}/console/`)
    await heading(page, 'You are not signed in')
    expect(await rights(page)).toBeNull()
    // The provider has forgotten the user too, so it asks again.
    await page.getByRole('link', { name: 'Sign in' }).click()
    await heading(page, 'Who are you?')
    expect(complaints.filter((complaint) => complaint.startsWith('CSP'))).toEqual([])
    await context.close()
  })

  it('without a role reads which roles are enough, and signs in with another account', async () => {
    const { page, context } = await choosing()
    await page.getByRole('button', { name: 'Noah Nobody' }).click()
    await heading(page, 'You have no role here')
    await assertGood(page, 'no-role')
    for (const role of Object.values(ROLES)) await page.getByText(role).waitFor()
    expect(await rights(page)).toBeNull()
    await page.getByRole('link', { name: 'Use another account' }).click()
    await heading(page, 'Who are you?')
    await page.getByRole('button', { name: 'Vera Verifier' }).click()
    await page.waitForURL(`${desk.service.url}/console/`)
    expect(await rights(page)).toEqual(['Vera Verifier', false, false, true])
    await context.close()
  })
})
