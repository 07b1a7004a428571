import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { textInPng } from '../../support/qr-code.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen } from './actors.js'
import { choose, press, tabTo, typeInto } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))

const desk = driven()

describe('credential types and offers', () => {
  it('without any record, every screen leads to the next step', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/offers`)
      await page.getByText('There is no credential type to offer yet').waitFor()
      await assertGood(page, `offers-empty-${name}`)
      await page.goto(`${desk.service.url}/console/types`)
      await page.getByText('There is no credential type yet').waitFor()
      await assertGood(page, `types-empty-${name}`)
    })
  })

  it('are made with the keyboard alone, and the progress of an offer is shown live', async () => {
    await desk.opened('/types', async (page) => {
      await heading(page, 'Credential types')
      await press(page, 'Overview')
      await heading(page, 'Overview')
      await press(page, 'Credential types')
      await heading(page, 'Credential types')
      await press(page, 'New credential type')
      await heading(page, 'New credential type')
      await typeInto(page, 'Technical name', 'Membership')
      await typeInto(page, 'Name', 'Membership card')
      await typeInto(page, 'Claim, claim 1', 'level')
      await typeInto(page, 'Title, claim 1', 'Level')
      await typeInto(page, 'Allowed values, claim 1', 'gold, silver')
      await tabTo(page, 'Required, claim 1')
      await page.keyboard.press('Space')
      await press(page, 'Add a claim')
      await page.keyboard.type('since')
      await choose(page, 'Type, claim 2', 'D')
      await press(page, 'Publish')
      await heading(page, 'Membership card')
      await page.getByText('One of: gold, silver').waitFor()
      await press(page, 'Offer')
      await heading(page, 'Offer a credential')
      await choose(page, 'Level', 's')
      await press(page, 'Create offer')
      await heading(page, 'Membership card')
      await page.getByText('Waiting for a wallet to scan the code.').waitFor()
      const link = textInPng(await page.getByRole('img').screenshot()) ?? ''
      expect(link).toMatch(/^openid-credential-offer:/)
      const offer = await fetch(new URL(link).searchParams.get('credential_offer_uri') ?? '')
      expect(await offer.json()).toMatchObject({ credential_configuration_ids: ['Membership-sd-jwt'] })
      await page.getByText('A wallet has read the offer.').waitFor()
    })
  })

  it('are assigned to issuers and unassigned with the keyboard alone', async () => {
    const made = await desk.service.request('POST', '/agent/issuer', {
      body: { method: 'web', display: [{ name: 'Registry office' }] },
    })
    expect(made.status, made.text).toBe(201)
    await desk.opened('/types/Membership', async (page) => {
      await heading(page, 'Membership card')
      await page.getByRole('checkbox', { name: 'Registry office' }).waitFor()
      await tabTo(page, 'Registry office')
      await page.keyboard.press('Space')
      const box = page.getByRole('checkbox', { name: 'Registry office' })
      await expect.poll(() => box.isChecked()).toBe(true)
      // The focus stays on the box, so that the user can undo the choice at once.
      await expect.poll(() => box.getAttribute('aria-disabled')).toBe('false')
      await page.keyboard.press('Space')
      await expect.poll(() => box.isChecked()).toBe(false)
      await expect.poll(() => box.getAttribute('aria-disabled')).toBe('false')
    })
  })

  it('a claim has a title in each language, in the table and in JSON, and users see the title in their language', async () => {
    await desk.opened('/types/new-type', async (page) => {
      const names = page.locator('.name-row')
      await page.getByLabel('Technical name').fill('Library')
      await names.nth(0).getByRole('textbox').first().fill('Library card')
      await page.getByRole('button', { name: 'Add a language' }).click()
      await names.nth(1).getByRole('textbox').first().fill('Büchereiausweis')
      await names.nth(1).getByRole('textbox').last().fill('EN')
      await page.getByLabel('Claim, claim 1').fill('reader')
      await page.getByLabel('Title in en, claim 1', { exact: true }).fill('Reader')
      await page.getByLabel('Title in EN, claim 1', { exact: true }).fill('Leserin')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByText('This language is already in the list.').waitFor()
      await names.nth(1).getByRole('textbox').last().fill('de')
      expect(await page.getByLabel('Title in de, claim 1').inputValue()).toBe('Leserin')
      await assertGood(page, 'titles-by-language')
      await page.getByLabel('JSON Schema', { exact: true }).check()
      const titles = page.getByLabel('Titles in other languages')
      expect(JSON.parse(await titles.inputValue())).toEqual([
        { path: ['reader'], display: [{ name: 'Leserin', locale: 'de' }] },
      ])
      await titles.fill('[{"path": ["reader"]}]')
      await page.getByLabel('Table', { exact: true }).click()
      await page.getByText('Enter a list such as').waitFor()
      await titles.fill(
        '[{"path": ["reader"], "display": [{"name": "Leser", "locale": "de"}, {"name": "Lecteur", "locale": "fr"}]}]',
      )
      await page.getByLabel('Table', { exact: true }).check()
      expect(await page.getByLabel('Title in fr, claim 1').inputValue()).toBe('Lecteur')
      await page.getByRole('button', { name: 'Publish' }).click()
      await heading(page, 'Library card')
      await page.getByRole('rowheader', { name: 'Reader' }).waitFor()
      await page.goto(`${desk.service.url}/console/types/Library/edit`)
      await page.getByLabel('Title in fr, claim 1').fill('Lectrice')
      await page.getByRole('button', { name: 'Publish version 2' }).click()
      await page.getByText('titles in other languages').waitFor()
      await page.goto(`${desk.service.url}/console/offers?type=Library`)
      await page.getByLabel('Reader').waitFor()
      await page.evaluate(`localStorage.setItem('credence-console-language', 'de')`)
      await page.reload()
      await page.getByLabel('Leser').waitFor()
      await page.goto(`${desk.service.url}/console/types/Library`)
      await heading(page, 'Büchereiausweis')
      await page.getByRole('rowheader', { name: 'Leser' }).waitFor()
      await page.evaluate(`localStorage.removeItem('credence-console-language')`)
    })
    const { json } = await desk.service.request('GET', '/vct/Library')
    expect(json.claims[0].display).toEqual([
      { label: 'Reader', locale: 'en' },
      { label: 'Leser', locale: 'de' },
      { label: 'Lectrice', locale: 'fr' },
    ])
  })

  it('claims behind references and combinations can be read, filled in, and written as JSON', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $ref: '#/$defs/named',
      allOf: [{ properties: { born: { anyOf: [{ $ref: '#/$defs/day' }, { type: 'null' }] } } }],
      properties: { home: { $ref: '#/$defs/address' }, stays: { type: 'array', items: { $ref: '#/$defs/address' } } },
      $defs: {
        named: { properties: { name: { type: 'string', title: 'Full name' } }, required: ['name'] },
        day: { type: 'string', format: 'date', title: 'Day of birth' },
        address: { type: 'object', title: 'Address', properties: { city: { type: 'string', title: 'Town' } } },
      },
    }
    const claims = [{ path: ['home', 'city'], display: [{ name: 'Home town', locale: 'en' }] }]
    const body = { name: 'Combined', version: 1, schema, claims, selectivelyDisclosable: ['born'] }
    const posted = await desk.service.request('POST', '/schemas', { body })
    expect(posted.status, posted.text).toBe(201)
    await desk.opened('/types/Combined', async (page) => {
      for (const name of ['Full name', 'Day of birth', 'Home town'])
        await page.getByRole('rowheader', { name }).waitFor()
      await page.goto(`${desk.service.url}/console/offers?type=Combined`)
      await page.getByLabel('Full name').fill('Ada')
      expect(await page.getByLabel('Day of birth').getAttribute('type')).toBe('date')
      await page.getByLabel('Day of birth').fill('1990-02-03')
      await page.getByRole('group', { name: 'Address' }).getByLabel('Home town').fill('Turin')
      await page.getByLabel('stays').fill('[{"city": "Pisa"}]')
      await assertGood(page, 'form-of-combined-schema')
      await page.getByRole('button', { name: 'Create offer' }).click()
      await page.getByRole('region', { name: 'QR code of the offer' }).waitFor()
      await heading(page, 'Combined')
      // The table cannot show claims that are not among an object's own properties.
      await page.goto(`${desk.service.url}/console/types/Combined/edit`)
      await page.getByRole('button', { name: 'Publish version 2' }).click()
      await heading(page, 'Combined')
    })
    const rows = await query(desk.service.databaseUrl, 'SELECT credential_subject FROM offerings')
    expect(rows).toContainEqual({
      credential_subject: { name: 'Ada', born: '1990-02-03', home: { city: 'Turin' }, stays: [{ city: 'Pisa' }] },
    })
    const versions = await desk.service.request('GET', '/schemas/Combined/versions')
    expect(versions.json[0]).toMatchObject({
      version: 2,
      schemaBody: schema,
      claims,
      selectivelyDisclosable: ['born'],
    })
  })

  it('the table of claims is not wider than its panel, at every desktop width', async () => {
    await desk.opened('/types/new-type', async (page) => {
      await page.getByRole('button', { name: 'Add a language' }).click()
      for (const width of [800, 1024, 1151, 1152, 1200, 1407, 1408, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const table = await page.locator('table.claims').boundingBox()
        const form = await page.locator('form.editor > .fields').boundingBox()
        const right = (box: typeof table) => (box?.x ?? Number.NaN) + (box?.width ?? Number.NaN)
        expect(right(table), `${width}`).toBeLessThan(right(form))
      }
    })
  })

  it('a refusal of the service is shown at its field, and no input is lost', async () => {
    await desk.opened(
      '/types/new-type',
      async (page) => {
        await page.getByLabel('Technical name').fill('Membership')
        await page.getByLabel('Claim, claim 1').fill('iss')
        await page.getByRole('button', { name: 'Publish' }).click()
        await page.getByText('must not be declared: the name is reserved in').waitFor()
        expect(await page.getByLabel('Claim, claim 1').getAttribute('aria-invalid')).toBe('true')
        await page.getByLabel('Claim, claim 1').fill('level')
        await page.getByRole('button', { name: 'Publish' }).click()
        await page.getByText('A credential type of this name already exists.').waitFor()
        expect(await page.getByLabel('Claim, claim 1').inputValue()).toBe('level')
      },
      [400, 409],
    )
  })

  it('if two users edit a type, the second user learns that it has changed', async () => {
    await desk.opened(
      '/types/Membership/edit',
      async (page) => {
        await page.getByRole('button', { name: 'Publish version 2' }).waitFor()
        const again = { name: 'Membership', version: 2, schema: { type: 'object', properties: { other: {} } } }
        expect((await desk.service.request('POST', '/schemas', { body: again })).status).toBe(201)
        await page.getByLabel('Title, claim 1').fill('Rank')
        await page.getByRole('button', { name: 'Publish version 2' }).click()
        await page.getByText('Another user has published this version.').waitFor()
        expect(await page.getByLabel('Title, claim 1').inputValue()).toBe('Rank')
      },
      [409],
    )
  })

  it('are good in every size, light and dark', async () => {
    await desk.service.request('POST', '/schemas', { body: demonstration })
    await onEveryScreen(desk.browser, async (page, name) => {
      for (const [path, ready] of [
        ['/types', 'Proof of purchase'],
        ['/types/Membership', 'Compare versions'],
        ['/types/ProofOfPurchase/edit', 'Publish version 2'],
        ['/offers?type=ProofOfPurchase', 'Create offer'],
      ] as const) {
        await page.goto(`${desk.service.url}/console${path}`)
        await page.getByText(ready).first().waitFor()
        await assertGood(page, `${path.replaceAll(/\W/g, '_')}-${name}`)
      }
      await page.getByLabel('productName').fill('Espresso machine')
      await page.getByRole('button', { name: 'Create offer' }).click()
      await page.getByText('Fill in this field.').first().waitFor()
      await assertGood(page, `offer-wrong-${name}`)
      await page.getByLabel('merchant').fill('Corner Shop')
      await page.getByLabel('purchaseDate').fill('2026-03-01')
      await page.getByLabel('Require a PIN').check()
      await page.getByRole('button', { name: 'Create offer' }).click()
      await page.getByText('Waiting for a wallet to scan the code.').waitFor()
      await assertGood(page, `offer-${name}`)
      await page.reload()
      await page.getByRole('img', { name: 'QR code of the offer' }).waitFor()
    })
  })

  it('names in another language than the console’s are marked with their language (WCAG 2.2, 3.1.2)', async () => {
    const type = {
      name: 'Ausweis',
      version: 1,
      schema: { type: 'object', properties: { level: { type: 'string' } } },
      display: [{ name: 'Mitgliedsausweis', locale: 'de' }],
    }
    expect((await desk.service.request('POST', '/schemas', { body: type })).status).toBe(201)
    await desk.opened('/types', async (page) => {
      const link = page.getByRole('link', { name: 'Mitgliedsausweis' })
      expect(await link.getAttribute('lang')).toBe('de')
      expect(await page.getByRole('link', { name: 'Proof of purchase' }).getAttribute('lang')).toBeNull()
      await link.click()
      await heading(page, 'Mitgliedsausweis')
      expect(await page.getByRole('heading', { level: 1 }).getAttribute('lang')).toBe('de')
      await page.goto(`${desk.service.url}/console/offers?type=Ausweis`)
      const option = page.getByRole('option', { name: 'Mitgliedsausweis' })
      await option.waitFor({ state: 'attached' })
      expect(await option.getAttribute('lang')).toBe('de')
    })
  })

  it('the demonstration type is the last in the choice of types, even if it is the newest', async () => {
    await desk.opened('/offers', async (page) => {
      const chooser = page.getByLabel('Credential type')
      await chooser.waitFor()
      const types = await chooser
        .getByRole('option')
        .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
      expect([types.length, types.at(-1)]).toEqual([5, 'ProofOfPurchase'])
      expect(await chooser.inputValue()).toBe(types[0])
    })
  })

  it('a type says when claims are erased', async () => {
    await desk.opened('/types/new-type', async (page) => {
      await page.getByLabel('Technical name').fill('Visit')
      await page.locator('.name-row').nth(0).getByRole('textbox').first().fill('Visitor badge')
      await page.getByLabel('Claim, claim 1').fill('visitor')
      await page.getByLabel('Title, claim 1').fill('Visitor')
      await page.getByText('Storage of claims').click()
      await page.getByLabel('Erase claims').selectOption('some days after issuance')
      await page.getByLabel('Days after issuance').fill('30')
      await page.getByRole('button', { name: 'Publish' }).click()
      await heading(page, 'Visitor badge')
    })
    const versions = async () => (await desk.service.request('GET', '/schemas/Visit/versions')).json
    expect((await versions())[0].retention).toEqual({ claims: { days: 30 } })
  })
})
