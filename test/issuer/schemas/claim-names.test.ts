import { Openid4vciClient } from '@openid4vc/openid4vci'
import { TypeMetadataFormatSchema } from '@sd-jwt/sd-jwt-vc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newVisitor, writtenOn } from '../../people-pages/actors.js'
import { query } from '../../support/postgres.js'
import { type Issuer, startIssuer } from '../openid4vci/actors.js'
import { newBrowser, openPage } from '../openid4vci/browser.js'
import { libraryCallbacks } from '../openid4vci/library-wallet.js'
import { licenceSchema, NAMESPACE, startMdocIssuer } from '../openid4vci/mdoc-actors.js'
import { newOffer, newRequest } from '../openid4vci/sign-in-actors.js'

const SCHEMA = {
  type: 'object',
  properties: {
    givenName: { type: 'string', title: 'Given name' },
    address: { type: 'object', title: 'Address', properties: { city: { type: 'string' } } },
    level: { type: 'integer' },
  },
  required: ['givenName'],
  additionalProperties: false,
}
const DISPLAY = [{ name: 'Member card' }, { name: 'Mitgliedsausweis', locale: 'de', description: 'Gilt ein Jahr.' }]
const CLAIMS = [
  {
    path: ['givenName'],
    display: [
      { name: 'Vorname', locale: 'de' },
      { name: 'Prénom', locale: 'fr-CA' },
    ],
  },
  { path: ['address'], display: [{ name: 'Anschrift', locale: 'de' }] },
  {
    path: ['address', 'city'],
    display: [
      { name: 'Town', locale: 'en' },
      { name: 'Ort', locale: 'de' },
    ],
  },
]
const MEMBER = { name: 'Member', version: 1, schema: SCHEMA, display: DISPLAY, claims: CLAIMS }

/**
 * Returns all names of a claim. The first name is the title in the schema, in the language of the type's first name.
 */
const GIVEN_NAME = [{ name: 'Given name', locale: 'en' }, ...(CLAIMS[0]?.display ?? [])]

let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
  const answer = await post(MEMBER)
  expect([answer.status, answer.json.claims]).toEqual([201, CLAIMS])
})
afterAll(() => issuer.service.close())

const post = (body: unknown) => issuer.service.request('POST', '/schemas', { body })
const configurationsOf = async (of: Issuer) =>
  (await of.service.request('GET', '/.well-known/openid-credential-issuer')).json.credential_configurations_supported

