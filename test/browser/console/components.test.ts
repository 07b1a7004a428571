import { describe, expect, it } from 'vitest'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen } from './actors.js'
import { fromSources } from './from-sources.js'

/** The heights of visible controls that are lower than 44 pixels (WCAG 2.2, 2.5.5). */
const SMALL =
  '[...document.querySelectorAll("main :is(button, summary, select, input:not([type=checkbox]))")]' +
  '.map((control) => control.getBoundingClientRect().height).filter((height) => height > 0 && height < 44)'

const desk = driven()
const sources = fromSources(desk)

describe('the screen with all tokens and components', () => {
  it('has no serious axe finding and nothing wider than the page, on a phone and on a desktop, in light and in dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${sources.url}/console/ui`)
      await heading(page, 'Tokens and components')
      await assertGood(page, `components-${name}`)
      await page.evaluate('document.fonts.ready')
      const loaded = '[...document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => family)'
      expect(await page.evaluate(loaded)).toContainEqual(expect.stringContaining('Inter Variable'))
      if (page.viewportSize()?.width === 360)
        expect(await page.evaluate(SMALL), 'controls that are too small for a finger').toEqual([])
      await page.getByRole('button', { name: 'Open a dialog' }).click()
      await assertGood(page, `components-dialog-${name}`)
    })
  })

  it('shows a state with an icon, so that colour is not its only sign', async () => {
    const page = await desk.browser.newPage({ locale: 'en-GB' })
    await page.goto(`${sources.url}/console/ui`)
    const states = page.locator('.tag:not(.plain)')
    await states.first().waitFor()
    expect(await states.filter({ has: page.locator('svg') }).count()).toBe(await states.count())
    await page.close()
  })

  it('opens a row wherever the row is clicked, and shows a whole id on demand', async () => {
    const page = await desk.browser.newPage({ locale: 'en-GB' })
    await page.goto(`${sources.url}/console/ui`)
    const row = page.getByRole('row', { name: /Ada Lovelace/ })
    await row.getByRole('button', { name: 'Show DID' }).click()
    await page
      .getByRole('dialog', { name: 'DID' })
      .getByText(/^did:jwk:/)
      .waitFor()
    await page.keyboard.press('Escape')
    await row.click()
    await page.waitForURL(/#1$/)
    await page.close()
  })

  it('leaves out a column in which no row has a value', async () => {
    const page = await desk.browser.newPage({ locale: 'en-GB' })
    await page.goto(`${sources.url}/console/ui`)
    await page.getByRole('columnheader', { name: 'Created', exact: true }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Reference' }).count()).toBe(0)
    await page.close()
  })

  it('is refused by the built console', async () => {
    await desk.opened('/ui', (page) => heading(page, 'Page not found'))
  })
})
