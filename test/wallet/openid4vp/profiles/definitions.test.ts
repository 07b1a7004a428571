import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DraftWorld, disclosed, makeDraftWorld } from '../../draft-world.js'

let world: DraftWorld

beforeAll(async () => {
  world = await makeDraftWorld()
})
afterAll(() => world.close())

type JsonObject = Readonly<Record<string, unknown>>

const SD_JWT = { 'vc+sd-jwt': {} }
const JWT = { jwt_vc_json: {}, jwt_vp_json: {} }

/** A placeholder for the diploma's type, because definitions are written before the type exists. */
const VCT = 'urn:example:the-type-of-the-diploma'

const type = () => ({ path: ['$.vct'], filter: { type: 'string', const: VCT } })

const descriptor = (
  id: string,
  fields: readonly JsonObject[],
  more: JsonObject = {},
  constraints: JsonObject = {},
) => ({
  id,
  format: SD_JWT,
  ...more,
  constraints: { fields, ...constraints },
})

const definition = (descriptors: readonly unknown[], more: JsonObject = {}) => ({
  id: 'definition',
  input_descriptors: descriptors,
  ...more,
})

/** The answered descriptors. */
const mapped = () => world.lastResponse().submission?.descriptor_map.map(({ id, format, path }) => [id, format, path])

/** The status, and whether the wallet presented a credential. */
async function answer(value: unknown) {
  const [presented, refused] = [world.verifier.responses.length, world.verifier.refusals.length]
  const { status } = await world.answered(JSON.parse(JSON.stringify(value).replaceAll(VCT, world.vct)))
  return {
    status,
    presented: world.verifier.responses.length - presented,
    told: world.verifier.refusals.slice(refused).map(({ error }) => error),
  }
}

const ANSWERED = { status: 200, presented: 1, told: [] }
const MISSING = { status: 500, presented: 0, told: [] }
const refused = (error: string) => ({ status: 500, presented: 0, told: [error] })

