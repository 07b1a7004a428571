import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { png, svg } from '../../images/pictures.js'
import { newTypeName, PURCHASE } from '../../issuer/purchase.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, settled } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const desk = driven()

const LOGO = { name: 'logo.png', mimeType: 'image/png', buffer: png(40, 20, 150) }
const WITH_SCRIPT = { name: 'bad.svg', mimeType: 'image/svg+xml', buffer: svg('<script>alert(1)</script>') }
const DRAWING = {
  name: 'good.svg',
  mimeType: 'image/svg+xml',
  buffer: svg('<rect width="40" height="20" fill="#246"/>'),
}

const makeIssuer = async (name: string): Promise<string> =>
  (await desk.service.request('POST', '/agent/issuer', { body: { method: 'web', display: [{ name, locale: 'en' }] } }))
    .json.id
const issuer = async (id: string) => (await desk.service.request('GET', `/api/v1/issuers/${id}`)).json

const look = (page: Page) => page.locator('details.opening').filter({ hasText: 'Look in wallets' })
const face = (page: Page) => page.getByRole('region', { name: 'Name and branding', exact: true })
const fileField = (page: Page, label: string) => page.locator(`input[type="file"]`).and(page.getByLabel(label))

/** The error below a field, as assistive technology reads it. */
async function wrongAt(page: Page, label: string): Promise<string> {
  const described = (await fileField(page, label).getAttribute('aria-describedby')) ?? ''
  const id = described.split(' ').find((each) => each.endsWith('-wrong'))
  return id === undefined ? '' : ((await page.locator(`[id="${id}"]`).textContent()) ?? '')
}

/** Chooses a file with the keyboard: the focused file field opens the browser's dialog. */
async function chooseByKey(page: Page, label: string, file: typeof LOGO): Promise<void> {
  // The browser must know before the key press that the test answers its dialog.
  const chooser = page.waitForEvent('filechooser')
  await tabTo(page, label)
  await page.keyboard.press('Enter')
  await (await chooser).setFiles(file)
}

