import { describe, expect, it } from 'vitest'
import type { ClaimsPath } from '../../../server/protocol/openid4vp/dcql/claims-query.js'
import { beyond } from '../../../server/protocol/registration-certificates/beyond.js'
import type { RegisteredCredential } from '../../../server/protocol/registration-certificates/content.js'

const PID = { vct_values: ['urn:eudi:pid:1'] }
const MDL = { doctype_value: 'org.iso.18013.5.1.mDL' }
const registered = (...claims: ClaimsPath[]): RegisteredCredential => ({ format: 'dc+sd-jwt', meta: PID, claims })

interface Asked {
  readonly format?: string
  readonly meta?: Record<string, unknown>
  readonly paths?: readonly ClaimsPath[]
}

const over = (credentials: readonly RegisteredCredential[], { format = 'dc+sd-jwt', meta = PID, paths }: Asked) =>
  beyond(
    { credentials },
    {
      credentials: [
        {
          id: 'pid',
          format,
          meta,
          ...(paths === undefined ? {} : { claims: paths.map((path) => ({ path: [...path] })) }),
        },
      ],
    },
    (name) => name === 'jwt_vc_json',
  ).map(({ path, sentence }) => path ?? sentence)

const OTHER_TYPE = 'credential pid asks for a type that the certificate does not have'

describe('What a query asks for beyond a registration certificate (TS 119 475 §5.2.4)', () => {
  it('is nothing if each claim is registered', () => {
    expect(over([registered(['a'], ['b', 'c'])], { paths: [['a'], ['b', 'c']] })).toEqual([])
    expect(over([registered(['a']), registered(['b'])], { paths: [['a'], ['b']] })).toEqual([])
  })

  it('is one claim more, which is named with its credential query', () => {
    expect(
      beyond(
        { credentials: [registered(['a'])] },
        {
          credentials: [
            { id: 'pid', format: 'dc+sd-jwt', meta: PID, claims: [{ path: ['a'] }, { path: ['b', null] }] },
          ],
        },
        () => false,
      ),
    ).toEqual([
      {
        credential: 'pid',
        path: ['b', null],
        sentence: 'credential pid asks for the claim b.*, which the certificate does not have',
      },
    ])
  })

  it.each<[string, ClaimsPath, ClaimsPath, boolean]>([
    ['a member of a registered object', ['address'], ['address', 'street'], true],
    ['the whole object of a registered member', ['address', 'street'], ['address'], false],
    ['a sibling', ['address', 'street'], ['address', 'city'], false],
    ['each element of a registered array', ['list'], ['list', null], true],
    ['an element under a wildcard', ['list', null], ['list', 3], true],
    ['a wildcard under a wildcard', ['list', null, 'a'], ['list', null, 'a'], true],
    ['a wildcard where one element is registered', ['list', 3], ['list', null], false],
    ['another element', ['list', 3], ['list', 4], false],
    ['a member under a wildcard, which is for elements', ['list', null], ['list', 'name'], false],
    ['a member with the name of an index', ['list', 3], ['list', '3'], false],
    ['a claim of which only a member of an element is registered', ['list', null, 'a'], ['list', 3], false],
    ['a name that is written otherwise', ['Name'], ['name'], false],
  ])('covers %s or not', (_, has, asks, covered) => {
    expect(over([registered(has)], { paths: [asks] })).toEqual(covered ? [] : [asks])
  })

  it('is every claim if the certificate declares none', () => {
    const none: RegisteredCredential = { format: 'dc+sd-jwt', meta: PID }
    expect(over([none], { paths: [['a']] })).toEqual([['a']])
    expect(over([registered()], { paths: [['a']] })).toEqual([['a']])
    expect(over([none], {})).toEqual([])
  })

  it('is each credential type that is not registered', () => {
    expect(over([], { paths: [['a']] })).toEqual([OTHER_TYPE])
    expect(over([registered(['a'])], { meta: { vct_values: ['other'] }, paths: [['a']] })).toEqual([OTHER_TYPE])
    expect(over([registered(['a'])], { format: 'mso_mdoc', meta: MDL, paths: [['a', 'b']] })).toEqual([OTHER_TYPE])
    expect(over([registered(['a'])], { format: 'mso_mdoc', paths: [['a']] })).toEqual([OTHER_TYPE])
    const mdl = [{ format: 'mso_mdoc', meta: MDL, claims: [['org.iso.18013.5.1', 'portrait']] }]
    expect(over(mdl, { format: 'mso_mdoc', meta: MDL, paths: [['org.iso.18013.5.1', 'portrait']] })).toEqual([])
    expect(over(mdl, { format: 'mso_mdoc', meta: { doctype_value: 'x' }, paths: [['a', 'b']] })).toEqual([OTHER_TYPE])
  })

  it('is a query that accepts one type more, or fewer members of meta', () => {
    const two = [{ format: 'dc+sd-jwt', meta: { vct_values: ['a', 'b'] }, claims: [['x']] }]
    expect(over(two, { meta: { vct_values: ['b'] }, paths: [['x']] })).toEqual([])
    expect(over(two, { meta: { vct_values: ['b', 'c'] }, paths: [['x']] })).toEqual([OTHER_TYPE])
    expect(over(two, { meta: {}, paths: [['x']] })).toEqual([OTHER_TYPE])
    expect(over(two, { meta: { vct_values: [] }, paths: [['x']] })).toEqual([OTHER_TYPE])
    const narrow = [{ format: 'dc+sd-jwt', meta: { vct_values: ['a'], more: 'y' }, claims: [['x']] }]
    expect(over(narrow, { meta: { vct_values: ['a'] }, paths: [['x']] })).toEqual([OTHER_TYPE])
    expect(over(two, { meta: { vct_values: ['a'], more: 'y' }, paths: [['x']] })).toEqual([OTHER_TYPE])
    expect(over(two, { meta: { __proto__: null, vct_values: ['a'] }, paths: [['x']] })).toEqual([])
  })

  it('is a W3C type with fewer demands than the registered one', () => {
    const has = [{ format: 'jwt_vc_json', meta: { type_values: [['VC', 'Degree']] }, claims: [['x']] }]
    const asks = (...type_values: string[][]) =>
      over(has, { format: 'jwt_vc_json', meta: { type_values }, paths: [['x']] })
    expect(asks(['VC', 'Degree'])).toEqual([])
    expect(asks(['VC', 'Degree', 'Master'])).toEqual([])
    expect(asks(['VC'])).toEqual([OTHER_TYPE])
    expect(asks(['VC', 'Degree'], ['VC'])).toEqual([OTHER_TYPE])
    // An alternative without demands would cover each type.
    const empty = [{ format: 'jwt_vc_json', meta: { type_values: [[]] }, claims: [['x']] }]
    const query = { format: 'jwt_vc_json', meta: { type_values: [['VC']] }, paths: [['x']] }
    expect(over(empty, query)).toEqual([OTHER_TYPE])
  })

  it('is a query for all claims in a format that discloses everything', () => {
    const meta = { type_values: [['Degree']] }
    const ask = { format: 'jwt_vc_json', meta }
    expect(over([{ format: 'jwt_vc_json', meta, claims: [['x']] }], ask)).toEqual([
      'credential pid asks for all claims, but the certificate has only some',
    ])
    expect(over([{ format: 'jwt_vc_json', meta }], ask)).toEqual([])
  })
})
