import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../client/console/screens/types/claims.js'
import { asJson, bodyOf, draftOf, isUnreadable } from '../../client/console/screens/types/draft.js'
import {
  claimNamesIn,
  NO_LOOK,
  withLanguages,
  withNames,
  withoutLanguage,
} from '../../client/console/screens/types/names.js'
import { shownClaims } from '../../client/console/screens/types/shown-claims.js'
import { bodyOfVersion } from '../../client/console/screens/types/version-body.js'
import { titlesOf } from '../../client/console/ui/claim-titles.js'

const SCHEMA = {
  type: 'object',
  properties: {
    level: { title: 'Level', type: 'string' },
    home: { title: 'Home', type: 'object', properties: { city: { title: 'Town', type: 'string' } } },
    more: { type: ['object', 'null'], properties: { inner: { type: 'string' } } },
  },
}
const CLAIMS = [
  {
    path: ['level'],
    display: [
      { name: 'Stufe', locale: 'de' },
      { name: 'Niveau', locale: 'fr' },
    ],
  },
  { path: ['home', 'city'], display: [{ name: 'Ort', locale: 'de' }] },
  { path: ['more', 'inner'], display: [{ name: 'Innen', locale: 'de' }] },
]
const VERSION: Parameters<typeof bodyOfVersion>[0] = {
  id: 'a',
  name: 'Card',
  type: 'Card',
  version: 1,
  schemaUri: 'https://issuer.example/s',
  schemaBody: SCHEMA,
  display: [
    { name: 'Card', locale: 'en', background_color: '#111111', text_color: '#ffffff' },
    { name: 'Karte', locale: 'de', description: 'Gilt', background_color: '#111111', text_color: '#ffffff' },
  ],
  claims: CLAIMS,
  active: true,
  issuers: [],
  createdAt: '2026-01-01T00:00:00Z',
}

const BODY = bodyOfVersion(VERSION)

function published(draft: ReturnType<typeof draftOf>) {
  const body = bodyOf(draft)
  if (isUnreadable(body)) throw new Error(`${body.wrong} cannot be read.`)
  return body
}

describe('titles by language in the editor of a type', () => {
  it.each(['table', 'json'] as const)('are unchanged after the %s', (mode) => {
    const draft = draftOf(BODY, 'en')
    const shown = mode === 'table' ? draft : asJson(draft)
    const { schema, claims, display } = published(shown ?? draft)
    expect({ schema, display, claims: new Set(claims) }).toEqual({
      schema: SCHEMA,
      display: VERSION.display,
      claims: new Set(CLAIMS),
    })
  })

  it('a language that only claims have is in the editor, but not among the names of the type', () => {
    const draft = draftOf(BODY, 'en')
    expect(draft.names.map(({ name, locale }) => ({ name, locale }))).toEqual([
      { name: 'Card', locale: 'en' },
      { name: 'Karte', locale: 'de' },
      { name: '', locale: 'fr' },
    ])
    expect(draft.rows[0]).toMatchObject({ path: 'level', title: 'Level', further: ['Stufe', 'Niveau'] })
    expect(published(draft).display?.map(({ locale }) => locale)).toEqual(['en', 'de'])
  })

  it('titles of a type without a name are in the given language, and its colours stay', () => {
    const empty = draftOf(undefined, 'de')
    const names = empty.names.map((name) => ({ ...name, backgroundColor: '#222222' }))
    expect(published({ ...empty, names, name: 'Ausweis' }).display).toEqual([
      { name: 'Ausweis', locale: 'de', background_color: '#222222', text_color: '#ffffff' },
    ])
  })

  it('without the first language, the titles of the schema are in the next language', () => {
    const [row] = draftOf(BODY, 'en').rows
    expect(row && withoutLanguage(row, 0)).toMatchObject({ title: 'Stufe', further: ['Niveau'] })
    expect(row && withoutLanguage(row, 1)).toMatchObject({ title: 'Level', further: ['Niveau'] })
  })

  it('a name of the first language gives the row its title, as metadata do', () => {
    const claims = [{ path: ['level'], display: [{ name: 'Rank', locale: 'EN' }] }]
    const names = withLanguages([{ ...NO_LOOK, name: 'Card', locale: '' }], claims)
    expect(names).toHaveLength(1)
    expect(withNames(rowsOf(SCHEMA, undefined) ?? [], claims, names)[0]).toMatchObject({ title: 'Rank', further: [] })
  })

  it.each(['{}', '[1]', '[{"path": "a", "display": []}]', '[{"path": ["a"], "display": [{}]}]', 'no JSON', '[null]'])(
    '%s is not a list of names',
    (text) => expect(claimNamesIn(text)).toBeUndefined(),
  )
})

describe('a schema in the language of its reader', () => {
  const titles = (language: string, version = VERSION) =>
    shownClaims(version.schemaBody, undefined, titlesOf(version, language)).map(({ title }) => title)

  it('has the titles of that language, otherwise the available titles', () => {
    expect(titles('de')).toEqual(['Stufe', 'Home', 'Ort', '', 'Innen'])
    expect(titles('en')).toEqual(['Level', 'Home', 'Town', '', 'Innen'])
  })

  it('a title in the schema is in the language of the type’s first name', () => {
    const claims = [{ path: ['level'], display: [{ name: 'Rank', locale: 'en-GB' }] }]
    const version = { ...VERSION, display: [{ ...VERSION.display?.[1], name: 'Karte' }], claims }
    expect([titles('de', version)[0], titles('en', version)[0]]).toEqual(['Level', 'Rank'])
  })
})