describe('names of claims in several languages', () => {
  it('are in the metadata of the issuer, each at the place of the claim in its format (OpenID4VCI 1.0 Appendix B.2)', async () => {
    const configurations = await configurationsOf(issuer)
    expect(configurations['Member-sd-jwt'].credential_metadata.claims).toEqual([
      { path: ['givenName'], mandatory: true, display: GIVEN_NAME },
      {
        path: ['address'],
        mandatory: false,
        display: [
          { name: 'Address', locale: 'en' },
          { name: 'Anschrift', locale: 'de' },
        ],
      },
      { path: ['address', 'city'], mandatory: false, display: CLAIMS[2]?.display },
      { path: ['level'], mandatory: false },
    ])
    expect(configurations.Member.credential_metadata.claims[0]).toEqual({
      path: ['credentialSubject', 'givenName'],
      mandatory: true,
      display: GIVEN_NAME,
    })
  })

  it('also apply to the element of the claim in a mobile document (Appendix C.2)', async () => {
    const { issuer: ofMdocs, close } = await startMdocIssuer()
    try {
      const display = [{ name: 'Geburtsdatum', locale: 'de' }]
      const answer = await ofMdocs.service.request('POST', '/schemas', {
        authorization: await ofMdocs.service.bearer('issuer', { roles: ['admin'] }),
        body: { ...licenceSchema({ name: 'Licence' }), claims: [{ path: ['birthDate'], display }] },
      })
      expect(answer.text).toContain('"name":"Licence"')
      const { claims } = (await configurationsOf(ofMdocs))['Licence-mdoc'].credential_metadata
      expect(claims).toContainEqual({ path: [NAMESPACE, 'birth_date'], mandatory: expect.any(Boolean), display })
    } finally {
      await close()
    }
  })

  it('are readable for @openid4vc/openid4vci in the issuer’s metadata', async () => {
    const client = new Openid4vciClient({ callbacks: libraryCallbacks([]) })
    const { credentialIssuer } = await client.resolveIssuerMetadata(issuer.service.url)
    const configuration = credentialIssuer.credential_configurations_supported['Member-sd-jwt']
    expect(configuration).toMatchObject({
      credential_metadata: {
        claims: expect.arrayContaining([{ path: ['givenName'], mandatory: true, display: GIVEN_NAME }]),
      },
    })
  })

  it('are in the type metadata as labels, and @sd-jwt/sd-jwt-vc reads them (SD-JWT VC, "Claim Display Metadata")', async () => {
    const metadata = TypeMetadataFormatSchema.parse((await issuer.service.request('GET', '/vct/Member')).json)
    expect(metadata.claims?.find(({ path }) => path.join('.') === 'address.city')?.display).toEqual([
      { label: 'Town', locale: 'en' },
      { label: 'Ort', locale: 'de' },
    ])
    expect(metadata.claims?.find(({ path }) => path.join('.') === 'level')).not.toHaveProperty('display')
  })

  it('a title in the schema is in the language of the type’s first name, unless the claim has a name in that language', async () => {
    const claims = [{ path: ['address'], display: [{ name: 'Wohnort', locale: 'DE' }] }]
    const display = [{ name: 'Ausweis', locale: 'de' }, { name: 'Card' }]
    expect((await post({ ...MEMBER, name: 'Ausweis', display, claims })).status).toBe(201)
    const described = (await configurationsOf(issuer))['Ausweis-sd-jwt'].credential_metadata.claims
    expect(described.slice(0, 2).map((claim: { display: unknown }) => claim.display)).toEqual([
      [{ name: 'Given name', locale: 'de' }],
      [{ name: 'Wohnort', locale: 'DE' }],
    ])
  })

  it('can name the elements of an array, by null in the path (Appendix C.1, SD-JWT VC "Claim Path")', async () => {
    const schema = {
      type: 'object',
      properties: {
        degrees: {
          type: 'array',
          items: {
            type: 'object',
            properties: { type: { type: 'string', title: 'Degree' }, year: {} },
            required: ['year'],
          },
        },
        nationalities: { type: 'array', items: { type: 'string' } },
        visits: { type: 'array', items: { type: 'string', title: 'Visit' } },
        pair: { type: 'array', items: [{ properties: { left: {} } }, { properties: { right: {} } }] },
        grid: { type: 'array', items: { type: 'array', items: { properties: { cell: {} } } } },
      },
      required: ['degrees'],
    }
    const claims = [
      { path: ['degrees', null, 'type'], display: [{ name: 'Abschluss', locale: 'de' }] },
      { path: ['nationalities', null], display: [{ name: 'Staat', locale: 'de' }] },
    ]
    const selectivelyDisclosable = ['degrees.*.type', 'visits.*', 'pair']
    const posted = await post({ name: 'Degrees', version: 1, schema, claims, selectivelyDisclosable })
    expect([posted.status, posted.json.claims]).toEqual([201, claims])

    const client = new Openid4vciClient({ callbacks: libraryCallbacks([]) })
    const { credentialIssuer } = await client.resolveIssuerMetadata(issuer.service.url)
    const configurations = credentialIssuer.credential_configurations_supported
    const degree = [{ name: 'Degree', locale: 'en' }, ...(claims[0]?.display ?? [])]
    expect(configurations['Degrees-sd-jwt']?.credential_metadata?.claims).toEqual([
      { path: ['degrees'], mandatory: true },
      { path: ['degrees', null, 'type'], mandatory: false, display: degree },
      { path: ['degrees', null, 'year'], mandatory: true },
      { path: ['nationalities'], mandatory: false },
      { path: ['nationalities', null], mandatory: false, display: claims[1]?.display },
      { path: ['visits'], mandatory: false },
      { path: ['visits', null], mandatory: false, display: [{ name: 'Visit', locale: 'en' }] },
      { path: ['pair'], mandatory: false },
      { path: ['pair', null, 'left'], mandatory: false },
      { path: ['pair', null, 'right'], mandatory: false },
      { path: ['grid'], mandatory: false },
      { path: ['grid', null, null, 'cell'], mandatory: false },
    ])
    const path = ['credentialSubject', 'degrees', null, 'type']
    expect(configurations.Degrees?.credential_metadata?.claims).toContainEqual(expect.objectContaining({ path }))

    const metadata = TypeMetadataFormatSchema.parse((await issuer.service.request('GET', '/vct/Degrees')).json)
    const ruled = metadata.claims?.map(({ path, sd }) => [path.map((step) => step ?? '*').join('.'), sd])
    expect(ruled).toEqual(
      expect.arrayContaining([
        ['degrees.*.type', 'always'],
        ['degrees.*.year', 'never'],
        ['visits.*', 'always'],
      ]),
    )
    const withTitle = metadata.claims?.find(({ path }) => path.includes('type'))
    expect(withTitle?.display?.[1]).toEqual({ label: 'Abschluss', locale: 'de' })
  })

  it('a type from before claim names continues unchanged', async () => {
    expect((await post({ ...MEMBER, name: 'Former', claims: undefined })).json).not.toHaveProperty('claims')
    const rows = await query(issuer.service.databaseUrl, `SELECT claims FROM schemas WHERE name = 'Former'`)
    expect(rows).toEqual([{ claims: null }])
    const { claims } = (await configurationsOf(issuer))['Former-sd-jwt'].credential_metadata
    expect(claims[0]).toEqual({ path: ['givenName'], mandatory: true, display: [{ name: 'Given name', locale: 'en' }] })
  })

  it.each([
    [
      'a claim that the schema does not declare',
      [{ ...CLAIMS[0], path: ['familyName'] }],
      'claims.0.path must lead to',
    ],
    ['a member of the prototype', [{ ...CLAIMS[0], path: ['__proto__'] }], 'claims.0.path must lead to'],
    ['a path that two names give if they are joined', [{ ...CLAIMS[0], path: ['address\0city'] }], 'claims.0.path'],
    [
      'elements of a claim that is not an array',
      [{ ...CLAIMS[0], path: ['givenName', null] }],
      'claims.0.path must lead to',
    ],
    ['elements of the subject', [{ ...CLAIMS[0], path: [null] }], 'claims.0.path must lead to'],
    ['an element by its position', [{ ...CLAIMS[0], path: ['givenName', 0] }], 'claims.0.path.1'],
    ['no path', [{ ...CLAIMS[0], path: [] }], 'claims.0.path'],
    ['no name', [{ path: ['givenName'], display: [] }], 'claims.0.display'],
    ['one claim twice', [CLAIMS[0], CLAIMS[0]], 'claims must not name a claim twice'],
    [
      'two names in one language (Appendix B.2: "only one object for each language identifier")',
      [{ path: ['level'], display: ['de', 'DE'].map((locale) => ({ name: 'Stufe', locale })) }],
      'claims.0.display must not have two names in one language',
    ],
    [
      'an invalid language tag (BCP 47)',
      [{ path: ['level'], display: [{ name: 'Stufe', locale: 'Deutsch!' }] }],
      'claims.0.display.0.locale must be a language tag',
    ],
    ['more than 500 claims', Array(501).fill(CLAIMS[0]), 'claims'],
  ])('%s is refused with the name of the field, and nothing is stored', async (_, claims, message) => {
    const answer = await post({ ...MEMBER, name: 'Refused', claims })
    expect(answer.status).toBe(400)
    expect([answer.json.message].flat()[0]).toContain(message)
    expect(await query(issuer.service.databaseUrl, `SELECT 1 FROM schemas WHERE name = 'Refused'`)).toEqual([])
  })
})

