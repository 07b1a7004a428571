import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen } from './actors.js'
import * as byKey from './keyboard.js'

/** Tries of a call by the client: the first and three repetitions. */
const LOST = 4
const desk = driven()
const SCREEN = '/offers/from-file?type=Membership'
const HEAD = 'name,level,points\n'

const schema = {
  type: 'object',
  required: ['name', 'level'],
  properties: {
    name: { type: 'string', title: 'Name', maxLength: 20 },
    level: { type: 'string', title: 'Level', enum: ['gold', 'silver'] },
    points: { type: 'integer', title: 'Points' },
  },
}

/** The form can find the error in the second row. Only the service can find the error in the third row. */
const WRONG = `${HEAD}Anna,gold,1\nBen,bronze,2\n"${'x'.repeat(21)}",silver,3\nDora,gold,4\n`

const choose = (page: Page, text: string) =>
  page.getByLabel('CSV file').setInputFiles({ name: 'members.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

/** Calls of the batch endpoint that make offers. */
function makingCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('credentialOffers.createMany') && !request.postData()?.includes('"dryRun":true'))
      calls.push(request.url())
  })
  return calls
}

async function downloaded(page: Page): Promise<string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download links as CSV')])
  return linesOf(await download.path())
}

/** The lines of a table. Its first character tells spreadsheet programs that it is UTF-8. */
function linesOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  expect(text.charCodeAt(0)).toBe(0xfeff)
  return text.slice(1).trim().split('\r\n')
}

