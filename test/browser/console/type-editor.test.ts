import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { TEMPLATES } from '../../../client/console/screens/types/templates/templates.js'
import { assertGood } from '../actors.js'
import { heading } from './actors.js'
import { certifiedDesk } from './certified.js'

const desk = certifiedDesk()

const SD_JWT = 'SD-JWT VC: the holder may show single claims'
const MDOC = 'Mobile document (mdoc)'

/** A PNG of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const IMAGE = { name: 'picture.png', mimeType: 'image/png', buffer: PNG }

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
/** A field by its label, which ends with “(optional)” for some fields. */
const field = (page: Page, label: string) =>
  page.getByLabel(new RegExp(`^${label.replaceAll(/[()[\].]/g, '\\$&')}( \\(optional\\))?$`))
/** Waits until a new row has the focus. */
const focused = (page: Page, label: string) =>
  expect.poll(() => page.evaluate(`document.activeElement?.getAttribute('aria-label')`)).toBe(label)
const opened = (page: Page, section: string) =>
  page.locator('details.opening > summary').filter({ hasText: section }).click()

/** The entry of a user for a claim: a text, an image, or the value of a choice. */
type Entry = string | typeof IMAGE | { readonly choose: string }

/** Offers a credential with these claims, and lets a hosted wallet take it. Returns the claims in the wallet. */
async function taken(
  page: Page,
  type: string,
  format: string,
  claims: Readonly<Record<string, Entry>>,
): Promise<string> {
  await page.goto(`${desk.service.url}/console/offers?type=${type}`)
  for (const [label, entry] of Object.entries(claims)) {
    const control = field(page, label)
    if (typeof entry === 'string') await control.fill(entry)
    else if ('choose' in entry) await control.selectOption({ label: entry.choose })
    else {
      await control.setInputFiles(entry)
      await page.getByRole('img', { name: label }).first().waitFor()
    }
  }
  await field(page, 'Format').selectOption(format)
  await press(page, 'Create offer')
  await press(page, 'Take with a hosted wallet')
  await page.getByText('The wallet has taken the credential.').waitFor()
  const get = async (path: string) => (await desk.service.request('GET', path)).json
  const [wallet] = await get('/agent/holders')
  const [newest] = await get(`/holders/${wallet.id}/credentials`)
  return JSON.stringify(await get(`/holders/${wallet.id}/credentials/${newest.id}`))
}

const person = { 'Family name': 'Lovelace', 'Given name': 'Ada' }
const FILLED: Readonly<
  Record<string, readonly [format: string, claims: Readonly<Record<string, Entry>>, held: readonly string[]]>
> = {
  diploma: [
    SD_JWT,
    {
      ...person,
      'Title of the degree': 'Bachelor of Mathematics',
      'Name of the institution': 'University of London',
      'Date of the award': '2026-07-01',
      Courses: '[{"name": "Algebra", "credits": 6, "grade": "1.0"}, {"name": "Logic"}]',
    },
    ['Lovelace', 'University of London', 'Algebra', 'Logic'],
  ],
  pid: [
    MDOC,
    {
      ...person,
      'Date of birth': '1990-12-10',
      'Town of birth': 'London',
      Nationalities: 'GB\nDE',
      Sex: { choose: 'female' },
      'At least 18 years old': { choose: 'Yes' },
      'Date of expiry': '2030-01-01',
      'Issuing authority': 'Home Office',
      'Issuing country': 'GB',
    },
    ['1990-12-10', 'London', '"GB"', '"DE"', '"age_over_18":true', '"sex":2'],
  ],
  mdl: [
    MDOC,
    {
      'Family name': 'Lovelace',
      'Given names': 'Ada',
      'Date of birth': '1990-12-10',
      'Date of issue': '2026-01-01',
      'Date of expiry': '2036-01-01',
      'Issuing country': 'GB',
      'Issuing authority': 'DVLA',
      'Licence number': 'L-1',
      Portrait: IMAGE,
      'Vehicle categories': '[{"vehicle_category_code": "B", "issue_date": "2020-01-01", "codes": [{"code": "01"}]}]',
      'Sign of the country': 'UK',
    },
    ['L-1', '"vehicle_category_code":"B"', PNG.toString('base64url').slice(0, 40)],
  ],
  ehic: [
    SD_JWT,
    {
      'Family name': 'Lovelace',
      'Given names': 'Ada',
      'Date of birth': '1990-12-10',
      'Personal identification number': 'P-7',
      'Identification number of the institution': '109',
      'Name of the institution': 'Health Fund',
      'Issuing country': 'DE',
      'Identification number of the card': 'C-9',
      'Date of expiry': '2028-01-01',
    },
    ['P-7', 'Health Fund', 'C-9'],
  ],
  employeeBadge: [
    SD_JWT,
    {
      ...person,
      Picture: IMAGE,
      'Employee number': 'E-5',
      Company: 'Analytical Engines',
      'Areas with access': 'Lab\nHall',
    },
    ['E-5', 'Analytical Engines', 'Lab', 'Hall', `data:image/png;base64,${PNG.toString('base64')}`],
  ],
  membership: [
    SD_JWT,
    { Organization: 'Chess Club', 'Member number': 'M-3', Level: { choose: 'Gold' } },
    ['Chess Club', 'M-3', '"gold"'],
  ],
  ageProof: [MDOC, { 'At least 18 years old': { choose: 'Yes' } }, ['"age_over_18":true']],
}

