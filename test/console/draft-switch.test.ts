import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emptyRow } from '../../client/console/screens/types/claims.js'
import {
  asJson,
  asTable,
  bodyOf,
  draftOf,
  isUnreadable,
  type TypeBody,
  type TypeDraft,
  written,
} from '../../client/console/screens/types/draft.js'
import { fieldOfPath, SECTION_OF } from '../../client/console/screens/types/fields.js'
import { createSchema } from '../../server/issuer/schemas/schemas.contract.js'

const INTEGRITY = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
const IMAGE = 'f'.repeat(64)
const PORTRAIT = { orientation: 'portrait', color_scheme: 'light', contrast: 'high' } as const

/** A type with every setting that the service takes, each with a value that is not its default. */
const EVERYTHING = {
  name: 'Everything',
  version: 4,
  title: 'Everything at once',
  description: 'A type with every setting.',
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      name: { type: 'string', title: 'Name', description: 'As in the passport', maxLength: 80 },
      born: { type: 'string', title: 'Born', format: 'date' },
      seen: { type: 'string', format: 'date-time' },
      height: { type: 'number', minimum: 0 },
      visits: { type: 'integer', enum: [1, 2, 3] },
      member: { type: 'boolean' },
      level: {
        type: 'string',
        oneOf: [
          { const: 'g', title: 'Gold' },
          { const: 's', title: 'Silver' },
        ],
      },
      colour: { type: 'string', enum: ['red', 'green'] },
      picture: { type: 'string', format: 'uri', pattern: '^data:image/' },
      portrait: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      tags: { type: 'array', title: 'Tags', items: { type: 'string', maxLength: 9 }, minItems: 1 },
      home: {
        type: 'object',
        title: 'Home',
        properties: { city: { type: 'string' }, street: { type: 'string', title: 'Street' } },
        required: ['city'],
        additionalProperties: false,
      },
      courses: {
        type: 'array',
        title: 'Courses',
        items: {
          type: 'object',
          properties: {
            title: { type: 'string', title: 'Course' },
            parts: { type: 'array', items: { type: 'object', properties: { hours: { type: 'integer' } } } },
          },
          required: ['title'],
        },
      },
      odd: { type: ['string', 'null'], title: 'Odd' },
      address: { $ref: '#/$defs/address' },
    },
    required: ['name', 'courses'],
    $defs: { address: { type: 'object', properties: { zip: { type: 'string' } } } },
  },
  display: [
    {
      name: 'Everything',
      locale: 'en',
      description: 'All of it',
      background_color: '#112233',
      text_color: 'rgb(255, 255, 255)',
      background_image: { uri: 'https://issuer.example/back.png', 'uri#integrity': INTEGRITY },
      logo: { uri: 'https://issuer.example/logo.png', 'uri#integrity': INTEGRITY, alt_text: 'A logo' },
      svg_templates: [
        { uri: 'https://issuer.example/card.svg', 'uri#integrity': INTEGRITY, properties: PORTRAIT },
        { image: IMAGE, properties: { orientation: 'landscape' } },
      ],
    },
    { name: 'Alles', locale: 'de', description: 'Ganz alles', text_color: '#000000' },
    { name: 'Stored', locale: 'fr', logo: { image: IMAGE }, background_image: { image: IMAGE } },
  ],
  claims: [
    { path: ['name'], display: [{ name: 'Name auf Deutsch', locale: 'de' }] },
    { path: ['tags', null], display: [{ name: 'Schlagwort', locale: 'de' }] },
    { path: ['home', 'city'], display: [{ name: 'Ort', locale: 'de' }] },
    {
      path: ['courses', null, 'title'],
      display: [
        { name: 'Kurs', locale: 'de' },
        { name: 'Cours', locale: 'fr' },
      ],
    },
    { path: ['address', 'zip'], display: [{ name: 'PLZ', locale: 'de' }] },
  ],
  selectivelyDisclosable: ['name', 'tags.*', 'home.city', 'courses', 'courses.*', 'courses.*.title', 'address.zip'],
  expiresInDays: 30,
  validFrom: '2027-03-01T08:30:15.250Z',
  claimsFrom: { name: '/name', born: '/birthdate' },
  keyAttestation: { keyStorage: ['iso_18045_high', 'other'], userAuthentication: ['iso_18045_moderate'] },
  mdoc: {
    doctype: 'org.example.everything.1',
    namespaces: {
      'org.example.everything.1': { name: '/name', birth_date: '/born', city: '/home/city', first: '/tags/0' },
      'org.example.more.1': { given_name: '/name', zip: '/address/zip' },
    },
  },
  suspendable: true,
  activeSets: { perSubject: 1 },
  onRefresh: 'revoke-previous',
  watchAttestations: true,
  retention: { claims: { days: 20 }, record: { days: 60 } },
  claimsSource: {
    url: 'https://registry.example/claims',
    auth: { bearer: 'token', hmac: 'whsec_x', mTLS: { certificate: 'CERTIFICATE', key: 'KEY' } },
    timeoutMs: 700,
  },
} satisfies Required<TypeBody>

