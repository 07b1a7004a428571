import { describe, expect, it } from 'vitest'
import { askables } from '../../client/console/screens/requests/askable.js'
import { dcqlOf, valuesOf, vpQueryOf } from '../../client/console/screens/requests/queries-of.js'
import { claimsPathOf, reopened, valuesText } from '../../client/console/screens/requests/reopen.js'
import {
  type CredentialDraft,
  draftOf,
  type RequestForm,
  requestDefaults,
} from '../../client/console/screens/requests/request-form.js'
import { compileVpQuery, zVpQuery } from '../../server/protocol/openid4vp/query/vp-query.js'
import { requestWork } from '../protocol/request-work.js'

const NAMESPACE = 'org.iso.18013.5.1'
const types = askables({
  'Pass-sd-jwt': {
    format: 'dc+sd-jwt',
    vct: 'https://issuer.example/vct/Pass',
    credential_metadata: { claims: [{ path: ['name'] }, { path: ['nationalities', null] }, { path: ["it's", 'a b'] }] },
  },
  Pass: {
    format: 'jwt_vc_json',
    credential_definition: { type: ['VerifiableCredential', 'Pass'] },
    credential_metadata: { claims: [{ path: ['credentialSubject', 'name'] }] },
  },
  'Pass-mdoc': {
    format: 'mso_mdoc',
    doctype: 'org.example.pass',
    credential_metadata: { claims: [{ path: [NAMESPACE, 'family_name'] }] },
  },
})

const VALUES = ['', 'Ada', '"Ada, Ben", 7, true, "7", "true", "a \\"quote\\" and \\\\"'] as const
const WRITTEN = ['inner.name', 'list.*.name', 'list.0', "o'clock"] as const
const STARTS: readonly [string, CredentialDraft][] = [
  ['an SD-JWT VC of this installation', draftOf(types[0])],
  ['a mobile document of this installation', draftOf(types[2])],
  ['an SD-JWT VC of any type', { ...draftOf(undefined), type: 'urn:eudi:pid:1' }],
  ['a W3C credential of any type', { ...draftOf(undefined), format: 'jwt_vc_json', type: 'Diploma' }],
  ['a mobile document of any type', { ...draftOf(undefined), format: 'mso_mdoc', type: 'org.example.other' }],
]
const formOf = (...credentials: CredentialDraft[]): RequestForm => ({ ...requestDefaults(undefined), credentials })

/** Drafts that ask for no, one or all known claims, with each form of a typed claim and each kind of value. */
const drafts = STARTS.flatMap(([name, draft]) =>
  VALUES.flatMap((values) =>
    WRITTEN.flatMap((claim) =>
      [0, 1, draft.known.length].map((asked): [string, CredentialDraft] => [
        `${name}, ${asked} claims, ${claim}, values ${values}`,
        {
          ...draft,
          known: draft.known.map((known, at) => ({ ...known, asked: at < asked, values: at < asked ? values : '' })),
          written: [{ namespace: draft.format === 'mso_mdoc' ? NAMESPACE : '', name: claim, values }],
        },
      ]),
    ),
  ),
)

describe('a saved query that is opened again', () => {
  it.each(drafts)('%s: asks for the same, as VP query and as DCQL (OpenID4VP 1.0 §6)', (_, draft) => {
    const form = formOf(draft)
    const saved = vpQueryOf(form)
    expect(() => compileVpQuery(zVpQuery.parse(saved), requestWork())).not.toThrow()
    const again = reopened(saved, types)
    if (again === undefined) throw new Error('The form cannot show it.')
    expect(vpQueryOf(again)).toEqual(saved)
    expect(dcqlOf(again)).toEqual(dcqlOf(form))
  })

  it('of several credentials keeps their order', () => {
    const form = formOf(...STARTS.map(([, draft]) => draft))
    expect(dcqlOf(reopened(vpQueryOf(form), types) ?? formOf())).toEqual(dcqlOf(form))
  })

  it('treats an enum of one value like a single value', () => {
    const [item] = vpQueryOf(formOf(draftOf(types[0])))
    const fields = [...(item?.fields ?? []), { path: ['$.credentialSubject.name'], filter: { const: 'Ada' } }]
    const form = reopened([{ fields }], types)
    expect(form?.credentials[0]?.known[0]).toMatchObject({ asked: true, values: '"Ada"' })
  })

  const type = { path: ['$.type'], filter: { type: 'array', contains: { const: 'Pass' } } }
  const field = (members: object) => [{ fields: [type, { path: ['$.credentialSubject.name'], ...members }] }]
  it.each([
    ['without a type', [{ fields: [{ path: ['$.credentialSubject.name'] }] }]],
    ['of any of two paths', field({ path: ['$.credentialSubject.name', '$.credentialSubject.title'] })],
    ['with a pattern', field({ filter: { type: 'string', pattern: '^A' } })],
    ['with a bound', field({ filter: { minimum: 3 } })],
    ['with an enum and a limit', field({ filter: { enum: [3, 4], minimum: 4 } })],
    ['with an object as value', field({ filter: { const: { a: 1 } } })],
    ['with a filter expression', field({ path: ['$.credentialSubject.list[?@.a == 1]'] })],
    ['with a descendant', field({ path: ['$..name'] })],
    ['of the credential, not its subject', field({ path: ['$.issuer'] })],
    ['with one claim twice', [{ fields: [type, ...Array(2).fill({ path: ['$.credentialSubject.name'] })] }]],
    ['of a type by a pattern', [{ fields: [{ path: ['$.vct'], filter: { pattern: '^urn' } }] }]],
    ['with a fraction, which the form would read as text', field({ filter: { enum: [1.5] } })],
    ['of nothing', []],
  ])('%s cannot be shown by the form, which says so and loses no part', (_, items) => {
    expect(reopened(items, types)).toBeUndefined()
  })
})

it.each([
  ['$.a.b', ['a', 'b']],
  ["$['a b'][0][*]", ['a b', 0, null]],
  ["$['it\\'s']['\\\\']", ["it's", '\\']],
  ['$', []],
  ['a', undefined],
  ['$.a[?@]', undefined],
  ['$.', undefined],
  ['$.a b', undefined],
  ['$[-1]', undefined],
])('the JSONPath %s is the claims path %j', (text, path) => {
  expect(claimsPathOf(text)).toEqual(path)
})

it.each([[['a, "b"', '\\', ' x ', '7', 'true', 7, -1, false]], [[]]])(
  'values %j are the same after they are typed and read',
  (values) => {
    expect(valuesOf(valuesText(values))).toEqual(values)
  },
)