describe('pages show names in their reader’s language (RFC 9110 §12.5.4)', () => {
  const SUBJECT = { givenName: 'Ada', address: { city: 'Turin' }, level: 3 }
  const pageOf = async (url: string, language: string) =>
    writtenOn(await newVisitor(issuer.service).open(url, { 'accept-language': language }))
  const offerPage = async () => {
    const body = { credentialConfigurationIds: ['Member'], credentialSubject: SUBJECT, page: true }
    return String((await issuer.service.request('POST', '/credential-offers', { body })).json.pageUrl)
  }

  it.each([
    ['de-AT,en;q=0.5', 'Mitgliedsausweis HOST Gilt ein Jahr. Er enthält Vorname Anschrift level'],
    ['en-GB,de;q=0.5', 'Member card HOST It contains Given name Address level'],
    ['de;q=0,en', 'Member card HOST It contains Given name Address level'],
    ['en;q=0.1, fr;q=0.9', 'Member card HOST Elle contient Prénom Address level'],
    ['ja', 'Member card HOST It contains Given name Address level'],
    ['*', 'Member card HOST It contains Given name Address level'],
    [`${'x,'.repeat(4000)}de`, 'Member card HOST It contains Given name Address level'],
  ])('an offer, for Accept-Language: %.20s', async (language, text) => {
    // The card names the issuer by the host of the service.
    const { host } = new URL(issuer.service.url)
    expect(await pageOf(await offerPage(), language)).toContain(text.replace('HOST', host))
  })

  it('a request', async () => {
    const body = {
      dcqlQuery: {
        credentials: [
          {
            id: 'member',
            format: 'dc+sd-jwt',
            meta: { vct_values: [`${issuer.service.url}/vct/Member`] },
            claims: [{ path: ['givenName'] }, { path: ['address', 'city'] }],
          },
        ],
      },
      page: true,
    }
    const { pageUrl } = (await issuer.service.request('POST', '/authorization-requests', { body })).json
    expect(await pageOf(pageUrl, 'de')).toContain('Mitgliedsausweis Sie zeigen Vorname Anschrift › Ort')
    expect(await pageOf(pageUrl, 'en')).toContain('Member card You show Given name Address › Town')
  })

  it('mark the language of each name that is not in the language of the page (WCAG 2.2, 3.1.2)', async () => {
    const url = await offerPage()
    const textOf = async (language: string) =>
      (await newVisitor(issuer.service).open(url, { 'accept-language': language })).text
    const german = await textOf('de')
    for (const text of ['Mitgliedsausweis', 'Gilt ein Jahr.', 'Vorname', 'Anschrift'])
      expect(german).toContain(`<span lang="de">${text}</span>`)
    expect(german).toContain('<h1><span lang="de">Mitgliedsausweis</span> für Ihre Wallet</h1>')
    expect(german).toContain('<li>level</li>')
    expect(await textOf('en')).not.toContain('<span lang="de"')
    expect(await textOf('fr')).toContain('<span lang="fr-CA">Prénom</span>')
  })

  it('the form in which a user enters claims', async () => {
    const browser = newBrowser(issuer.service)
    const { id } = await openPage(browser, newRequest({ scope: 'Member' }).address)
    const headers = { cookie: browser.cookie ?? '', 'accept-language': 'de' }
    const answer = await issuer.service.request('GET', `/openid4vci/authorize/${id}`, { headers })
    expect(answer.text).toMatch(/<label for="claim-1"><span lang="de">Vorname<\/span>/)
    const page = writtenOn(answer)
    expect(page).toContain('Mitgliedsausweis Gilt ein Jahr.')
    for (const title of ['Vorname', 'Anschrift', 'Ort', 'level']) expect(page).toContain(title)
  })

  it('the claims that a user sees before the decision', async () => {
    const offer = await newOffer(issuer, { credentialConfigurationIds: ['Member'], credentialSubject: SUBJECT })
    const browser = newBrowser(issuer.service)
    const { id } = await openPage(browser, newRequest({ scope: 'Member', issuer_state: offer.issuer_state }).address)
    const headers = { cookie: browser.cookie ?? '', 'accept-language': 'de' }
    const answer = await issuer.service.request('GET', `/openid4vci/authorize/${id}`, { headers })
    expect(answer.text).toContain('<dt><span lang="de">Anschrift › Ort</span></dt>')
    const page = writtenOn(answer)
    expect(page).toContain('Vorname Ada')
    expect(page).toContain('Anschrift › Ort Turin')
  })

  it('values with titles, dates, and yes and no in the words of the reader', async () => {
    const schema = {
      type: 'object',
      properties: {
        rank: { title: 'Rang', oneOf: [{ const: 'g', title: 'Goldmitglied' }, { const: 's' }] },
        marks: { type: 'array', title: 'Noten', items: { oneOf: [{ const: 1, title: 'Sehr gut' }] } },
        born: { type: 'string', format: 'date', title: 'Geboren' },
        seen: { type: 'string', format: 'date-time', title: 'Gesehen' },
        active: { type: 'boolean', title: 'Aktiv' },
      },
    }
    const body = { name: 'Ranked', version: 1, schema, display: [{ name: 'Rang', locale: 'de' }] }
    expect((await issuer.service.request('POST', '/schemas', { body })).status).toBe(201)
    const credentialSubject = { rank: 'g', marks: [1], born: '1990-02-03', seen: '2026-01-02T03:04:05Z', active: true }
    const offer = await newOffer(issuer, { credentialConfigurationIds: ['Ranked'], credentialSubject })
    const readIn = async (language: string, members: Record<string, string>) => {
      const browser = newBrowser(issuer.service)
      const { id } = await openPage(browser, newRequest({ scope: 'Ranked', ...members }).address)
      const headers = { cookie: browser.cookie ?? '', 'accept-language': language }
      return issuer.service.request('GET', `/openid4vci/authorize/${id}`, { headers })
    }
    const german = writtenOn(await readIn('de', { issuer_state: offer.issuer_state }))
    expect(german).toContain('Rang Goldmitglied Noten › 1 Sehr gut Geboren 3. Februar 1990')
    expect(german).toContain('Gesehen 2. Januar 2026 um 03:04 UTC Aktiv Ja')
    const english = await readIn('en', { issuer_state: offer.issuer_state })
    expect(english.text).toContain('<dd><span lang="de">Goldmitglied</span></dd>')
    expect(english.text).toContain('<dd>3 February 1990</dd>')
    const form = await readIn('de', {})
    expect(form.text).toContain('<option value="&quot;g&quot;">Goldmitglied</option>')
    expect(form.text).toContain('<option value="&quot;s&quot;">s</option>')
  })
})
