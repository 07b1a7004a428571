import { describe, expect, it } from 'vitest'
import { makeIssuer } from '../../protocol/mdoc/actors.js'
import { answer, ask, fetchRequest } from '../actors.js'
import { YEARS } from '../certified.js'
import { DOCTYPE, LICENCE, licence, NAMESPACE, useMdocVerifier } from '../mdoc.js'

const world = useMdocVerifier({ VERIFIER_LEGACY_PROFILES: 'draft24,draft21' })

const post = async (body: unknown) => {
  const authorization = await world.service.bearer('verifier')
  return world.service.request('POST', '/authorization-requests', { authorization, body })
}

describe('a credential query for mobile documents (OpenID4VP 1.0 Appendix B.2.3, §7.2)', () => {
  const faults: [object, string][] = [
    [{ meta: {} }, 'dcqlQuery.credentials.0.meta.doctype_value must be defined'],
    [{ meta: { doctype_value: '' } }, 'dcqlQuery.credentials.0.meta.doctype_value must not be empty'],
    ...[['family_name'], [NAMESPACE, 'a', 'b'], [NAMESPACE, null], [NAMESPACE, 0]].map((path): [object, string] => [
      { claims: [{ path }] },
      'must be one of exactly two strings, a namespace and an element identifier',
    ]),
    [
      { claims: [{ path: [NAMESPACE, 'family_name'], intent_to_retain: 'yes' }] },
      'dcqlQuery.credentials.0.claims.0.intent_to_retain must be a boolean',
    ],
  ]
  it.each(faults)('%j is refused, and the error names the wrong member', async (members, message) => {
    const refused = await post({ dcqlQuery: { credentials: [{ ...LICENCE, ...members }] } })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      expect.arrayContaining([expect.stringContaining(message)]),
    ])
  })

  it('intent_to_retain belongs to no other format (Appendix B.2.4)', async () => {
    const claims = [{ path: ['level'], intent_to_retain: true }]
    const query = { id: 'club', format: 'dc+sd-jwt', meta: { vct_values: ['urn:club'] }, claims }
    const refused = await post({ dcqlQuery: { credentials: [query] } })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      ['dcqlQuery.credentials.0.claims.0.intent_to_retain must be left out: the format has no such member'],
    ])
  })

  it('is sent to the wallet unchanged, and the metadata name the algorithms by their COSE numbers (Appendix B.2.2)', async () => {
    const { payload } = await world.asked()
    expect(payload.dcql_query).toEqual({ credentials: [LICENCE] })
    const { vp_formats_supported: formats } = payload.client_metadata as { vp_formats_supported?: object }
    const algorithms = [-7, -9, -35, -51, -8, -19]
    expect(formats).toMatchObject({
      mso_mdoc: { issuerauth_alg_values: algorithms, deviceauth_alg_values: algorithms },
    })
  })

  it.each(['draft24', 'draft21'])('is refused for %s, whose metadata do not name the format', async (profile) => {
    const refused = await post({ profile, dcqlQuery: { credentials: [LICENCE] } })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      [`dcqlQuery.credentials.0.format must be dc+sd-jwt or jwt_vc_json with profile ${profile}`],
    ])
    const other = { id: 'club', format: 'dc+sd-jwt', meta: { vct_values: ['urn:club'] } }
    const asked = await ask(world.service, { profile, dcqlQuery: { credentials: [other] } })
    expect(JSON.stringify((await fetchRequest(asked)).client_metadata)).not.toContain('mdoc')
  })

  it('cannot have transaction data', async () => {
    const transactionData = [{ type: 'urn:pay', credential_ids: ['licence'] }]
    const refused = await post({ dcqlQuery: { credentials: [LICENCE] }, transactionData })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      [
        'transactionData.0.credential_ids.0 must not name a credential query of format mso_mdoc, which has no transaction data',
      ],
    ])
  })
})

