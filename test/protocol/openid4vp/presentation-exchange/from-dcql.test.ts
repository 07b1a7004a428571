import { describe, expect, it } from 'vitest'
import { standardFormats } from '../../../../server/formats/registry.js'
import type { DcqlQuery } from '../../../../server/protocol/openid4vp/dcql/dcql-query.js'
import { jsonPathOf } from '../../../../server/protocol/openid4vp/presentation-exchange/definition.js'
import {
  descriptorIdsOf,
  exchangeFault,
  presentationDefinitionOf,
} from '../../../../server/protocol/openid4vp/presentation-exchange/from-dcql.js'
import { parseJsonPath } from '../../../../server/protocol/openid4vp/query/jsonpath/parse.js'
import { requestWork } from '../../request-work.js'
import { zDcqlQuery } from '../formats.js'

const formatNamed = (name: string) => {
  const format = standardFormats.named(name)
  return format.former ?? format
}

const definitionOf = (query: unknown) =>
  presentationDefinitionOf('d-1', zDcqlQuery.parse(query), formatNamed, {
    algorithms: ['ES256', 'RS256'],
    holderAlgorithms: ['ES256'],
  })

const sdJwt = (id: string, members: Record<string, unknown> = {}) => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: ['https://x.example/vct'] },
  ...members,
})
const jwtVc = (id: string, members: Record<string, unknown> = {}) => ({
  id,
  format: 'jwt_vc_json',
  meta: { type_values: [['Id']] },
  ...members,
})

/** Returns the groups of each input descriptor, and the submission requirements. */
function chosen(query: unknown) {
  const { input_descriptors: descriptors, submission_requirements: requirements } = definitionOf(query)
  return { groups: Object.fromEntries(descriptors.map(({ id, group }) => [id, group])), requirements }
}