describe('offers from a file', () => {
  beforeAll(async () => {
    const type = { name: 'Membership', version: 1, schema }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
  })

  it('150 offers are made in two calls, and each row of the downloaded file has its own link and PIN', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `Member ${at},${at % 2 ? 'gold' : 'silver'},${at}\n`)
    await desk.opened('/offers?type=Membership', async (page) => {
      await page.getByRole('link', { name: 'Offers from a file' }).click()
      await heading(page, 'Offers from a file')
      const calls = makingCalls(page)
      await choose(page, HEAD + rows.join(''))
      await page.getByText('The file has 150 rows.').waitFor()
      await page.getByLabel('Require a PIN, a different one for each offer').check()
      await press(page, 'Check 150 rows')
      await page.getByText('All rows are valid.').waitFor()
      expect(calls).toHaveLength(0)
      await press(page, 'Create 150 offers')
      await page.getByText('150 offers are created.').waitFor()
      expect(calls).toHaveLength(2)
      const [head, ...lines] = await downloaded(page)
      expect(head).toMatch(/^name,level,points,/)
      expect(lines.map((line) => line.split(',')[0])).toEqual(rows.map((_, at) => `Member ${at}`))
      const cells = lines.map((line) => line.split(','))
      expect(new Set(cells.map(([, , , link]) => link)).size).toBe(150)
      for (const [, , , link, , pin] of cells) {
        expect(link).toMatch(/^openid-credential-offer:/)
        expect(pin).toMatch(/^\d{4,}$/)
      }
      const [, , , link = ''] = cells[149] ?? []
      const offer = await fetch(new URL(link).searchParams.get('credential_offer_uri') ?? '')
      expect(await offer.json()).toMatchObject({ credential_configuration_ids: ['Membership-sd-jwt'] })
    })
  })

  it('a run is stopped, loses an answer and continues: made offers stay, no offer is made twice, and no choice is lost', async () => {
    const rows = Array.from({ length: 250 }, (_, at) => `Runner ${at},gold,${at}\n`)
    const made = async () => {
      const text = `SELECT count(*)::int AS count FROM offerings WHERE credential_subject ->> 'name' LIKE 'Runner %'`
      const [row] = await query(desk.service.databaseUrl, text)
      return row?.count
    }
    await desk.opened(
      SCREEN,
      async (page) => {
        let [calls, release] = [0, () => {}]
        const released = new Promise<void>((resolve) => {
          release = resolve
        })
        await page.route(/credentialOffers\.createMany/, async (route) => {
          if (route.request().postData()?.includes('"dryRun":true')) return route.continue()
          calls += 1
          if (calls === 1) await released
          if (calls < 2 || calls > LOST + 1) return route.continue()
          // The service makes the offers once, but the browser does not get the answer, also when it repeats the call.
          await route.fetch()
          return route.fulfill({ status: 503 })
        })
        await choose(page, HEAD + rows.join(''))
        await press(page, 'Check 250 rows')
        await press(page, 'Create 250 offers')
        await press(page, 'Stop')
        release()
        await page.getByText('100 offers are created so far.').waitFor()
        expect([calls, await made()]).toEqual([1, 100])
        await press(page, 'Continue')
        await page.getByRole('alert').waitFor()
        await page.getByText('100 offers are created so far.').waitFor()
        expect([calls, await made()]).toEqual([LOST + 1, 200])
        await press(page, 'Continue')
        await page.getByText('250 offers are created.').waitFor()
        expect([calls, await made()]).toEqual([LOST + 3, 250])
        const links = (await downloaded(page)).slice(1).map((line) => line.split(',')[3])
        expect(new Set(links).size).toBe(250)
      },
      Array.from({ length: LOST }, () => 503),
    )
  })

  it('wrong rows have the numbers of the spreadsheet, and no offer is made until the user leaves these rows out', async () => {
    await desk.opened(SCREEN, async (page) => {
      const calls = makingCalls(page)
      await choose(page, WRONG)
      await press(page, 'Check 4 rows')
      await page.getByText('Level: is not an allowed value.').waitFor()
      const listed = await page.getByRole('table', { name: '2 rows have errors' }).innerText()
      expect(listed).toContain('Row 3')
      expect(listed).toContain('Row 4')
      expect(listed).not.toContain('Row 2')
      const make = page.getByRole('button', { name: 'Create 2 offers' })
      expect(await make.isDisabled()).toBe(true)
      expect(calls).toHaveLength(0)
      await page.getByLabel('Leave these 2 rows out').check()
      await make.click()
      await page.getByText('2 offers are created.').waitFor()
      const lines = await downloaded(page)
      expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['Anna', 'Dora'])
    })
  })

  it('a run is made with the keyboard alone, except in the system window that chooses a file', async () => {
    await desk.opened('/offers?type=Membership', async (page) => {
      await byKey.press(page, 'Offers from a file')
      await heading(page, 'Offers from a file')
      await byKey.tabTo(page, 'CSV file')
      // The listener must exist before the key is pressed. Otherwise the browser opens its own file dialog.
      const choosing = page.waitForEvent('filechooser')
      await page.title()
      await page.keyboard.press('Space')
      const chooser = await choosing
      await chooser.setFiles({ name: 'members.csv', mimeType: 'text/csv', buffer: Buffer.from(WRONG) })
      await page.getByText('The file has 4 rows.').waitFor()
      await byKey.press(page, 'Check 4 rows')
      await page.getByText('Level: is not an allowed value.').waitFor()
      await byKey.tabTo(page, 'Leave these 2 rows out')
      await page.keyboard.press('Space')
      await byKey.press(page, 'Create 2 offers')
      await page.getByText('2 offers are created.').waitFor()
      await byKey.tabTo(page, 'Download links as CSV')
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
      expect(linesOf(await download.path())).toHaveLength(3)
    })
  })

  it('a German reader gets a template, and its decimal commas and dates are read as they are meant', async () => {
    const type = {
      name: 'Ticket',
      version: 1,
      schema: {
        type: 'object',
        required: ['day'],
        properties: {
          day: { type: 'string', format: 'date', title: 'Tag' },
          price: { type: 'number', title: 'Preis' },
        },
      },
    }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
    const context = await desk.browser.newContext({ locale: 'de-DE' })
    const page = await context.newPage()
    await page.goto(`${desk.service.url}/console/offers/from-file?type=Ticket`)
    const [template] = await Promise.all([page.waitForEvent('download'), press(page, 'Musterdatei herunterladen')])
    expect(linesOf(await template.path())).toEqual(['Tag;Preis;Bezeichnung;Aktenzeichen', '31.12.2026;1,5;;'])
    const upload = (text: string) =>
      page.getByLabel('CSV-Datei').setInputFiles({ name: 'Fest.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

    await upload('Tga;Preis\n1.2.2026;1.234,56\n')
    await page.getByText('Die Spalte „Tga“ wird nicht verwendet.').waitFor()
    await page.getByText('Die Pflichtangabe Tag hat keine Spalte.').waitFor()
    expect(await page.getByRole('button', { name: '1 Zeile prüfen' }).isDisabled()).toBe(true)
    await press(page, 'Meinten Sie Tag? Spalte verwenden')
    await page.getByText('= 1. Februar 2026').waitFor()
    await page.getByText('= 1.234,56').waitFor()

    await upload('Tag;Preis\n1.2.2026;1.234,56\n03/04/2026;1.5\n')
    await page.getByRole('button', { name: '2 Zeilen prüfen' }).click()
    await page.getByText('Tag: lässt sich als zwei Daten lesen.').waitFor()
    await page.getByText('Preis: ist keine Zahl in der gewählten Schreibweise.').waitFor()
    await page.getByLabel('Daten', { exact: true }).selectOption('dmy')
    await page.getByText('= 3. April 2026').waitFor()
    await page.getByRole('button', { name: '2 Zeilen prüfen' }).click()
    await page.getByLabel('Diese Zeile weglassen').check()
    await press(page, '1 Angebot erstellen')
    await page.getByText('1 Angebot ist erstellt.').waitFor()
    await page.getByRole('link', { name: 'Stapel öffnen' }).click()
    await page.getByRole('heading', { level: 1, name: 'Fest' }).waitFor()
    const [result] = await Promise.all([page.waitForEvent('download'), press(page, 'Als CSV herunterladen')])
    expect(result.suggestedFilename()).toBe('Fest.csv')
    const [head, row] = linesOf(await result.path())
    expect(head).toContain(';Zustand;')
    expect(row).toContain('openid-credential-offer:')
    await context.close()
  })

  it('a run goes on while the user is on another screen, and is there with its links when the user comes back', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `Traveller ${at},gold,${at}\n`)
    await desk.opened(SCREEN, async (page) => {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route(/credentialOffers\.createMany/, async (route) => {
        if (!route.request().postData()?.includes('"dryRun":true')) await released
        return route.continue()
      })
      await choose(page, HEAD + rows.join(''))
      await press(page, 'Check 150 rows')
      await press(page, 'Create 150 offers')
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('button', { name: 'Leave', exact: true }).click()
      await heading(page, 'Settings')
      await page.goBack()
      await page.getByText('Restored what you typed').waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      release()
      await page.getByText('150 offers are created.').waitFor()
      expect(await downloaded(page)).toHaveLength(151)
      // The batch holds everything, so nothing asks any more.
      await page.getByRole('link', { name: 'Open the batch' }).click()
      await heading(page, 'members')
    })
  })

  it('a file that is not a table is refused with a sentence', async () => {
    await desk.opened(SCREEN, async (page) => {
      await choose(page, HEAD)
      await page.getByText('The file has no row below the names of its columns.').waitFor()
      await choose(page, `${HEAD}"Anna,gold,1\n`)
      await page.getByText('Row 2 has a quotation mark that does not end').waitFor()
    })
  })

  it('are good in every size, light and dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console${SCREEN}`)
      await page.getByLabel('CSV file').waitFor()
      await assertGood(page, `offers-from-file-${name}`)
      await choose(page, WRONG)
      await press(page, 'Check 4 rows')
      await page.getByText('Level: is not an allowed value.').waitFor()
      await assertGood(page, `offers-from-file-wrong-${name}`)
      await page.getByLabel('Leave these 2 rows out').check()
      await press(page, 'Create 2 offers')
      await page.getByText('2 offers are created.').waitFor()
      await assertGood(page, `offers-from-file-made-${name}`)
    })
  })
})