describe('a presentation definition (DIF Presentation Exchange 2)', () => {
  it('of a JWT VC: the presentation, and the credential in it', async () => {
    const fields = [
      { path: ['$.vc.type', '$.type'], filter: { type: 'array', contains: { const: 'Diploma' } } },
      { path: ['$.vc.credentialSubject.degree', '$.credentialSubject.degree'], filter: { const: 'Laurea' } },
    ]
    expect(await answer(definition([descriptor('diploma', fields, { format: JWT })]))).toEqual(ANSWERED)
    expect(world.lastResponse().submission?.descriptor_map).toEqual([
      {
        id: 'diploma',
        format: 'jwt_vp_json',
        path: '$',
        path_nested: { format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' },
      },
    ])
    const [presentation] = world.lastResponse().presentations.diploma ?? []
    expect(decodeJwt(String(presentation))).toHaveProperty('vp')
  })

  it('of several: an array with one presentation at each position', async () => {
    const value = definition([
      descriptor('one', [type()]),
      descriptor('two', [{ path: ['$.type'], filter: { contains: { const: 'Diploma' } } }], { format: JWT }),
    ])
    expect(await answer(value)).toEqual(ANSWERED)
    expect(mapped()).toEqual([
      ['one', 'vc+sd-jwt', '$[0]'],
      ['two', 'jwt_vp_json', '$[1]'],
    ])
  })

  it('discloses only the claims of its fields', async () => {
    expect(await answer(definition([descriptor('a', [type(), { path: ['$.university'] }])]))).toEqual(ANSWERED)
    expect(disclosed(world.lastResponse().presentations.a?.[0])).toEqual(['university'])
  })

  it('of several paths the first that the credential has', async () => {
    const fields = [type(), { path: ['$.title', '$.university', '$.degree'] }]
    expect(await answer(definition([descriptor('a', fields)]))).toEqual(ANSWERED)
    expect(disclosed(world.lastResponse().presentations.a?.[0])).toEqual(['university'])
  })

  it.each([
    ['present', ['$.university'], ['degree', 'university']],
    ['missing', ['$.title'], ['degree']],
  ])('an optional field that is %s', async (_what, path, names) => {
    const fields = [type(), { path: ['$.degree'] }, { path, optional: true }]
    expect(await answer(definition([descriptor('a', fields)]))).toEqual(ANSWERED)
    expect(disclosed(world.lastResponse().presentations.a?.[0]).toSorted()).toEqual(names)
  })

  it.each([
    ['const', { const: 'Laurea' }, true],
    ['const of another value', { const: 'PhD' }, false],
    ['enum', { enum: ['PhD', 'Laurea'] }, true],
    ['pattern', { type: 'string', pattern: '^Lau' }, true],
    ['pattern that does not match', { type: 'string', pattern: '^PhD$' }, false],
    ['type that it is not', { type: 'number' }, false],
    ['not', { not: { const: 'Laurea' } }, false],
    ['minLength', { minLength: 3 }, true],
  ])('a filter: %s', async (_what, filter, fits) => {
    const fields = [type(), { path: ['$.degree'], filter }]
    expect(await answer(definition([descriptor('a', fields)]))).toEqual(fits ? ANSWERED : MISSING)
  })

  it('a filter on one of the values that a path selects', async () => {
    const fields = [{ path: ['$.vc.type.*', '$.type[*]'], filter: { type: 'string', pattern: '^Diploma$' } }]
    expect(await answer(definition([descriptor('a', fields, { format: JWT })]))).toEqual(ANSWERED)
  })

  it('the format of the definition if a descriptor names none; vp_formats if neither does', async () => {
    const bare = { id: 'a', constraints: { fields: [type()] } }
    expect(await answer(definition([bare], { format: SD_JWT }))).toEqual(ANSWERED)
    expect(await answer(definition([bare]))).toEqual(ANSWERED)
  })

  it('the names of Presentation Exchange for JWT VCs', async () => {
    const fields = [{ path: ['$.type'], filter: { contains: { const: 'Diploma' } } }]
    const value = definition([descriptor('a', fields, { format: { jwt_vc: { alg: ['ES256'] } } })])
    await world.answered(value, { payload: { client_metadata: { vp_formats: { jwt_vc: { alg: ['ES256'] } } } } })
    expect(mapped()).toEqual([['a', 'jwt_vp', '$']])
  })

  it('a credential without selective disclosure is not presented if limited disclosure is required', async () => {
    const fields = [{ path: ['$.vc.credentialSubject.degree'] }]
    const limited = descriptor('a', fields, { format: JWT }, { limit_disclosure: 'required' })
    expect(await answer(definition([limited]))).toEqual(refused('vp_formats_not_supported'))
  })
})

describe('submission requirements (DIF Presentation Exchange 2, Submission Requirement Feature)', () => {
  const have = (id: string, group: string) => descriptor(id, [type()], { group: [group] })
  const lack = (id: string, group: string) =>
    descriptor(id, [{ path: ['$.vct'], filter: { const: 'urn:other' } }], { group: [group] })
  const mdoc = (id: string, group: string) => descriptor(id, [type()], { group: [group], format: { mso_mdoc: {} } })

  it.each([
    ['all of a group', [have('a', 'A'), have('b', 'A'), lack('c', 'B')], [{ rule: 'all', from: 'A' }], ['a', 'b']],
    ['one of a group', [lack('a', 'A'), have('b', 'A')], [{ rule: 'pick', count: 1, from: 'A' }], ['b']],
    [
      'one of a group, with supported formats',
      [mdoc('a', 'A'), have('b', 'A')],
      [{ rule: 'pick', count: 1, from: 'A' }],
      ['b'],
    ],
    [
      'two of three',
      [have('a', 'A'), lack('b', 'A'), have('c', 'A')],
      [{ rule: 'pick', count: 2, from: 'A' }],
      ['a', 'c'],
    ],
    [
      'two of eleven: 55 alternatives',
      Array.from({ length: 11 }, (_, index) => (index < 9 ? lack : have)(`d${index}`, 'A')),
      [{ rule: 'pick', count: 2, from: 'A' }],
      ['d9', 'd10'],
    ],
    ['at least one', [lack('a', 'A'), have('b', 'A')], [{ rule: 'pick', min: 1, from: 'A' }], ['b']],
    [
      'what may be left out',
      [have('a', 'A'), lack('b', 'B')],
      [
        { rule: 'all', from: 'A' },
        { rule: 'pick', min: 0, max: 1, from: 'B' },
      ],
      ['a'],
    ],
    [
      'nested: one of two complete groups',
      [have('a', 'A'), lack('b', 'A'), have('c', 'B'), have('d', 'B')],
      [
        {
          rule: 'pick',
          count: 1,
          from_nested: [
            { rule: 'all', from: 'A' },
            { rule: 'all', from: 'B' },
          ],
        },
      ],
      ['c', 'd'],
    ],
  ])('%s', async (_what, descriptors, requirements, ids) => {
    expect(await answer(definition(descriptors, { submission_requirements: requirements }))).toEqual(ANSWERED)
    expect(mapped()?.map(([id]) => id)).toEqual(ids)
  })

  it('that the credentials of the wallet cannot meet: the verifier learns nothing (§15)', async () => {
    const requirements = [{ rule: 'all', from: 'A' }]
    const value = definition([have('a', 'A'), lack('b', 'A')], { submission_requirements: requirements })
    expect(await answer(value)).toEqual(MISSING)
  })

  it.each([
    ['of an empty group', [{ rule: 'all', from: 'X' }]],
    ['of no group', [{ rule: 'all' }]],
    ['of both', [{ rule: 'all', from: 'A', from_nested: [{ rule: 'all', from: 'A' }] }]],
    ['for more descriptors than exist', [{ rule: 'pick', count: 3, from: 'A' }]],
    ['whose minimum is larger than its maximum', [{ rule: 'pick', min: 2, max: 1, from: 'A' }]],
    ['by another rule', [{ rule: 'some', from: 'A' }]],
  ])('%s: invalid_request', async (_what, requirements) => {
    const value = definition([have('a', 'A'), have('b', 'A')], { submission_requirements: requirements })
    expect(await answer(value)).toEqual(refused('invalid_request'))
  })
})

describe('a definition that the wallet does not understand is never partly answered', () => {
  const field = () => [type()]
  const nested = (depth: number): JsonObject => (depth === 0 ? { const: 1 } : { not: nested(depth - 1) })
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))

  it.each([
    ['is no object', () => 'x'],
    ['has no id', () => ({ input_descriptors: [descriptor('a', field())] })],
    ['has no descriptors', () => definition([])],
    ['has two descriptors with the same id', () => definition([descriptor('a', field()), descriptor('a', field())])],
    ['has an unknown member', () => definition([descriptor('a', field())], { frame: {} })],
    ['has a schema, like in Presentation Exchange 1', () => definition([descriptor('a', field(), { schema: [] })])],
    [
      'has a constraint on the subject',
      () => definition([descriptor('a', field(), {}, { subject_is_issuer: 'required' })]),
    ],
    ['wants a predicate', () => definition([descriptor('a', [{ path: ['$.degree'], predicate: 'required' }])])],
    ['has an invalid path', () => definition([descriptor('a', [{ path: ['degree'] }])])],
    ['has an unknown keyword', () => definition([descriptor('a', [{ path: ['$.degree'], filter: { equals: 1 } }])])],
    [
      'has a pattern with a backreference',
      () => definition([descriptor('a', [{ path: ['$.degree'], filter: { pattern: '(?=a)b\\1' } }])]),
    ],
    ['is deep', () => definition([descriptor('a', [{ path: ['$.degree'], filter: nested(40) }])])],
    ['has more than a thousand descriptors', () => definition(many(1_500, (index) => descriptor(`d${index}`, [])))],
    [
      'has thousands of fields',
      () =>
        definition([
          descriptor(
            'a',
            many(2_000, () => ({ path: ['$.degree'] })),
          ),
        ]),
    ],
    ['has hundreds of paths', () => definition([descriptor('a', [{ path: many(200, (index) => `$.a${index}`) }])])],
    [
      'has patterns that need more than the work budget',
      () =>
        definition([
          descriptor(
            'a',
            many(10, () => ({ path: ['$.degree'], filter: { pattern: '([a-z]{1,50}[a-z]{1,50}){1,9}' } })),
          ),
        ]),
    ],
    [
      'has requirements with 66 alternatives; 64 are allowed',
      () =>
        definition(
          many(12, (index) => descriptor(`d${index}`, field(), { group: ['A'] })),
          { submission_requirements: [{ rule: 'pick', count: 2, from: 'A' }] },
        ),
    ],
  ])('it %s: invalid_request', async (_what, value) => {
    expect(await answer(value())).toEqual(refused('invalid_request'))
  })

  it.each([
    ['another format', () => definition([descriptor('a', field(), { format: { mso_mdoc: {} } })])],
    [
      'a format that vp_formats does not list',
      () => definition([descriptor('a', field(), { format: { 'dc+sd-jwt': {} } })]),
    ],
    ['a format that cannot represent it', () => definition([descriptor('a', [{ path: ['$.vct'] }], { format: JWT })])],
    ['a path that no holder could find', () => definition([descriptor('a', [{ path: ['$..degree'] }])])],
  ])('a definition that asks for %s: vp_formats_not_supported', async (_what, value) => {
    expect(await answer(value())).toEqual(refused('vp_formats_not_supported'))
  })

  it('the answers to verifier and caller contain no claims', async () => {
    const fields = [{ path: ['$.vct'] }, { path: ['$.degree'], filter: { const: 'PhD' } }]
    const { message } = await world.answered(definition([descriptor('a', fields)]))
    expect(message).toBe('Could not find the required credentials for the presentation submission')
  })
})