describe('an input descriptor (DIF Presentation Exchange 2 §5)', () => {
  it('names an SD-JWT VC as draft 21 does, with its type and claims, and asks for no other disclosure', () => {
    const claims = [{ path: ['address', 'street name'] }, { path: ['age'], values: [18] }]
    const query = { credentials: [sdJwt('a', { claims })] }
    expect(definitionOf(query)).toEqual({
      id: 'd-1',
      input_descriptors: [
        {
          id: 'a',
          format: { 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'RS256'], 'kb-jwt_alg_values': ['ES256'] } },
          constraints: {
            limit_disclosure: 'required',
            fields: [
              { path: ['$.vct'], filter: { type: 'string', const: 'https://x.example/vct' } },
              { path: ['$.address["street name"]'] },
              { path: ['$.age'], filter: { const: 18 } },
            ],
          },
        },
      ],
    })
  })

  it('names a JWT VC and its presentation by both names, with both possible places of a claim', () => {
    const claims = [{ path: ['credentialSubject', 'degrees', null, 'type'], values: ['BSc', 'MSc'] }]
    const [descriptor] = definitionOf({ credentials: [jwtVc('a', { claims })] }).input_descriptors
    expect(descriptor).toEqual({
      id: 'a',
      format: {
        jwt_vc_json: { alg: ['ES256', 'RS256'] },
        jwt_vp_json: { alg: ['ES256'] },
        // DIF calls the formats by these names. Credo 0.6.3 finds no credential by the names above.
        jwt_vc: { alg: ['ES256', 'RS256'] },
        jwt_vp: { alg: ['ES256'] },
      },
      constraints: {
        fields: [
          { path: ['$.vc.type', '$.type'], filter: { type: 'array', contains: { const: 'Id' } } },
          {
            path: ['$.vc.credentialSubject.degrees[*].type', '$.credentialSubject.degrees[*].type'],
            filter: { enum: ['BSc', 'MSc'] },
          },
        ],
      },
    })
  })

  it.each([
    ['one of several', [['A'], ['B']], [{ enum: ['A', 'B'] }]],
    ['several of one credential', [['A', 'B']], [{ const: 'A' }, { const: 'B' }]],
    ['both', [['A', 'B'], ['C']], [{ enum: ['A', 'C'] }, { enum: ['B', 'C'] }]],
    [
      'VerifiableCredential, which they all have, in short and alone',
      [['https://www.w3.org/2018/credentials#VerifiableCredential'], ['VerifiableCredential']],
      [{ const: 'VerifiableCredential' }],
    ],
    ['and not beside another', [['VerifiableCredential', 'A']], [{ const: 'A' }]],
  ])(
    'expresses types in filters without allOf and anyOf, which wallet libraries refuse: %s',
    (_which, types, wanted) => {
      const credentials = [jwtVc('a', { meta: { type_values: types } })]
      const { fields } = definitionOf({ credentials }).input_descriptors[0]?.constraints ?? { fields: [] }
      const path = ['$.vc.type', '$.type']
      expect(fields).toEqual(wanted.map((contains) => ({ path, filter: { type: 'array', contains } })))
    },
  )

  it('has a limit for conditions on types', () => {
    const types = Array.from({ length: 10 }, (_, at) => [`A${at}`, `B${at}`, `C${at}`])
    const credentials = [jwtVc('a', { meta: { type_values: types } })]
    expect(definitionOf({ credentials }).input_descriptors[0]?.constraints.fields).toHaveLength(8)
  })

  it.each([
    [['a', 0, null, 'b-c'], '$.a[0][*]["b-c"]'],
    [['a"]..*', "it's", '\\'], '$["a\\"]..*"]["it\'s"]["\\\\"]'],
    [['ü', '1a', ''], '$["ü"]["1a"][""]'],
  ])('has a valid JSONPath for any claim name: %j', (path, text) => {
    expect(jsonPathOf(path)).toBe(text)
    const selectors = parseJsonPath(text, requestWork()).segments.flatMap((segment) => segment.selectors)
    const back = selectors.map((one) => (one.kind === 'name' ? one.name : one.kind === 'index' ? one.index : null))
    expect(back).toEqual(path)
  })
})

