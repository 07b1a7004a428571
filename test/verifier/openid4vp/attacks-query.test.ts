import { describe, expect, it } from 'vitest'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { createSigner, generateKeyPair, signCompact } from '../../../server/protocol/jose/jws.js'
import { issueJwtVc } from '../../../server/protocol/jwt-vc/issue.js'
import { createKeyBinding } from '../../../server/protocol/sd-jwt-vc/key-binding.js'
import { answer, ask, dcql, fetchRequest, ITEM, issue, present, TYPE } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()
const vp = 'Presentation for purchase: Presentation'

describe('the query is checked again after the choice of the wallet', () => {
  async function byItems(query: unknown[]) {
    const request = await ask(world.service, { query, responseMode: 'direct_post' })
    return { request, payload: await fetchRequest(request) }
  }
  /** A type that allows any claims. */
  async function openType(name: string, selectivelyDisclosable?: string[]): Promise<string> {
    const body = {
      name,
      version: 1,
      schema: { type: 'object' },
      ...(selectivelyDisclosable && { selectivelyDisclosable }),
    }
    const authorization = await world.service.bearer('issuer')
    expect((await world.service.request('POST', '/schemas', { authorization, body })).status).toBe(201)
    return name
  }
  const price = (maximum: number) => ({
    fields: [...ITEM.fields, { path: ['$.credentialSubject.price'], filter: { type: 'number', maximum } }],
  })

  it.each([
    ['dc+sd-jwt', 'item-0-sd-jwt'],
    ['jwt_vc_json', 'item-0-jwt-vc'],
  ] as const)('a constraint that DCQL cannot express (%s)', async (format, id) => {
    const { request, payload } = await byItems([price(100)])
    const disclose = [['product'], ['price']]
    const presentation = await present(world.held[format], world.wallet, payload, { disclose })
    const sentence = `Presentation for ${id}: $.credentialSubject.price does not satisfy maximum of its filter.`
    await world.expectRefused(request, payload, { [id]: [presentation] }, sentence)
  })

  it('a claim that is not disclosed', async () => {
    const { request, payload } = await byItems([price(1_000)])
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    const sentence = 'Credential item-0-sd-jwt does not hold the claim price.'
    await world.expectRefused(request, payload, { 'item-0-sd-jwt': [presentation] }, sentence)
  })

  it('a credential of another type under the id of the requested one', async () => {
    const { request, payload } = await byItems([
      { fields: [{ path: ['$.type'], filter: { contains: { const: 'Passport' } } }] },
    ])
    const presentation = await present(world.held.jwt_vc_json, world.wallet, payload)
    const sentence = 'Credential item-0-jwt-vc is of none of the type_values.'
    await world.expectRefused(request, payload, { 'item-0-jwt-vc': [presentation] }, sentence)
  })

  it('a claim that is present twice, once satisfying and once failing, is refused', async () => {
    const open = await openType('TwoPrices')
    const subject = { price: 50, before: { price: 5_000 } }
    const held = await issue(world.service, world.wallet, 'jwt_vc_json', subject, open)
    const { request, payload } = await byItems([
      {
        fields: [
          { path: ['$.type'], filter: { contains: { const: open } } },
          { path: ['$..price'], filter: { type: 'number', maximum: 100 } },
        ],
      },
    ])
    const presentation = await present(held, world.wallet, payload)
    const sentence = 'Presentation for item-0-jwt-vc: $..price does not satisfy maximum of its filter.'
    await world.expectRefused(request, payload, { 'item-0-jwt-vc': [presentation] }, sentence)
  })

  describe('an index into an array whose elements are disclosed one by one', () => {
    async function levels(index: number) {
      const type = await openType(`Levels${index}`, ['list.*'])
      const held = await issue(world.service, world.wallet, 'dc+sd-jwt', { list: [{ level: 1 }, { level: 9 }] }, type)
      const query = [
        {
          fields: [
            { path: ['$.type'], filter: { contains: { const: type } } },
            { path: [`$.credentialSubject.list[${index}].level`], filter: { type: 'number', minimum: 5 } },
          ],
        },
      ]
      const { request, payload } = await byItems(query)
      const path = payload.dcql_query.credentials[0] as unknown as { claims: { path: unknown[] }[] }
      expect(path.claims[0]?.path).toEqual(['list', index, 'level'])
      const [jwt = '', ...disclosures] = held.credential.split('~').slice(0, -1)
      const showing = (level: number) => {
        const shown = disclosures.filter((text) => Buffer.from(text, 'base64url').includes(`"level":${level}`))
        return createKeyBinding({
          signer: world.wallet.signer,
          sdJwt: [jwt, ...shown, ''].join('~'),
          nonce: payload.nonce,
          audience: payload.client_id,
          issuedAt: new Date(),
        })
      }
      return { request, payload, showing }
    }

    it('is satisfied by this element if only this element is disclosed', async () => {
      const { payload, showing } = await levels(1)
      expect((await answer(payload, { 'item-0-sd-jwt': [await showing(9)] })).status).toBe(200)
    })

    it('is not satisfied by another element if this element is withheld', async () => {
      const { request, payload, showing } = await levels(0)
      const sentence = 'Credential item-0-sd-jwt does not hold the claim list.0.level.'
      await world.expectRefused(request, payload, { 'item-0-sd-jwt': [await showing(9)] }, sentence)
    })
  })

  it('a path that reads every value for every value is stopped, and the refusal names it', async () => {
    const type = await openType('Wide')
    const subject = { rows: Array.from({ length: 90 }, () => Array(10).fill(0)) }
    const held = await issue(world.service, world.wallet, 'jwt_vc_json', subject, type)
    const path = '$..[?$..[?@ == 1]]'
    const { request, payload } = await byItems([
      { fields: [{ path: ['$.type'], filter: { contains: { const: type } } }, { path: [path] }] },
    ])
    const presentation = await present(held, world.wallet, payload)
    const sentence = `Presentation for item-0-jwt-vc: ${path} is too much to evaluate on this credential.`
    await world.expectRefused(request, payload, { 'item-0-jwt-vc': [presentation] }, sentence)
  })

  it('an issuer that is an object is queried by its id (VCDM 1.1 §4.5)', async () => {
    const { privateJwk, publicJwk } = await generateKeyPair('ES256')
    const did = didJwk(publicJwk)
    const compact = await signCompact(
      await createSigner(privateJwk, `${did}#0`),
      { typ: 'JWT' },
      {
        iss: did,
        sub: world.wallet.did,
        jti: 'urn:uuid:6ba7b810-9dad-41d1-80b4-00c04fd430c8',
        nbf: Math.floor(Date.now() / 1000) - 10,
        vc: {
          '@context': ['https://www.w3.org/2018/credentials/v1'],
          type: ['VerifiableCredential', 'Membership'],
          issuer: { id: did, name: 'Club' },
          credentialSubject: { id: world.wallet.did, level: 'gold' },
        },
      },
    )
    const { payload } = await byItems([
      {
        fields: [
          { path: ['$.type'], filter: { contains: { const: 'Membership' } } },
          { path: ['$.issuer'], filter: { const: did } },
        ],
      },
    ])
    const held = { id: '', format: 'jwt_vc_json', credential: compact } as const
    const presentation = await present(held, world.wallet, payload)
    const reply = await answer(payload, { 'item-0-jwt-vc': [presentation] })
    expect([reply.status, reply.json]).toEqual([200, {}])
  })

  it('entries that were not requested, are missing, or are too many', async () => {
    const unknown = await world.asked('dc+sd-jwt')
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, unknown.payload)
    await world.expectRefused(
      unknown.asked,
      unknown.payload,
      { purchase: [presentation], passport: [presentation] },
      'vp_token has an entry that the query does not ask for.',
    )
    const missing = await world.asked('dc+sd-jwt')
    await world.expectRefused(missing.asked, missing.payload, {}, 'Credential purchase is missing.')
    const twice = await world.asked('dc+sd-jwt')
    const again = await present(world.held['dc+sd-jwt'], world.wallet, twice.payload)
    await world.expectRefused(
      twice.asked,
      twice.payload,
      { purchase: [again, again] },
      'Credential purchase has more than one presentation.',
    )
  })

  it('a flood of presentations', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt', {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt', { multiple: true }),
    })
    const purchase = Array.from({ length: 65 }, () => 'x~')
    await world.expectRefused(request, payload, { purchase }, 'vp_token holds more than 64 presentations.')
  })

  it('a format that was not requested', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    await world.expectRefused(request, payload, { purchase: [{ proof: {} }] }, `${vp} is not of format dc+sd-jwt.`)
  })
})

