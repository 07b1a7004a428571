import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DIPLOMA_DOCTYPE,
  DIPLOMA_JWT,
  DIPLOMA_MDOC,
  DIPLOMA_SD_JWT,
  type RemoteIssuer,
  startRemoteIssuer,
} from '../../support/remote-issuer.js'
import { type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { type HostedWallet, newWallet } from '../../support/wallet.js'
import { disclosed } from '../draft-world.js'
import { licenceFor, type MdocWorld, makeMdocWorld, NAMESPACE } from '../mdoc-world.js'

const CLAIMS = {
  degree: 'Laurea',
  middle_name: null,
  address: { street: null, country: 'IT' },
  languages: ['it', null, 'de'],
  nothing: [null],
  empty: [],
  degrees: [{ type: 'BSc', year: null }, { type: 'MSc' }],
  mixed: [{ type: 'BSc' }, 'MSc'],
}

let world: MdocWorld
let issuer: RemoteIssuer
let verifier: RemoteVerifier
let wallet: HostedWallet

beforeAll(async () => {
  world = await makeMdocWorld()
  verifier = await startRemoteVerifier()
  issuer = await startRemoteIssuer({
    forge: async (self, { publicJwk, did }, format) => {
      if (format === 'dc+sd-jwt') return self.signSdJwtVc(publicJwk, CLAIMS)
      if (format === 'jwt_vc_json') {
        const credentialSubject = { id: did, ...CLAIMS }
        const vc = {
          type: ['VerifiableCredential', DIPLOMA_JWT],
          '@context': ['https://www.w3.org/2018/credentials/v1'],
        }
        return self.signJwtVc(did, { vc: { ...vc, issuer: self.key.did, credentialSubject } })
      }
      const elements = new Map([
        [
          NAMESPACE,
          new Map<string, string | null>([
            ['family_name', 'Rossi'],
            ['middle_name', null],
          ]),
        ],
      ])
      return licenceFor(world.issuer, publicJwk, { doctype: DIPLOMA_DOCTYPE, elements })
    },
  })
  wallet = await newWallet(world.a)
  const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT, DIPLOMA_JWT, DIPLOMA_MDOC]))
  expect([taken.status, taken.json.credentials?.length], taken.text).toEqual([200, 3])
})
afterAll(async () => {
  await verifier.close()
  await issuer.close()
  await world.close()
})

type Claim = Readonly<Record<string, unknown>>

const metaOf = (format: string) => {
  if (format === 'dc+sd-jwt') return { vct_values: [`${issuer.url}/vct/diploma`] }
  return format === 'jwt_vc_json' ? { type_values: [[DIPLOMA_JWT]] } : { doctype_value: DIPLOMA_DOCTYPE }
}

const NO_MATCH = 'Could not find the required credentials for the presentation submission'

/** The presentation for a verifier's claims, or the wallet's message if there is no presentation. */
async function answerTo(format: string, claims: readonly Claim[], more: Claim = {}) {
  const before = verifier.responses.length
  const query = { credentials: [{ id: 'diploma', format, meta: metaOf(format), claims, ...more }] }
  const answer = await wallet.process(await verifier.request(query))
  if (answer.status !== 200) return answer.json.message
  return verifier.responses[before]?.presentations.diploma?.[0]
}

type Path = readonly (string | number | null)[]

/** Paths that select a value. For an SD-JWT VC, each path also has the claims that must be disclosed for it. */
const SELECTING: readonly [Path, string][] = [
  [['middle_name'], 'middle_name'],
  [['address', 'street'], 'address'],
  [['languages', 1], 'languages'],
  [['languages', null], 'languages'],
  [['nothing', null], 'nothing'],
  [['degrees', 0, 'year'], 'degrees'],
  [['degrees', null, 'year'], 'degrees'],
  [['degrees', null, 'type'], 'degrees'],
]