describe.each(TEMPLATES.map((template) => [template.title.en, template] as const))('%s', (title, { key, body }) => {
  it('is made from its template with two clicks, and a hosted wallet takes it', async () => {
    await desk.opened('/types/new-type', async (page) => {
      await page.getByRole('button', { name: title }).click()
      await press(page, 'Publish')
      await heading(page, body.display?.[0]?.name ?? title)
      const [version] = (await desk.service.request('GET', `/schemas/${body.name}/versions`)).json
      const { schema, version: _, ...settings } = body
      expect(version).toMatchObject({ schemaBody: schema, ...settings })
      const [format, claims, held] = FILLED[key] ?? [SD_JWT, {}, []]
      const content = await taken(page, body.name, format, claims)
      for (const claim of held) expect(content).toContain(claim)
    })
  })
})

/** The claims of a type with every kind of claim: the name, the kind in the editor, and the entry for an offer. */
const EVERY_KIND = [
  ['label', 'Text', 'Everything'],
  ['born', 'Date', '1990-12-10'],
  ['seen', 'Date and time', '2026-01-02T03:04:05'],
  ['opens', 'Time', '08:30:00'],
  ['mail', 'E-mail address', 'ada@example.org'],
  ['site', 'Web address', 'https://example.org/ada'],
  ['height', 'Number', '1.68'],
  ['visits', 'Whole number', '7'],
  ['member', 'Yes or no', { choose: 'Yes' }],
  ['picture', 'Image (data URI)', IMAGE],
  ['portrait', 'Portrait (base64)', IMAGE],
  ['level', 'Text', { choose: 'Gold member' }],
  ['tags', 'List: Text', 'red\ngreen'],
] as const