describe('queries that are expensive on purpose', () => {
  const make = async (query: unknown) => {
    const reply = await world.service.request('POST', '/api/v1/verifier/vp-queries', { client: true, body: { query } })
    return [reply.status, reply.json.message]
  }

  it('a pattern that would backtrack without end matches in linear time', async () => {
    const evil = '^(a+)+$'
    const subject = { product: `${'a'.repeat(50_000)}!` }
    const held = await issue(world.service, world.wallet, 'jwt_vc_json', subject)
    const request = await ask(world.service, {
      query: [
        {
          fields: [
            ...ITEM.fields,
            { path: ['$.credentialSubject.product'], filter: { type: 'string', pattern: evil } },
          ],
        },
      ],
      responseMode: 'direct_post',
    })
    const payload = await fetchRequest(request)
    const presentation = await present(held, world.wallet, payload)
    const sentence =
      'Presentation for item-0-jwt-vc: $.credentialSubject.product does not satisfy pattern of its filter.'
    await world.expectRefused(request, payload, { 'item-0-jwt-vc': [presentation] }, sentence)
  })

  it('a JSONPath bomb: its cost on a credential is limited', async () => {
    const chain = (depth: number): unknown => (depth === 0 ? 1 : { a: chain(depth - 1) })
    const { privateJwk, publicJwk } = await generateKeyPair('ES256')
    const did = didJwk(publicJwk)
    const signer = await createSigner(privateJwk, `${did}#0`)
    const { compact } = await issueJwtVc({
      signer,
      issuer: did,
      id: 'urn:x',
      types: [TYPE],
      claims: { product: 'x', trees: Array.from({ length: 60 }, () => chain(55)) },
      subjectId: world.wallet.did,
      issuedAt: new Date(),
    })
    const bomb = '$..*..*..*'
    const request = await ask(world.service, {
      query: [{ fields: [...ITEM.fields, { path: [bomb] }] }],
      trustedIssuers: ['*'],
      responseMode: 'direct_post',
    })
    const payload = await fetchRequest(request)
    const presentation = await present({ id: '', format: 'jwt_vc_json', credential: compact }, world.wallet, payload)
    const sentence = `Presentation for item-0-jwt-vc: ${bomb} is too much to evaluate on this credential.`
    await world.expectRefused(request, payload, { 'item-0-jwt-vc': [presentation] }, sentence)
  })

  it('a deep filter, a deep body, an invalid path', async () => {
    let filter: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 40; depth += 1) filter = { not: filter }
    const [status, [message]] = (await make([{ fields: [{ path: ['$.x'], filter }] }])) as [number, string[]]
    expect([status, message]).toEqual([
      400,
      expect.stringMatching(/^query\.0\.fields\.0\.filter.* must not be nested deeper/),
    ])
    const descents = { fields: [{ path: [`$${'..*'.repeat(8)}`] }] }
    expect(await make([descents])).toEqual([
      400,
      ['query.0.fields.0.path.0 must not have more than 3 descendant segments'],
    ])
    expect(await make([{ fields: [{ path: ['$['], filter: {} }] }])).toEqual([
      400,
      [expect.stringMatching(/^query\.0\.fields\.0\.path\.0 /)],
    ])
  })
})
