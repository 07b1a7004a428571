import type { Page } from 'playwright-core'

const MOST = 120

/** The focused element by its role and name, as assistive technology announces it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const element = document.activeElement
    const label = element.labels?.[0]?.firstChild?.textContent || element.labels?.[0]?.textContent || element.textContent
    return element.getAttribute('aria-label') ?? label ?? ''
  })()`)

/** Presses Tab until the element with this name has the focus, like a user without a mouse. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MOST; presses += 1) {
    await page.keyboard.press('Tab')
    if ((await focused(page)).trim() === name) return
  }
  throw new Error(`Nothing called "${name}" can be reached by Tab.`)
}

/** Goes to a field and types into it. */
export async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

/**
 * Goes to a list of options and chooses the next option that begins with a letter. A browser takes several letters
 * together only if each follows within a second, which a slow machine does not promise.
 */
export async function choose(page: Page, name: string, letter: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(letter)
}

/** Goes to a button or link and presses Enter. */
export async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}