describe('values and authorities of a query', () => {
  const answered = (members: object, issuerSigned = world.issued) =>
    world.refusalOf((payload) => world.present(world.redirect(payload), { issuerSigned }), {
      query: { ...LICENCE, ...members },
    })

  it('values are compared with the element as JSON (RFC 8949 §6.1)', async () => {
    const claims = (value: unknown) => [{ path: [NAMESPACE, 'birth_date'], values: [value] }]
    expect(await answered({ claims: claims('1990-12-24') })).toBeUndefined()
    expect(await answered({ claims: claims('1990-12-25') })).toBe(
      `Credential licence holds none of the values asked for in the claim ${NAMESPACE}.birth_date.`,
    )
  })

  it('a requested element must be present', async () => {
    expect(await answered({ claims: [{ path: [NAMESPACE, 'portrait'] }] })).toBe(
      `Credential licence does not hold the claim ${NAMESPACE}.portrait.`,
    )
  })

  it('another doctype does not match', async () => {
    const photoId = await licence(world.issuer, world.holder, { doctype: 'org.iso.23220.photoid.1' })
    expect(await answered({}, photoId)).toBe('Credential licence is not of the doctype_value.')
  })

  it('an authority is found in x5chain (§6.1.1.1)', async () => {
    const identifier = { id: '551d23', critical: false, value: '300680040a0a0a0a' }
    const certified = await makeIssuer(world.authority, { ...YEARS, extensions: [identifier] })
    const issued = await licence(certified, world.holder)
    const authorities = (hex: string) => [{ type: 'aki', values: [Buffer.from(hex, 'hex').toString('base64url')] }]
    expect(await answered({ trusted_authorities: authorities('0a0a0a0a') }, issued)).toBeUndefined()
    expect(await answered({ trusted_authorities: authorities('0b0b0b0b') }, issued)).toBe(
      'Credential licence comes from none of the trusted_authorities.',
    )
  })
})

describe('a VP query with a constraint on $.doctype', () => {
  const field = (path: string, filter?: object) => ({ path: [path], ...(filter === undefined ? {} : { filter }) })
  const doctype = (filter: object) => field('$.doctype', filter)
  const name = `$['${NAMESPACE}']['family_name']`
  const queries = async (...fields: object[]) => {
    const { payload } = await world.asked(undefined, { dcqlQuery: undefined, query: [{ fields }] })
    return payload.dcql_query.credentials.filter(({ format }) => format === ('mso_mdoc' as string))
  }

  it('gives an alternative with a mobile document, and its paths give the elements', async () => {
    expect(await queries(doctype({ const: DOCTYPE }), field(name))).toEqual([
      {
        id: 'item-0-mdoc',
        format: 'mso_mdoc',
        meta: { doctype_value: DOCTYPE },
        claims: [{ path: [NAMESPACE, 'family_name'] }],
      },
    ])
  })

  it('gives an alternative for each doctype of an enum', async () => {
    const found = await queries(doctype({ enum: [DOCTYPE, 'org.iso.23220.photoid.1'] }))
    expect(found.map(({ id, ...query }) => [id, 'meta' in query && query.meta])).toEqual([
      ['item-0-mdoc', { doctype_value: DOCTYPE }],
      ['item-0-mdoc-b', { doctype_value: 'org.iso.23220.photoid.1' }],
    ])
  })

  it('attack: gives at most sixteen alternatives, for any number of doctypes in an enum', async () => {
    const many = Array.from({ length: 17 }, (_, at) => `org.example.${at}`)
    expect(await queries(doctype({ enum: many }))).toHaveLength(16)
  })

  it.each([
    ['$.credentialSubject.name'],
    [`$['${NAMESPACE}'].driving_privileges[0]`],
    ['$.issuer'],
    ['$.issuer.id'],
    [`$..family_name`],
  ])('gives no alternative if %s is requested too', async (path) =>
    expect(await queries(doctype({ const: DOCTYPE }), field(path))).toEqual([]),
  )

  it('gives no alternative if no doctype is named', async () => {
    expect(await queries(field(name))).toEqual([])
    expect(await queries(doctype({ pattern: '.' }), field(name))).toEqual([])
  })

  it('can be answered with a document, which its constraints check', async () => {
    const answeredWith = async (pattern: string) => {
      const query = [{ fields: [doctype({ enum: [DOCTYPE] }), field(name, { type: 'string', pattern })] }]
      const { asked, payload } = await world.asked(undefined, { dcqlQuery: undefined, query })
      const presented = await world.present(world.redirect(payload))
      const sentence = await world.saidOf(asked, await answer(payload, { 'item-0-mdoc': [presented] }))
      return sentence ?? (await world.resultOf(asked)).credentials
    }
    expect(await answeredWith('^Möb')).toMatchObject([
      { queryItem: 0, format: 'mso_mdoc', type: [DOCTYPE], claims: { [NAMESPACE]: { family_name: 'Möbius' } } },
    ])
    expect(await answeredWith('^X')).toBe(
      `Presentation for item-0-mdoc: ${name} does not satisfy pattern of its filter.`,
    )
  })
})