/** Paths that cause an error when they are processed. */
const ERRORS: readonly [string, Path][] = [
  ['a name in an array', ['languages', 'length']],
  ['an index as a name in an array', ['languages', '0']],
  ['a name in an array of objects', ['degrees', 'type']],
  ['a name in null', ['middle_name', 'first']],
  ['a name in a text', ['degree', 'length']],
  ['an index of an object', ['address', 0]],
  ['an index of a text', ['degree', 0]],
  ['all elements of an object', ['address', null]],
  ['all elements of null', ['middle_name', null]],
  ['a name in elements, one of which is not an object', ['mixed', null, 'type']],
  ['a missing index', ['languages', 3]],
  ['all elements of an empty array', ['empty', null]],
  ['a missing name', ['address', 'city']],
  ['a name that every object inherits', ['address', 'constructor']],
  ['an index of the root', [0]],
  ['all elements of the root', [null]],
]

describe.each([
  ['dc+sd-jwt', []],
  ['jwt_vc_json', ['credentialSubject']],
])('a claims path into a %s', (format, subject) => {
  it.each(SELECTING)('%j selects existing values, null too (OpenID4VP 1.0 §7.1.1)', async (path, name) => {
    const presented = String(await answerTo(format, [{ path: [...subject, ...path] }]))
    if (format === 'dc+sd-jwt') expect(disclosed(presented)).toEqual([name])
    else expect(presented.split('.')).toHaveLength(3)
  })

  it.each(ERRORS)('to %s is an error: the credential is not returned (§7.1.1, §6.4.1)', async (_what, path) => {
    expect(await answerTo(format, [{ path: [...subject, ...path] }])).toBe(NO_MATCH)
  })

  it.each(ERRORS)('to %s does not affect other claim sets (§6.4.1)', async (_what, path) => {
    const claims = [
      { id: 'wrong', path: [...subject, ...path] },
      { id: 'right', path: [...subject, 'degree'] },
    ]
    const presented = String(await answerTo(format, claims, { claim_sets: [['wrong', 'right'], ['right']] }))
    if (format === 'dc+sd-jwt') expect(disclosed(presented)).toEqual(['degree'])
    else expect(presented.split('.')).toHaveLength(3)
  })

  it.each<[Path, readonly unknown[]]>([
    [['degree'], ['Laurea', 'x']],
    [['languages', null], ['de']],
    [['degrees', null, 'type'], ['MSc']],
  ])('%j with one of the values %j selects it (§6.3)', async (path, values) => {
    expect(await answerTo(format, [{ path: [...subject, ...path], values }])).not.toBe(NO_MATCH)
  })

  it.each<[Path, readonly unknown[]]>([
    [['degree'], ['laurea']],
    [['middle_name'], ['null', '', false, 0]],
    [
      ['languages', 1],
      ['it', 'de'],
    ],
    [['languages'], ['it']],
  ])('%j with none of the values %j does not (§6.3)', async (path, values) => {
    expect(await answerTo(format, [{ path: [...subject, ...path], values }])).toBe(NO_MATCH)
  })
})

describe('a claims path into a mobile document (OpenID4VP 1.0 §7.2)', () => {
  it.each(['family_name', 'middle_name'])('selects the element %s', async (name) => {
    expect(await answerTo('mso_mdoc', [{ path: [NAMESPACE, name] }])).toMatch(/^[\w-]+$/)
  })

  it.each([
    ['a missing element', [NAMESPACE, 'height']],
    ['a missing namespace', ['other', 'family_name']],
    ['a name that every object inherits', [NAMESPACE, 'constructor']],
  ])('to %s is an error', async (_what, path) => {
    expect(await answerTo('mso_mdoc', [{ path }])).toBe(NO_MATCH)
  })
})

it('the first claim set that can be answered is disclosed; without claims, no claim is disclosed (§6.4.1)', async () => {
  const claims = ['degree', 'middle_name', 'missing'].map((name) => ({ id: name, path: [name] }))
  const sets = [['missing'], ['degree', 'middle_name'], ['degree']]
  const presented = await answerTo('dc+sd-jwt', claims, { claim_sets: sets })
  expect(disclosed(presented).sort()).toEqual(['degree', 'middle_name'])
  expect(disclosed(await answerTo('dc+sd-jwt', [], { claims: undefined }))).toEqual([])
})