/** The paths of all settings in the contract of a call. The members of a schema and of maps are free. */
function settingsIn(contract: z.ZodType): string[] {
  interface Shape {
    readonly properties?: Readonly<Record<string, Shape>>
    readonly items?: Shape
    readonly anyOf?: readonly Shape[]
  }
  const within = (shape: Shape, above: string): string[] => [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => {
      const path = above === '' ? name : `${above}.${name}`
      return [path, ...within(inner, path)]
    }),
    ...(shape.items === undefined ? [] : within(shape.items, above)),
    ...(shape.anyOf ?? []).flatMap((each) => within(each, above)),
  ]
  // The result is a JSON Schema, of which these members are read.
  return within(z.toJSONSchema(contract, { io: 'input', unrepresentable: 'any' }) as Shape, '')
}

/** The same paths in a value. */
const settingsOf = (value: unknown, above = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => settingsOf(each, above))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = above === '' ? name : `${above}.${name}`
    return [path, ...settingsOf(inner, path)]
  })
}

/** The body that a draft publishes. */
function published(draft: TypeDraft | undefined): TypeBody {
  if (draft === undefined) throw new Error('The draft cannot be shown in this way.')
  const body = bodyOf(draft)
  if (isUnreadable(body)) throw new Error(`${body.wrong} cannot be read.`)
  return body
}

const table = (draft: TypeDraft): TypeDraft => {
  const shown = asTable(draft)
  if (shown === 'notInTable' || 'wrong' in shown) throw new Error('The table cannot show the schema.')
  return shown
}
const json = (draft: TypeDraft): TypeDraft => {
  const shown = asJson(draft)
  if (shown === undefined) throw new Error('The draft cannot be shown as JSON.')
  return shown
}

/** The same type with its lists in one order, since the order of these lists says nothing. */
const sorted = (body: TypeBody) => ({
  ...body,
  selectivelyDisclosable: body.selectivelyDisclosable?.toSorted(),
  claims: body.claims?.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
})

const OF_NO_EDITOR = ['claimsSource.method']

describe('every setting that the service takes', () => {
  const all = settingsIn(createSchema.input)

  it('is in the example of this test, and its member has a place in the editor', () => {
    const given = new Set(settingsOf(EVERYTHING))
    expect(all.length).toBeGreaterThan(40)
    expect(all.filter((path) => !given.has(path) && !OF_NO_EDITOR.includes(path))).toEqual([])
    expect(Object.keys(SECTION_OF).sort()).toEqual(Object.keys(createSchema.input.shape).sort())
  })

  // A claims source excludes claims from the sign-in.
  const { claimsFrom, claimsSource, ...others } = EVERYTHING
  const types = [
    ['with a claims source', { ...others, claimsSource }],
    ['with claims from the sign-in', { ...others, claimsFrom }],
  ] as const
  const ways: readonly (readonly [string, (draft: TypeDraft) => TypeDraft])[] = [
    ['in the table', (draft) => draft],
    ['as JSON', json],
    ['as JSON and back in the table', (draft) => table(json(draft))],
    ['after four switches', (draft) => table(json(table(json(draft))))],
  ]
  for (const [kind, type] of types)
    it.each(ways)(`is unchanged ${kind}, %s`, (_, way) => {
      expect(createSchema.input.safeParse({ ...type, claimsSource: undefined }).error?.issues).toBeUndefined()
      const draft = draftOf(type, 'en')
      expect(draft.mode).toBe('table')
      expect(sorted(published(way(draft)))).toEqual(sorted(type))
    })

  it('has a field at which the service’s message about it appears', () => {
    const draft = draftOf({ ...others, claimsSource }, 'en')
    const sent = published(draft)
    const leaves = all.filter((path) => !all.some((other) => other.startsWith(`${path}.`)))
    const without = leaves
      .map((path) => path.replace(/^display\./, 'display.0.').replace(/^claims\./, 'claims.0.'))
      .map((path) => path.replace(/^(selectivelyDisclosable)$/, '$1.0').replace(/^(claimsFrom)$/, '$1.name'))
      .map((path) => path.replace(/^schema$/, 'schema.properties.name'))
      .filter((path) => fieldOfPath(path, draft, sent) === undefined)
    expect(without).toEqual([])
  })
})

