import { expect, it } from 'vitest'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, watchedPage } from './actors.js'
import { press, tabTo } from './keyboard.js'

const desk = driven()

it('is good in every size, light and dark: the user’s session, the service, and each variable with its value', async () => {
  await onEveryScreen(desk.browser, async (page, name) => {
    await page.goto(`${desk.service.url}/console/settings`)
    await heading(page, 'Settings')
    await page.getByText('SHUTDOWN_DELAY_SECONDS').waitFor()
    await assertGood(page, `settings-${name}`)
  })
})

it('shows for each setting its value or default and its variable; for a secret only whether it is set', async () => {
  await desk.opened('/settings', async (page) => {
    const limit = page.getByRole('row', { name: /Retention of ended sessions/ })
    await limit.waitFor()
    expect(await limit.textContent()).toContain('SESSION_RETENTION_DAYS')
    expect(await limit.textContent()).toContain('30 default')
    expect(await page.getByRole('row', { name: /Everyone is an admin/ }).textContent()).toContain('true')
    expect(await page.getByRole('row', { name: /^Client secret of backends/ }).textContent()).toMatch(/set/)
    expect(await page.locator('main').textContent()).not.toContain(new URL(desk.service.databaseUrl).password || '@')
  })
})

it('is opened from the navigation and changes the language, with the keyboard alone', async () => {
  const { page, complaints } = await watchedPage(await desk.browser.newContext({ locale: 'de-AT' }))
  await page.goto(`${desk.service.url}/console/`)
  await heading(page, 'Übersicht')
  await press(page, 'Einstellungen')
  await heading(page, 'Einstellungen')
  await page.getByText('Aufbewahrung beendeter Vorgänge').waitFor()
  // The screen has two choices of the language. The first is in the navigation.
  await tabTo(page, 'Sprache')
  await page.keyboard.press('ArrowUp')
  await heading(page, 'Settings')
  expect(complaints).toEqual([])
  await page.context().close()
})