describe('a type with every kind of claim and every setting', () => {
  it('is made in the editor alone, and hosted wallets take it in two formats', async () => {
    await desk.opened(
      '/types/new-type',
      async (page) => {
        const claim = (what: string, at: number) => page.getByLabel(`${what}, claim ${at}`, { exact: true })
        await field(page, 'Technical name').fill('EveryKind')
        await page.locator('.name-row').first().getByRole('textbox').first().fill('Every kind')
        await field(page, 'Description').fill('A type with all kinds of claims')
        for (const [at, [name, kind]] of EVERY_KIND.entries()) {
          if (at > 0) await press(page, 'Add a claim')
          await claim('Claim', at + 1).fill(name)
          await claim('Type', at + 1).selectOption({ label: kind })
        }
        await claim('Required', 1).check()
        await claim('May be withheld', 2).uncheck()
        await claim('Allowed values', 12).fill('gold, silver')
        await page.getByRole('button', { name: 'More about claim 12' }).click()
        await field(page, 'Title of gold').fill('Gold member')
        await page.getByRole('button', { name: 'More about claim 13' }).click()
        await page.getByLabel('Each element may be withheld by itself').check()
        await page.getByRole('button', { name: 'More about claim 1', exact: true }).click()
        await field(page, 'Description, claim 1').fill('Any text')
        await field(page, 'Further rules (JSON Schema), claim 1').fill('{"maxLength": 20}')
        await press(page, 'Add a claim')
        await claim('Claim', 14).fill('home')
        await claim('Type', 14).selectOption({ label: 'Group' })
        await page.getByRole('button', { name: 'Add inside, claim 14' }).click()
        await focused(page, 'Claim, claim 15')
        await page.keyboard.type('city')
        expect(await claim('Claim', 15).inputValue()).toBe('home.city')
        await claim('May be withheld', 15).check()
        await press(page, 'Add a claim')
        await claim('Claim', 16).fill('lessons')
        await claim('Type', 16).selectOption({ label: 'List: Group' })
        await page.getByRole('button', { name: 'Add inside, claim 16' }).click()
        await focused(page, 'Claim, claim 17')
        await page.keyboard.type('title')
        await claim('Required', 17).check()
        await claim('May be withheld', 17).check()
        // The claims inside a group follow its new name.
        await claim('Claim', 16).fill('courses')
        await claim('Claim', 1).focus()
        expect(await claim('Claim', 17).inputValue()).toBe('courses.title')

        await opened(page, 'Look in wallets')
        await field(page, 'Description in wallets').fill('All of it')
        await field(page, 'Card colour').fill('#224466')
        await page.getByText('Use an image by its address').first().click()
        await field(page, 'Address: Logo').fill(`data:image/png;base64,${PNG.toString('base64')}`)
        await field(page, 'Description of the logo').fill('A dot')
        await page.getByText('Use an image by its address').nth(1).click()
        await field(page, 'Address: Background image').fill('https://issuer.example/back.png')
        await opened(page, 'Validity and status')
        await field(page, 'Validity in days').fill('365')
        await field(page, 'Valid from').fill('2026-01-01T00:00:00')
        for (const label of [
          'Its credentials can be suspended',
          'Each person has at most one active credential',
          'A refresh revokes the copies that it replaces',
          'Its credentials are revoked if the wallet or its keys are revoked',
        ])
          await page.getByLabel(label).check()
        await opened(page, 'Storage of claims')
        await page.getByLabel('Erase claims').selectOption('some days after issuance')
        await field(page, 'Days after issuance').fill('30')
        await field(page, 'Days until the record is removed').fill('300')
        await opened(page, 'Claims from the sign-in')
        await field(page, 'mail').fill('/email')
        await opened(page, 'Mobile document')
        await page.getByLabel('Also issue the type as a mobile document').check()
        await field(page, 'Document type').fill('org.example.every.1')
        await press(page, 'Take over the names of all claims')
        await page.getByLabel('Element identifier, born').fill('birth_date')
        await opened(page, 'Keys of wallets')
        await page.getByLabel('A trusted provider must attest the keys of wallets').check()
        await field(page, 'Accepted key storage').fill('iso_18045_high')
        await opened(page, 'Title and version')
        await field(page, 'Title for developers').fill('Every kind of claim')
        await assertGood(page, 'type-editor-everything')

        // The errors of the service are in the section of their field.
        await opened(page, 'Storage of claims')
        await press(page, 'Publish')
        await page.getByText('needs WALLET_TRUST_ANCHORS').waitFor()
        await page.getByLabel('A trusted provider must attest the keys of wallets').uncheck()
        await press(page, 'Publish')
        await field(page, 'Days until the record is removed').and(page.locator('[aria-invalid=true]')).waitFor()
        await field(page, 'Days until the record is removed').fill('400')
        await page.getByLabel('JSON Schema', { exact: true }).check()
        await page.getByLabel('home › city').first().waitFor()
        await page.getByLabel('Table', { exact: true }).check()
        await press(page, 'Publish')
        await heading(page, 'Every kind')
      },
      [400, 400],
    )
    const [version] = (await desk.service.request('GET', '/schemas/EveryKind/versions')).json
    const top = [...EVERY_KIND.map(([name]) => name), 'home', 'courses'].filter((name) => name !== 'born')
    expect(new Set(version.selectivelyDisclosable)).toEqual(new Set([...top, 'tags.*', 'home.city', 'courses.*.title']))
    expect(version.schemaBody.properties).toMatchObject({
      label: { type: 'string', description: 'Any text', maxLength: 20 },
      level: { oneOf: [{ const: 'gold', title: 'Gold member' }, { const: 'silver' }] },
      courses: { type: 'array', items: { type: 'object', required: ['title'] } },
    })
    expect(version).toMatchObject({
      title: 'Every kind of claim',
      description: 'A type with all kinds of claims',
      expiresInDays: 365,
      suspendable: true,
      activeSets: { perSubject: 1 },
      onRefresh: 'revoke-previous',
      watchAttestations: true,
      retention: { claims: { days: 30 }, record: { days: 400 } },
      claimsFrom: { mail: '/email' },
      display: [{ description: 'All of it', background_color: '#224466', logo: { alt_text: 'A dot' } }],
    })
    expect(version.mdoc.namespaces['org.example.every.1']).toMatchObject({ birth_date: '/born', courses: '/courses' })
    await desk.opened('/types/EveryKind', async (page) => {
      await page.getByText('List: Group').waitFor()
      const entries = Object.fromEntries(EVERY_KIND.map(([name, , entry]) => [name, entry]))
      const claims = { ...entries, city: 'London', courses: '[{"title": "Algebra"}]' }
      for (const format of [SD_JWT, MDOC]) {
        const content = await taken(page, 'EveryKind', format, claims)
        for (const held of [
          'Everything',
          '1990-12-10',
          '"visits":7',
          '"member":true',
          'gold',
          'green',
          'London',
          'Algebra',
        ])
          expect(content).toContain(held)
      }
    })
  })
})

