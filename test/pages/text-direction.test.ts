import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { newBrowser, openPage } from '../issuer/openid4vci/browser.js'
import { newOffer, newRequest } from '../issuer/openid4vci/sign-in-actors.js'
import { newVisitor } from '../people-pages/actors.js'
import { query } from '../support/postgres.js'
import type { Answer } from '../support/service.js'

/** Embeddings, overrides, isolates and their ends (Unicode Standard Annex 9, §2.1 to §2.5). */
const CONTROL = /[\u202a-\u202e\u2066-\u2069]/

/** A text that would look like a different text. */
const turned = (text: string): string => `${text}\u202e${text}\u202c\u2067\u2066${text}\u2069\u2069\u202a\u202b\u202d`
/** The text as it must be shown. */
const plain = (text: string): string => `<bdi>${text}${text}${text}</bdi>`

/** The unchanged text in an attribute or a field. */
const written = (text: string): string =>
  text.replaceAll('"', '&quot;').replaceAll(new RegExp(CONTROL, 'g'), (control) => `&#${control.charCodeAt(0)};`)

const SCHEMA = {
  type: 'object',
  properties: {
    givenName: { type: 'string', title: turned('Given'), description: turned('Hint') },
    level: { enum: [turned('gold'), 'silver'], title: 'Level' },
    notes: { type: 'array', items: { type: 'string' }, title: 'Notes' },
    [turned('plain')]: { type: 'string' },
  },
  required: ['givenName'],
  additionalProperties: false,
}
const SUBJECT = {
  givenName: turned('Ada'),
  level: turned('gold'),
  notes: [turned('note')],
  [turned('plain')]: turned('value'),
}
const CLAIMS = [{ path: ['givenName'], display: [{ name: turned('Vorname'), locale: 'de' }] }]
const DISPLAY = [
  { name: turned('Card'), description: turned('About') },
  { name: turned('Karte'), locale: 'de', description: turned('Über') },
  { name: 'כרטיס (1)\u200f', locale: 'he' },
]

let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
  const display = [{ name: 'Card', description: turned('About') }]
  await post('/schemas', { name: 'Turned', version: 1, schema: SCHEMA, display, claims: CLAIMS })
  // These names are older than the rule that refuses them.
  await sql(`UPDATE schemas SET display = '${JSON.stringify(DISPLAY)}' WHERE name = 'Turned'`)
  for (const [table, name] of [
    ['issuers', 'Issuer'],
    ['verifiers', 'Verifier'],
  ] as const)
    await sql(`UPDATE ${table} SET display = '${JSON.stringify([{ name: turned(name) }])}'`)
})
afterAll(() => issuer.service.close())

const sql = (text: string) => query(issuer.service.databaseUrl, text)

async function post(path: string, body: unknown) {
  const { status, json, text } = await issuer.service.request('POST', path, { body })
  expect(status, text).toBe(201)
  return json
}

const open = (url: string, language = 'en') => newVisitor(issuer.service).open(url, { 'accept-language': language })

function expectShown({ status, text }: Answer, ...names: readonly string[]): void {
  expect(status, text).toBe(200)
  expect(text).not.toMatch(CONTROL)
  for (const name of names) expect(text).toContain(plain(name))
}

const OFFER = { credentialConfigurationIds: ['Turned'], credentialSubject: SUBJECT }

describe('texts of other people with direction controls, on pages for users', () => {
  it('of an offer: names in every language, titles of claims, the issuer, the hint about the code', async () => {
    const txCode = { length: 6, description: turned('Letter') }
    const { pageUrl } = await post('/credential-offers', { ...OFFER, txCode, page: true })
    const page = await open(pageUrl)
    expectShown(page, 'Issuer', 'Card', 'About', 'Given', 'plain', 'Letter')
    expect(page.text).toContain('<title>CardCardCard for your wallet · IssuerIssuerIssuer</title>')
    const german = await open(pageUrl, 'de')
    expectShown(german, 'Karte', 'Über', 'Vorname')
    expect(german.text).toContain(`<h1><span lang="de">${plain('Karte')}</span> für Ihre Wallet</h1>`)
    const hebrew = await open(pageUrl, 'he')
    expect(hebrew.text).toContain('<h1><span lang="he"><bdi>כרטיס (1)\u200f</bdi></span> for your wallet</h1>')
  })

  it('of a page’s own title and text', async () => {
    const { credentialOfferSessionId } = await post('/credential-offers', OFFER)
    const { url } = await post('/pages', { credentialOfferSessionId, title: turned('Title'), text: turned('Text') })
    const page = await open(url)
    expectShown(page, 'Title', 'Text')
    expect(page.text).toContain('<title>TitleTitleTitle · IssuerIssuerIssuer</title>')
  })

  it('of a request: verifier, types that are known and unknown, claims', async () => {
    const asked = { format: 'dc+sd-jwt', claims: [{ path: [turned('path')] }, { path: ['givenName'] }] }
    const { pageUrl } = await post('/authorization-requests', {
      dcqlQuery: {
        credentials: [
          { ...asked, id: 'known', meta: { vct_values: [`${issuer.service.url}/vct/Turned`] } },
          { ...asked, id: 'unknown', meta: { vct_values: [`urn:x:${turned('type')}`] } },
        ],
      },
      page: true,
    })
    expectShown(await open(pageUrl), 'Verifier', 'Card', 'Given', 'path', 'type')
    expectShown(await open(pageUrl, 'de'), 'Karte', 'Vorname')
  })

  it('of the page of consent: names, titles, values', async () => {
    const offer = await newOffer(issuer, OFFER)
    const browser = newBrowser(issuer.service)
    const { page } = await openPage(browser, newRequest({ scope: 'Turned', issuer_state: offer.issuer_state }).address)
    expectShown(page, 'Issuer', 'Card', 'About', 'Ada', 'gold', 'note', 'value', 'plain', 'Given')
  })

  it('of the form for claims, whose values do not change', async () => {
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, newRequest({ scope: 'Turned' }).address)
    expectShown(page, 'Given', 'Hint', 'plain')
    const gold = written(JSON.stringify(turned('gold')))
    expect(page.text).toContain(`<option value="${gold}">goldgoldgold</option>`)
    const again = await browser.decide(page, id, 'accept', {
      '/level': JSON.stringify(turned('gold')),
      '/notes': turned('note'),
    })
    expect([again.status, CONTROL.test(again.text)]).toEqual([400, false])
    expect(again.text).toContain(`<option value="${gold}" selected>goldgoldgold</option>`)
    expect(again.text).toContain(`>\n${written(turned('note'))}</textarea>`)
    const fields = { '/givenName': turned('Ada'), '/level': JSON.stringify(turned('gold')) }
    expect((await browser.decide(again, id, 'accept', fields)).status).toBe(303)
  })
})
