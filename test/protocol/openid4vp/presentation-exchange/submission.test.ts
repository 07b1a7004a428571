import { describe, expect, it } from 'vitest'
import { standardFormats } from '../../../../server/formats/registry.js'
import { submittedPresentations } from '../../../../server/protocol/openid4vp/presentation-exchange/submission.js'
import { ResponseError } from '../../../../server/protocol/openid4vp/response-error.js'
import { zDcqlQuery } from '../formats.js'

const claims = [
  { id: 'x', path: ['x'] },
  { id: 'y', path: ['y'] },
]
const query = zDcqlQuery.parse({
  credentials: [
    { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } },
    { id: 'b', format: 'jwt_vc_json', meta: { type_values: [['B']] } },
    { id: 'c', format: 'jwt_vc_json', meta: { type_values: [['C']] } },
    { id: 'd', format: 'dc+sd-jwt', meta: { vct_values: ['v'] }, claims, claim_sets: [['x'], ['y']] },
  ],
})

const formatNamed = (name: string) => {
  const format = standardFormats.named(name)
  return format.former ?? format
}

const sdJwt = (path: string, id = 'a') => ({ id, format: 'vc+sd-jwt', path })
const inVp = (id: string, nested: string, path = '$') => ({
  id,
  format: 'jwt_vp_json',
  path,
  path_nested: { format: 'jwt_vc_json', path: nested },
})

const submission = (...map: unknown[]) => ({ id: 's', definition_id: 'd-1', descriptor_map: map })

const read = (vp_token: unknown, presentation_submission: unknown) =>
  submittedPresentations({ vp_token, presentation_submission }, { definitionId: 'd-1', query, formatNamed })

const refusal = (vp_token: unknown, presentation_submission: unknown) => {
  try {
    return read(vp_token, presentation_submission)
  } catch (thrown) {
    if (!(thrown instanceof ResponseError)) throw thrown
    return thrown.message
  }
}

describe('a presentation submission (DIF Presentation Exchange 2 §6; OpenID4VP draft 21 §6.1)', () => {
  it.each(['$', '$[0]'])('finds one presentation at %s', (path) => {
    expect(read('one', submission(sdJwt(path))).vpToken).toEqual(new Map([['a', ['one']]]))
    expect(read(['one'], submission(sdJwt(path))).vpToken).toEqual(new Map([['a', ['one']]]))
  })

  it('names several presentations, in any order, also by claim set and as text', () => {
    const map = submission(sdJwt('$[1]'), sdJwt('$[0]', 'd.1'))
    const expected = new Map([
      ['a', ['two']],
      ['d', ['one']],
    ])
    expect(read(['one', 'two'], map).vpToken).toEqual(expected)
    expect(read(['one', 'two'], JSON.stringify(map)).vpToken).toEqual(expected)
  })

  it.each([
    ['$.vp.verifiableCredential[1]', 1],
    ['$.verifiableCredential[0]', 0],
    [`$['vp']['verifiableCredential'][12]`, 12],
    ['$.vp.verifiableCredential', 0],
    ['$', undefined],
  ])('names a credential within a presentation: %s', (path, index) => {
    const { selected } = read('vp', submission(inVp('b', path)))
    expect(selected?.get('b')).toEqual([index])
  })

  it('can name two credentials in one presentation', () => {
    const map = submission(inVp('b', '$.vp.verifiableCredential[1]'), inVp('c', '$.vp.verifiableCredential[0]'))
    const { vpToken, selected } = read('vp', map)
    expect([...vpToken]).toEqual([
      ['b', ['vp']],
      ['c', ['vp']],
    ])
    expect([...(selected ?? [])]).toEqual([
      ['b', [1]],
      ['c', [0]],
    ])
  })

  it.each<[string, unknown[]]>([
    ['a presentation', [sdJwt('$'), sdJwt('$', 'd.0')]],
    ['a credential', [inVp('b', '$.vp.verifiableCredential[0]'), inVp('c', '$.verifiableCredential')]],
    ['a presentation and a part of the same presentation', [inVp('b', '$'), inVp('c', '$.verifiableCredential[0]')]],
  ])('may name %s for two matching descriptors', (_, map) => {
    expect([...read('x', submission(...map)).vpToken.values()]).toEqual([['x'], ['x']])
  })

  it.each(['jwt_vp_json', 'jwt_vp', 'jwt_vc_json', 'jwt_vc'])('may call a JWT VC %s', (format) => {
    expect(read('vp', submission({ id: 'b', format, path: '$' })).vpToken.size).toBe(1)
  })

  it('may use the current format name of an SD-JWT VC', () => {
    expect(read('x', submission({ ...sdJwt('$'), format: 'dc+sd-jwt' })).vpToken.size).toBe(1)
  })
})