describe('submission requirements (DIF Presentation Exchange 2 §7)', () => {
  it('are omitted if every credential is required', () => {
    const definition = definitionOf({ credentials: [sdJwt('a'), jwtVc('b')] })
    expect(definition.input_descriptors.map(({ id, group }) => [id, group])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
    expect(definition).not.toHaveProperty('submission_requirements')
  })

  it('demand one of several credentials without nesting, and omit credentials that no set names', () => {
    const query = {
      credentials: [sdJwt('a'), jwtVc('b'), sdJwt('unused'), sdJwt('extra')],
      credential_sets: [{ options: [['a'], ['b']] }, { options: [['extra']], required: false }],
    }
    expect(chosen(query)).toEqual({
      groups: { a: ['set-0'], b: ['set-0'], extra: ['set-1'] },
      requirements: [
        { rule: 'pick', count: 1, from: 'set-0' },
        { rule: 'pick', min: 0, max: 1, from: 'set-1' },
      ],
    })
  })

  it('demand one of several combinations', () => {
    const query = {
      credentials: [sdJwt('a'), sdJwt('b'), sdJwt('c')],
      credential_sets: [{ options: [['a', 'b'], ['c']] }, { options: [['a', 'c']] }],
    }
    expect(chosen(query)).toEqual({
      groups: { a: ['set-0-0', 'set-1'], b: ['set-0-0'], c: ['credential-c', 'set-1'] },
      requirements: [
        {
          rule: 'pick',
          count: 1,
          from_nested: [
            { rule: 'all', from: 'set-0-0' },
            { rule: 'all', from: 'credential-c' },
          ],
        },
        { rule: 'all', from: 'set-1' },
      ],
    })
  })

  const choice = {
    claims: [
      { id: 'x', path: ['x'] },
      { id: 'y', path: ['y'] },
      { id: 'z', path: ['z'] },
    ],
    claim_sets: [['z', 'x'], ['y']],
  }

  it('demand one of several claim sets, with an input descriptor for each set', () => {
    const query = { credentials: [sdJwt('a', choice), sdJwt('b', { ...choice, claim_sets: [['y']] })] }
    const { input_descriptors: descriptors } = definitionOf(query)
    expect(descriptors.map(({ id, constraints }) => [id, constraints.fields.slice(1)])).toEqual([
      ['a.0', [{ path: ['$.z'] }, { path: ['$.x'] }]],
      ['a.1', [{ path: ['$.y'] }]],
      ['b', [{ path: ['$.y'] }]],
    ])
    expect(chosen(query)).toEqual({
      groups: { 'a.0': ['credential-a'], 'a.1': ['credential-a'], b: ['credential-b'] },
      requirements: [
        { rule: 'pick', count: 1, from: 'credential-a' },
        { rule: 'all', from: 'credential-b' },
      ],
    })
  })

  it('demand a claim set within a combination', () => {
    const credentials = [sdJwt('a', choice), sdJwt('b'), sdJwt('c')]
    const query = { credentials, credential_sets: [{ options: [['a', 'b'], ['c']], required: false }] }
    expect(chosen(query).requirements).toEqual([
      {
        rule: 'pick',
        min: 0,
        max: 1,
        from_nested: [
          {
            rule: 'all',
            from_nested: [
              { rule: 'pick', count: 1, from: 'credential-a' },
              { rule: 'all', from: 'credential-b' },
            ],
          },
          { rule: 'all', from: 'credential-c' },
        ],
      },
    ])
  })
})

describe('queries that a presentation definition cannot express', () => {
  const parse = (credentials: unknown[]): DcqlQuery => zDcqlQuery.parse({ credentials })
  const faultOf = (credentials: unknown[]) => {
    const fault = exchangeFault(parse(credentials))
    return fault && [...fault.path, fault.message].join('.')
  }

  it.each([
    [{ multiple: true }, 'credentials.1.multiple.must not be true'],
    [{ trusted_authorities: [{ type: 'aki', values: ['abc'] }] }, 'credentials.1.trusted_authorities.must be left out'],
    [{ multiple: false, require_cryptographic_holder_binding: false }, undefined],
  ])('are refused with the name of the part: %j', (members, fault) => {
    expect(faultOf([sdJwt('a'), sdJwt('b', members)])).toBe(fault)
  })

  it('have too many input descriptors, or too many claims in all of them', () => {
    const claims = Array.from({ length: 32 }, (_, index) => ({ id: `c${index}`, path: [`c${index}`] }))
    const ids = claims.map(({ id }) => id)
    const sets = (of: string[]) => ({ claims, claim_sets: ids.map(() => of) })
    const two = [sdJwt('a', sets(['c0'])), sdJwt('b', sets(['c0']))]
    expect(faultOf(two)).toBeUndefined()
    expect(faultOf([...two, sdJwt('c')])).toBe('must not have more than 64 credentials and claim_sets')
    expect(faultOf([sdJwt('a', sets(ids))])).toBeUndefined()
    const wide = [sdJwt('a', sets(ids)), sdJwt('b', { claims: [{ path: ['x'] }] })]
    expect(faultOf(wide)).toBe('must not name more than 1024 claims in all claim_sets')
  })

  it('get descriptors with ids that no credential query can have', () => {
    const [query] = parse([sdJwt('a', { claims: [{ id: 'x', path: ['x'] }], claim_sets: [['x'], ['x']] })]).credentials
    expect(query && descriptorIdsOf(query)).toEqual(['a.0', 'a.1'])
    expect(zDcqlQuery.safeParse({ credentials: [sdJwt('a.0')] }).success).toBe(false)
  })
})