describe('a type as a file, and as a copy', () => {
  it('is saved, refused by name if the file is wrong, and imported under another name', async () => {
    await desk.opened('/types/Diploma', async (page) => {
      await heading(page, 'Diploma')
      const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Save as a file')])
      expect(download.suggestedFilename()).toBe('Diploma.json')
      const saved = JSON.parse(await readFile((await download.path()) ?? '', 'utf8'))
      expect(saved).toEqual(TEMPLATES.find(({ key }) => key === 'diploma')?.body)

      await page.goto(`${desk.service.url}/console/types/new-type`)
      const file = page.getByLabel(/^File of a credential type/)
      const sent = (content: unknown) => ({
        name: 'type.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(content)),
      })
      await file.setInputFiles(sent({ ...saved, colour: 'red', mdoc: { doctype: 7, namespaces: {} } }))
      await page.getByText('colour is not a setting of a credential type.').waitFor()
      await page.getByText('mdoc.doctype must be a text.').waitFor()
      expect(await field(page, 'Technical name').inputValue()).toBe('')
      await assertGood(page, 'type-file-wrong')

      await field(page, 'Technical name').fill('Started')
      await file.setInputFiles(sent({ ...saved, name: 'Imported' }))
      const question = page.getByRole('dialog', { name: 'Replace your input?' })
      await question.getByRole('button', { name: 'Cancel' }).click()
      expect(await field(page, 'Technical name').inputValue()).toBe('Started')
      await file.setInputFiles(sent({ ...saved, name: 'Imported' }))
      await question.getByRole('button', { name: 'Replace it' }).click()
      await page.getByText('The editor shows the content of type.json.').waitFor()
      await press(page, 'Publish')
      await heading(page, 'Diploma')
      const [version] = (await desk.service.request('GET', '/schemas/Imported/versions')).json
      expect(version).toMatchObject({ schemaBody: saved.schema, claims: saved.claims })
    })
  })

  it('is duplicated from the list, and usable on a phone', async () => {
    const context = await desk.browser.newContext({ viewport: { width: 390, height: 800 }, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${desk.service.url}/console/types`)
    await page
      .locator('tr')
      .filter({ hasText: 'MobileDrivingLicence' })
      .getByRole('link', { name: 'Duplicate' })
      .click()
    await heading(page, 'New credential type')
    // Sections are closed and say what is set. A claim is one line that opens.
    await page.locator('summary').filter({ hasText: 'Mobile document org.iso.18013.5.1.mDL' }).waitFor()
    await assertGood(page, 'type-editor-390-closed')
    const claim = page.getByLabel('Claim, claim 1', { exact: true })
    expect(await claim.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Family name Text' }).click()
    await claim.waitFor()
    await page.getByRole('button', { name: 'More about claim 1', exact: true }).click()
    await assertGood(page, 'type-editor-390')
    // A claim with an error opens, and its field has the focus.
    await claim.fill('')
    await page.getByRole('button', { name: 'Family name Text' }).click()
    expect(await claim.isVisible()).toBe(false)
    await press(page, 'Publish')
    await claim.waitFor()
    await claim.fill('family_name')
    await press(page, 'Publish')
    await heading(page, 'Driving licence (copy)')
    const [version] = (await desk.service.request('GET', '/schemas/MobileDrivingLicenceCopy/versions')).json
    expect(version.mdoc).toEqual(TEMPLATES.find(({ key }) => key === 'mdl')?.body.mdoc)
    await context.close()
  })

  it('without a look keeps the colours of its card in the editor', async () => {
    const type = { name: 'Plain', version: 1, schema: { type: 'object', properties: { name: { type: 'string' } } } }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
    await desk.opened('/types/Plain', async (page) => {
      const ground = () =>
        page
          .locator('aside .credential-face')
          .first()
          .evaluate((face) => getComputedStyle(face).backgroundColor)
      await heading(page, 'Plain')
      const before = await ground()
      await page.getByRole('link', { name: 'New version' }).click()
      await page.waitForURL(/\/types\/Plain\/edit$/)
      await page.getByRole('button', { name: 'Publish version 2' }).waitFor()
      expect(await ground()).toBe(before)
    })
  })

  it('that is gone leaves a sentence, and nothing to make from it', async () => {
    await desk.opened('/types/Gone', async (page) => {
      await page.getByText('This does not exist, was deleted, or belongs to another user.').waitFor()
      expect(await page.getByRole('link', { name: 'Duplicate' }).count()).toBe(0)
      expect(await page.getByRole('link', { name: 'New version' }).count()).toBe(0)
    })
  })
})