describe('a wrong submission', () => {
  const S = 'Parameter presentation_submission'
  const noPresentation = `${S} has a path for a that leads to no presentation.`
  const noCredential = `${S} has a path_nested for b that leads to no credential.`
  const many = Array.from({ length: 65 }, (_, index) => sdJwt(`$[${index}]`))
  const deep = { format: 'jwt_vp_json', path: '$', path_nested: { format: 'jwt_vc_json', path: '$' } }

  it.each<[string, unknown, unknown, string]>([
    ['that is missing', 'x', undefined, `${S} is missing.`],
    ['that is no JSON', 'x', '{', `${S} is not valid JSON.`],
    ['that is no object', 'x', [], `${S} is malformed.`],
    ['that nests without end', 'x', '['.repeat(20_000), `${S} is not valid JSON.`],
    ['that is huge', 'x', ' '.repeat(32_769), `${S} is longer than 32768 characters.`],
    ['of too many descriptors', 'x', submission(...many), `${S} has more than 64 descriptors.`],
    ['of none', 'x', submission(), `${S} is malformed at descriptor_map.`],
    [
      'with a path that is not a text',
      'x',
      submission({ ...sdJwt('$'), path: 1 }),
      `${S} is malformed at descriptor_map.0.path.`,
    ],
    ['with a long path', 'x', submission(sdJwt(`$${'['.repeat(200)}`)), `${S} is malformed at descriptor_map.0.path.`],
    [
      'that nests twice',
      'x',
      submission({ ...inVp('b', '$'), path_nested: deep }),
      `${S} is malformed at descriptor_map.0.path_nested.path_nested.`,
    ],
    [
      'of another definition',
      'x',
      { ...submission(sdJwt('$')), definition_id: 'd-2' },
      `${S} is for another presentation_definition.`,
    ],
    ['for an unknown descriptor', 'x', submission(sdJwt('$', 'z')), `${S} names an unknown descriptor.`],
    ['for a query with two descriptors', 'x', submission(sdJwt('$', 'd')), `${S} names an unknown descriptor.`],
    [
      'named like a member of every object',
      'x',
      submission(sdJwt('$', '__proto__')),
      `${S} names an unknown descriptor.`,
    ],
    ['that leads outside the array', ['x', 'y'], submission(sdJwt('$[2]')), noPresentation],
    ['that leads to all of several presentations', ['x', 'y'], submission(sdJwt('$')), noPresentation],
    ['that selects several presentations', 'x', submission(sdJwt('$[*]')), noPresentation],
    ['that searches', 'x', submission(sdJwt('$..a')), noPresentation],
    ['that counts from the end', 'x', submission(sdJwt('$[-1]')), noPresentation],
    ['that leads into a presentation', 'x', submission(sdJwt('$.vp')), noPresentation],
    ['that nests elsewhere', 'x', submission(inVp('b', '$.vp.holder')), noCredential],
    ['that nests in a search', 'x', submission(inVp('b', '$..verifiableCredential[0]')), noCredential],
    [
      'of another format',
      'x',
      submission({ ...sdJwt('$'), format: 'jwt_vp_json' }),
      `${S} names another format for a than was asked for.`,
    ],
    [
      'of another format within',
      'x',
      submission({ ...inVp('b', '$'), path_nested: { format: 'ldp_vc', path: '$' } }),
      `${S} names another format for b than was asked for.`,
    ],
    ['twice for one descriptor', ['x', 'y'], submission(sdJwt('$[0]'), sdJwt('$[1]')), `${S} names a twice.`],
    [
      'that omits a presentation',
      ['x', 'y'],
      submission(sdJwt('$[0]')),
      'Parameter vp_token holds a presentation that presentation_submission does not name.',
    ],
    ['without presentations', undefined, submission(sdJwt('$')), 'Parameter vp_token is missing.'],
    ['of none', [], submission(sdJwt('$')), 'Parameter vp_token does not hold 1 to 64 presentations.'],
    [
      'of too many',
      many.map(() => 'x'),
      submission(sdJwt('$[0]')),
      'Parameter vp_token does not hold 1 to 64 presentations.',
    ],
    [
      'of numbers',
      [1],
      submission(sdJwt('$[0]')),
      'Parameter vp_token holds a presentation that is neither string nor object.',
    ],
  ])('%s', (_, vpToken, sent, message) => {
    expect(refusal(vpToken, sent)).toBe(message)
  })

  it('may name two presentations for one query, and the check of the query then refuses them', () => {
    expect(read(['x', 'y'], submission(sdJwt('$[0]', 'd.0'), sdJwt('$[1]', 'd.1'))).vpToken.get('d')).toEqual([
      'x',
      'y',
    ])
  })
})