const { claimsSource: _source, ...TYPE } = EVERYTHING

/** The settings of {@link TYPE} after new paths for some claims. */
const withPaths = (change: (text: string) => string): Partial<TypeBody> => {
  const { selectivelyDisclosable, claims, claimsFrom, mdoc } = TYPE
  return JSON.parse(change(JSON.stringify({ selectivelyDisclosable, claims, claimsFrom, mdoc })))
}
const settings = ({ selectivelyDisclosable, claims, claimsFrom, mdoc }: Partial<TypeBody>) =>
  sorted({ ...TYPE, selectivelyDisclosable, claims, claimsFrom, mdoc })
const settingsOfDraft = (draft: TypeDraft) => {
  const { schema: _, ...others } = published(draft)
  return settings(others)
}

const inRows = (draft: TypeDraft, change: (path: string) => string | undefined): TypeDraft => ({
  ...draft,
  rows: draft.rows.flatMap((row) => {
    const path = change(row.path)
    return path === undefined ? [] : [{ ...row, path }]
  }),
})

const inJson = (draft: TypeDraft, change: (text: string) => string): TypeDraft => {
  const shown = json(draft)
  return { ...shown, json: change(shown.json) }
}

describe('a renamed claim keeps every setting', () => {
  const name = withPaths((text) =>
    text
      .replace('["name"', '["fullName"')
      .replace('{"name":"/name"', '{"fullName":"/name"')
      .replace(':{"name":"/name"', ':{"name":"/fullName"')
      .replace('"given_name":"/name"', '"given_name":"/fullName"')
      .replace('{"path":["name"]', '{"path":["fullName"]'),
  )
  // The mapping of claims to the sign-in has the claim's new name; its pointer stays.
  name.claimsFrom = { fullName: '/name', born: '/birthdate' }
  name.mdoc = {
    doctype: TYPE.mdoc.doctype,
    namespaces: {
      'org.example.everything.1': { name: '/fullName', birth_date: '/born', city: '/home/city', first: '/tags/0' },
      'org.example.more.1': { given_name: '/fullName', zip: '/address/zip' },
    },
  }

  it('a claim, in the table', () => {
    const renamed = inRows(draftOf(TYPE, 'en'), (path) => (path === 'name' ? 'fullName' : path))
    for (const way of [renamed, json(renamed), table(json(renamed))])
      expect(settingsOfDraft(way)).toEqual(settings(name))
  })

  it('a claim, in JSON', () => {
    const renamed = inJson(draftOf(TYPE, 'en'), (text) =>
      text.replace('"name": {', '"fullName": {').replace('    "name",', '    "fullName",'),
    )
    for (const way of [renamed, table(renamed), json(table(renamed))])
      expect(settingsOfDraft(way)).toEqual(settings(name))
  })

  it('a list of groups and a claim behind a reference, with the settings of the claims inside', () => {
    const moved = withPaths((text) =>
      text
        .replaceAll('"courses', '"classes')
        .replaceAll('"address.zip"', '"residence.zip"')
        .replaceAll('["address",', '["residence",')
        .replaceAll('/address/', '/residence/'),
    )
    const inTable = inRows(draftOf(TYPE, 'en'), (path) =>
      path.replace(/^courses/, 'classes').replace(/^address$/, 'residence'),
    )
    const asText = inJson(draftOf(TYPE, 'en'), (text) =>
      text
        .replace('"courses": {', '"classes": {')
        .replace('"address": {\n      "$ref"', '"residence": {\n      "$ref"'),
    )
    for (const way of [inTable, json(inTable), table(json(inTable)), asText, table(asText)])
      expect(settingsOfDraft(way)).toEqual(settings(moved))
  })

  it('a claim in a list of groups, in JSON', () => {
    const renamed = inJson(draftOf(TYPE, 'en'), (text) => text.replace('"title": {\n', '"subject": {\n'))
    const moved = withPaths((text) =>
      text.replaceAll('*.title', '*.subject').replaceAll(',null,"title"', ',null,"subject"'),
    )
    for (const way of [renamed, table(renamed)]) expect(settingsOfDraft(way)).toEqual(settings(moved))
  })
})