describe('the look of a credential type', () => {
  it('takes images as files, shows them with their size, and stores them with the type', async () => {
    const name = newTypeName()
    await desk.service.request('POST', '/schemas', {
      body: { name, version: 1, schema: PURCHASE, display: [{ name: 'Receipt', locale: 'en' }] },
    })
    await desk.opened(`/types/${name}/edit`, async (page) => {
      await look(page).locator('> summary').click()
      await fileField(page, 'Logo').setInputFiles(LOGO)
      await look(page).getByText('Logo: the image is uploaded. Save to use it.').waitFor()
      const picture = look(page).getByRole('img', { name: 'Logo' })
      await picture.waitFor()
      await look(page)
        .getByText(`40 × 20 pixels, ${(LOGO.buffer.length / 1024).toFixed(1)} KiB`)
        .waitFor()
      await fileField(page, 'Background image').setInputFiles(DRAWING)
      await look(page).getByRole('img', { name: 'Background image' }).waitFor()
      await page.getByRole('button', { name: 'Publish version 2' }).click()
      await heading(page, 'Receipt')
    })
    const { display } = (await desk.service.request('GET', `/schemas/${name}/versions`)).json[0]
    const bytes = Buffer.from(await (await fetch(display[0].logo.uri)).arrayBuffer())
    expect(bytes.equals(LOGO.buffer)).toBe(true)
    expect(display[0].background_image.uri).toContain('/images/')
    // The next version begins with the images. An image can be removed.
    await desk.opened(`/types/${name}/edit`, async (page) => {
      await look(page).locator('> summary').click()
      await look(page).getByRole('img', { name: 'Background image' }).waitFor()
      await look(page).getByRole('button', { name: 'Remove: Logo' }).click()
      expect(await look(page).getByRole('img', { name: 'Logo' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Publish version 3' }).click()
      await heading(page, 'Receipt')
    })
    const [entry] = (await desk.service.request('GET', `/schemas/${name}/versions`)).json[0].display
    expect(entry.logo).toBeUndefined()
    expect(entry.background_image).toEqual(display[0].background_image)
  })

  it('refuses an SVG with a script, a text and a large file at the field, and keeps the image before', async () => {
    await desk.opened(
      '/types/new-type',
      async (page) => {
        await look(page).locator('> summary').click()
        await fileField(page, 'Logo').setInputFiles(LOGO)
        await look(page).getByRole('img', { name: 'Logo' }).waitFor()
        await fileField(page, 'Logo').setInputFiles(WITH_SCRIPT)
        await expect.poll(() => wrongAt(page, 'Logo')).toContain('The SVG contains a script.')
        await fileField(page, 'Logo').setInputFiles({ ...LOGO, buffer: Buffer.from('hello') })
        await expect.poll(() => wrongAt(page, 'Logo')).toContain('The file is not an image.')
        await fileField(page, 'Logo').setInputFiles({ ...LOGO, buffer: Buffer.alloc(300 * 1024, 1) })
        await expect.poll(() => wrongAt(page, 'Logo')).toBe('The image has more than 256 KiB. Make it smaller.')
        expect(await look(page).getByRole('img', { name: 'Logo' }).count()).toBe(1)
        await assertGood(page, 'branding-type-refused')
      },
      [400, 400],
    )
  })

  it('warns at the field of text with too little contrast', async () => {
    await desk.opened('/types/new-type', async (page) => {
      await look(page).locator('> summary').click()
      await page.getByLabel('Card colour', { exact: false }).first().fill('#ffffff')
      const text = page.getByRole('textbox', { name: /^Text colour/ })
      await text.fill('#777777')
      await look(page).getByText('The text has a contrast of 4.4 : 1 to its background.').waitFor()
      const described = (await text.getAttribute('aria-describedby')) ?? ''
      const warning = described.split(' ').find((each) => each.endsWith('-warning'))
      expect(await page.locator(`[id="${warning}"]`).textContent()).toContain('Below 4.5 : 1')
      await text.fill('#000000')
      await expect.poll(() => look(page).locator('.caution').count()).toBe(0)
    })
  })
})

describe('the name and branding of a record', () => {
  it('are changed with the keyboard alone', async () => {
    const id = await makeIssuer('Office')
    await desk.opened(
      `/trust/issuers/${id}`,
      async (page) => {
        await heading(page, 'Office')
        await chooseByKey(page, 'Logo (en)', WITH_SCRIPT)
        await expect.poll(() => wrongAt(page, 'Logo (en)')).toContain('The SVG contains a script.')
        await page.locator('h1').focus()
        await chooseByKey(page, 'Logo (en)', LOGO)
        await face(page).getByText('Logo (en): the image is uploaded. Save to use it.').waitFor()
        await typeInto(page, 'Description of the logo', 'The office')
        await typeInto(page, 'Background colour', '#123456')
        await typeInto(page, 'Text colour', '#222222')
        await face(page).getByText('The text has a contrast of').waitFor()
        await typeInto(page, 'Email', 'help@office.example')
        await typeInto(page, 'Phone', '+49 30 1234567')
        await typeInto(page, 'Privacy notice', 'https://office.example/privacy')
        const preview = page.locator('.face-mark')
        await preview.getByText('Office').waitFor()
        expect(await preview.locator('img').count()).toBe(1)
        // As on the share page, text that is hard to read is drawn in black or white.
        expect(await page.evaluate(`getComputedStyle(document.querySelector('.face-mark')).color`)).toBe(
          'rgb(255, 255, 255)',
        )
        await face(page).getByText('help@office.example · +49 30 1234567 · Privacy').waitFor()
        await press(page, 'Save name and branding')
        await face(page).getByText('Saved.').waitFor()
      },
      [400],
    )
    const { display, branding } = await issuer(id)
    expect(display).toEqual([
      {
        name: 'Office',
        locale: 'en',
        logo: expect.objectContaining({ uri: expect.stringContaining('/images/'), alt_text: 'The office' }),
      },
    ])
    expect(branding).toEqual({
      backgroundColor: '#123456',
      textColor: '#222222',
      contact: { email: 'help@office.example', phone: '+49 30 1234567' },
      privacyUri: 'https://office.example/privacy',
    })
  })

  it('show wrong values at their fields', async () => {
    const id = await makeIssuer('Wrong office')
    await desk.opened(
      `/trust/issuers/${id}`,
      async (page) => {
        await heading(page, 'Wrong office')
        await face(page).getByLabel('Privacy notice').fill('http://office.example')
        await face(page).getByLabel('Phone').fill('call us')
        await page.getByRole('button', { name: 'Save name and branding' }).click()
        await face(page).locator('.wrong').getByText('must be an https: address').waitFor()
        await face(page).locator('.wrong').getByText('must be a phone number').waitFor()
        await assertGood(page, 'branding-record-wrong')
      },
      [400],
    )
  })

  it('a change of another user is not overwritten: the user reads what to do', async () => {
    const id = await makeIssuer('Shared office')
    await desk.opened(
      `/trust/issuers/${id}`,
      async (page) => {
        await heading(page, 'Shared office')
        await face(page).getByLabel('Email').fill('mine@office.example')
        const { display } = await issuer(id)
        const theirs = { before: display, display, branding: { contact: { email: 'theirs@office.example' } } }
        expect((await desk.service.request('POST', `/api/v1/issuers/${id}/display`, { body: theirs })).status).toBe(200)
        await page.getByRole('button', { name: 'Save name and branding' }).click()
        await page.getByText('Another user has changed this record. Your change is not saved.').waitFor()
        expect(await face(page).getByLabel('Email').inputValue()).toBe('mine@office.example')
        await page.getByRole('button', { name: 'Show the current values' }).click()
        await expect.poll(() => face(page).getByLabel('Email').inputValue()).toBe('theirs@office.example')
        await face(page).getByLabel('Email').fill('ours@office.example')
        await page.getByRole('button', { name: 'Save name and branding' }).click()
        await face(page).getByText('Saved.').waitFor()
      },
      [409],
    )
    expect((await issuer(id)).branding).toEqual({ contact: { email: 'ours@office.example' } })
  })

  it('are good to read on a phone and on a desktop', async () => {
    const id = await makeIssuer('Small office')
    const { json: image } = await desk.service.request('POST', '/api/v1/images', {
      body: { data: LOGO.buffer.toString('base64') },
    })
    const { display: before } = await issuer(id)
    const changed = await desk.service.request('POST', `/api/v1/issuers/${id}/display`, {
      body: {
        before,
        display: [
          { name: 'Small office', locale: 'en', logo: { image: image.id } },
          { name: 'Kleines Büro', locale: 'de' },
        ],
        branding: { backgroundColor: '#ffeedd', textColor: '#cccccc', contact: { email: 'a@b.example' } },
      },
    })
    expect(changed.status, changed.text).toBe(200)
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.setViewportSize({ width: page.viewportSize()?.width === 360 ? 390 : 1440, height: 900 })
      await page.goto(`${desk.service.url}/console/trust/issuers/${id}`)
      await heading(page, 'Small office')
      await face(page).getByRole('img', { name: 'Logo (en)' }).waitFor()
      await settled(page)
      await assertGood(page, `branding-record-${name}`)
      await page.goto(`${desk.service.url}/console/types/new-type`)
      await look(page).locator('> summary').click()
      await fileField(page, 'Logo').setInputFiles(LOGO)
      await look(page).getByRole('img', { name: 'Logo' }).waitFor()
      await assertGood(page, `branding-type-${name}`)
    })
  })
})

describe('the stored images', () => {
  it('are listed with their uses; an image that no record uses is deleted with the keyboard, after a question', async () => {
    const upload = async (seed: number): Promise<string> =>
      (
        await desk.service.request('POST', '/api/v1/images', {
          body: { data: png(30, 30, seed).toString('base64') },
        })
      ).json.id
    const [used, unused] = [await upload(210), await upload(211)]
    await desk.service.request('POST', '/agent/issuer', {
      body: { method: 'web', display: [{ name: 'Illustrated', logo: { image: used } }] },
    })
    const row = (page: Page, id: string) =>
      page
        .getByRole('table', { name: 'Stored images' })
        .getByRole('row')
        .filter({ has: page.locator(`[title="${id}"]`) })
    await desk.opened('/trust', async (page) => {
      await heading(page, 'Trust and keys')
      await press(page, 'Images')
      await heading(page, 'Images')
      await row(page, used).getByText('1 record').waitFor()
      expect(await row(page, used).getByRole('button').count()).toBe(0)
      await row(page, unused).getByText('not used').waitFor()
      await row(page, unused).getByText('30 × 30 pixels').waitFor()
      const remove = row(page, unused).getByRole('button', { name: 'Remove image' })
      await press(page, (await remove.getAttribute('aria-label')) ?? '')
      await page.getByRole('dialog', { name: 'Delete this image?' }).waitFor()
      await press(page, 'Delete the image')
      await row(page, unused).waitFor({ state: 'detached' })
      await row(page, used).waitFor()
    })
    expect((await fetch(`${desk.service.url}/images/${unused}`)).status).toBe(404)
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.setViewportSize({ width: page.viewportSize()?.width === 360 ? 390 : 1440, height: 900 })
      await page.goto(`${desk.service.url}/console/trust/images`)
      await row(page, used).waitFor()
      await assertGood(page, `branding-images-${name}`)
    })
  })
})