describe('a removed claim', () => {
  const gone = (path: string) => !path.startsWith('courses') && path !== 'tags'
  const without: Partial<TypeBody> = {
    claimsFrom: TYPE.claimsFrom,
    selectivelyDisclosable: TYPE.selectivelyDisclosable.filter((path) => gone(path.replace('.*', ''))),
    claims: TYPE.claims.filter(({ path }) => gone(String(path[0]))),
    mdoc: {
      ...TYPE.mdoc,
      namespaces: {
        ...TYPE.mdoc.namespaces,
        'org.example.everything.1': { name: '/name', birth_date: '/born', city: '/home/city' },
      },
    },
  }
  const remove = (text: string) => {
    const { courses: _courses, tags: _tags, ...properties } = JSON.parse(text).properties
    return written({ ...JSON.parse(text), properties, required: ['name'] })
  }

  it('takes its settings and those of the claims inside with it', () => {
    const inTable = inRows(draftOf(TYPE, 'en'), (path) => (gone(path) ? path : undefined))
    const asText = inJson(draftOf(TYPE, 'en'), remove)
    for (const way of [inTable, json(inTable), asText, table(asText)])
      expect(settingsOfDraft(way)).toEqual(settings(without))
  })

  it('gets its settings again if it comes back in JSON, also after a look at the table', () => {
    const removed = inJson(draftOf(TYPE, 'en'), remove)
    for (const way of [removed, json(table(removed))]) {
      const back = { ...way, json: written(TYPE.schema), claimsJson: json(draftOf(TYPE, 'en')).claimsJson }
      expect(settingsOfDraft(back)).toEqual(settings(TYPE))
    }
  })
})

describe('withholding', () => {
  const SCHEMA = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      home: { type: 'object', properties: { city: { type: 'string' } } },
    },
  }
  const BODY: TypeBody = { name: 'Member', version: 1, schema: SCHEMA, selectivelyDisclosable: ['name', 'home.city'] }

  /** The claims that may be withheld, if the draft is published with this schema as JSON. */
  const withheld = (draft: TypeDraft, schema: object = SCHEMA) =>
    published({ ...json(draft), json: written({ ...schema }) }).selectivelyDisclosable

  const withRow = (draft: TypeDraft, path: string, selective: boolean): TypeDraft => ({
    ...draft,
    rows: draft.rows.map((row) => (row.path === path ? { ...row, selective } : row)),
  })

  it('as the user selected it in the table', () => {
    const changed = withRow(withRow(draftOf(BODY, 'en'), 'name', false), 'age', true)
    expect(withheld(changed)).toEqual(['age', 'home.city'])
  })

  it('of a type without a setting: the default stays the default until the user changes it', () => {
    const draft = draftOf({ ...BODY, selectivelyDisclosable: undefined }, 'en')
    expect(withheld(draft)).toBeUndefined()
    expect(withheld(withRow(draft, 'age', false))).toEqual(['name', 'home'])
  })

  it('the identifier of the subject is never withheld', () => {
    const schema = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } }
    const draft = draftOf({ name: 'Member', version: 1, schema, selectivelyDisclosable: [] }, 'en')
    expect(published(withRow(draft, 'name', true)).selectivelyDisclosable).toEqual(['name'])
    expect(published(draftOf({ name: 'Member', version: 1, schema }, 'en'))).not.toHaveProperty(
      'selectivelyDisclosable',
    )
  })

  it('a claim that is new in the JSON may be withheld, and a removed claim is no longer named', () => {
    const schema = { type: 'object', properties: { name: { type: 'string' }, card: { type: 'string' } } }
    expect(withheld(draftOf(BODY, 'en'), schema)).toEqual(['name', 'card'])
  })

  const text = { type: 'string' }

  it.each([
    ['allOf', { ...SCHEMA, allOf: [{ properties: { card: text } }] }],
    ['a reference', { ...SCHEMA, $ref: '#/$defs/more', $defs: { more: { properties: { card: text } } } }],
    ['a branch', { ...SCHEMA, if: { required: ['age'] }, else: { properties: { card: text } } }],
  ])('a claim that is new behind %s, which the table cannot show, may be withheld', (_, schema) => {
    const draft = withRow(draftOf(BODY, 'en'), 'age', false)
    expect(withheld(draft, schema)).toEqual(['name', 'home.city', 'card'])
  })

  it('a removed claim of a schema that the table cannot show is no longer named', () => {
    const schema = { type: 'object', allOf: [{ properties: { name: text, fresh: text } }] }
    expect(withheld(draftOf(BODY, 'en'), schema)).toEqual(['name', 'fresh'])
  })

  it('claims that the table never showed: unchanged, without removed claims, with new claims', () => {
    const before = { type: 'object', allOf: [{ properties: { name: text, age: text, gone: text } }] }
    const draft = draftOf({ ...BODY, schema: before, selectivelyDisclosable: ['name', 'gone'] }, 'en')
    expect(draft.mode).toBe('json')
    const schema = { type: 'object', allOf: [{ properties: { name: text, age: text, card: text } }] }
    expect(withheld(draft, schema)).toEqual(['name', 'card'])
  })

  it('a claim whose name has a dot keeps its setting', () => {
    const schema = { ...SCHEMA, properties: { ...SCHEMA.properties, 'a.b': text } }
    const settings = ['name', 'home.city', 'a.b']
    expect(withheld(draftOf({ ...BODY, schema, selectivelyDisclosable: settings }, 'en'), schema)).toEqual(settings)
    expect(withheld(draftOf({ ...BODY, schema }, 'en'), schema)).toEqual(['name', 'home.city'])
  })

  it('inside a claim that the table does not show, and inside an object without declared members', () => {
    const schema = {
      type: 'object',
      properties: { name: text, home: { $ref: '#/$defs/address' }, more: { type: 'object' }, any: { type: 'array' } },
      $defs: { address: { type: 'object', properties: { city: text } } },
    }
    const settings = ['name', 'home.city', 'more.free', 'any.*']
    const draft = draftOf({ ...BODY, schema, selectivelyDisclosable: settings }, 'en')
    expect(draft.mode).toBe('table')
    expect(published(draft).selectivelyDisclosable).toEqual(settings)
    expect(withheld(draft, schema)).toEqual(settings)
  })
})

describe('the other settings', () => {
  const body: TypeBody = { name: 'Member', version: 1, schema: { type: 'object', properties: { name: {} } } }

  it('are absent after the user removes them', () => {
    const draft = draftOf(TYPE, 'en')
    const without: TypeDraft = {
      ...draft,
      suspendable: false,
      oneActiveSet: false,
      revokePrevious: false,
      watchAttestations: false,
      validFrom: '',
      expiresInDays: ' ',
      retention: 'default',
      needsKeyAttestation: false,
      hasMdoc: false,
      rows: draft.rows.map((row) => ({ ...row, signIn: '' })),
    }
    const gone = [
      'suspendable',
      'activeSets',
      'onRefresh',
      'watchAttestations',
      'validFrom',
      'expiresInDays',
      'retention',
      'keyAttestation',
      'mdoc',
      'claimsFrom',
    ]
    expect(Object.keys(published(json(without))).filter((member) => gone.includes(member))).toEqual([])
    expect(published(table(json({ ...without, hasMdoc: true }))).mdoc).toEqual(TYPE.mdoc)
  })

  it('retention as the author changes it, with the retention of records', () => {
    const draft = draftOf({ ...body, retention: { claims: { days: 20 }, record: { days: 60 } } }, 'en')
    const retention = (changes: Partial<TypeDraft>) => published({ ...draft, ...changes }).retention
    expect(retention({ retention: 'untilIssued' })).toEqual({ claims: 'untilIssued', record: { days: 60 } })
    expect(retention({ retentionDays: ' 7 ' })).toEqual({ claims: { days: 7 }, record: { days: 60 } })
    expect(retention({ recordDays: '' })).toEqual({ claims: { days: 20 } })
    expect(retention({ retention: 'default' })).toBeUndefined()
  })

  it('an attestation without demands accepts every attestation', () => {
    expect(published({ ...draftOf(body, 'en'), needsKeyAttestation: true }).keyAttestation).toEqual({})
  })

  it('the secrets of a claims source stay as they are unless the author enters new secrets', () => {
    const draft = draftOf({ ...body, claimsSource: { url: 'https://registry.example' } }, 'en')
    expect(published(draft).claimsSource).toEqual({ url: 'https://registry.example' })
    const changed = { ...draft, sourceAuth: 'bearer' as const, sourceBearer: 'fresh' }
    expect(published(changed).claimsSource).toEqual({ url: 'https://registry.example', auth: { bearer: 'fresh' } })
    expect(published({ ...changed, sourceUrl: ' ' })).not.toHaveProperty('claimsSource')
  })

  it('rows without a name are ignored', () => {
    const draft = draftOf(body, 'en')
    expect(published({ ...draft, rows: [...draft.rows, emptyRow()] }).schema).toEqual(body.schema)
  })
})
