import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listOfferings } from '../../../server/issuer/offerings/offerings.contract.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { postOffering, postSchema, SUBJECT } from '../purchase.js'

const RECIPIENT = 'did:example:recipient'

let service: TestService
let alice: string
let type: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
  type = (await postSchema(service, alice)).name
})
afterAll(() => service.close())

const pathOf = (id: string) => `/api/v1/offerings/${id}`

describe('GET /api/v1/offerings', () => {
  const list = async (options: Parameters<TestService['request']>[2] = {}, search = '') => {
    const answer = await service.request('GET', `/api/v1/offerings${search}`, options)
    expect(answer.status).toBe(200)
    return answer
  }
  const entryOf = (answer: { json: { id: string }[] }, id: string) => answer.json.find((entry) => entry.id === id)

  it('shows a caller without a token only offerings that have no limit and no recipient, and no redemptions', async () => {
    const open = await postOffering(service, { credential_type: type })
    const limited = await postOffering(service, { credential_type: type, redemption_limit: 3 })
    const bound = await postOffering(service, { credential_type: type, recipient: RECIPIENT })
    const answer = await list()
    const { qr_code_url: _qr, offering_id: _id, offering_full_url: _url, ...listForm } = open
    expect(answer.json[0]).toEqual(listForm)
    expect(entryOf(answer, limited.id)).toBeUndefined()
    expect(entryOf(answer, bound.id)).toBeUndefined()
    const user = await list({ authorization: alice })
    expect(user.json[0]).toEqual({ ...listForm, redemptions: [] })
    expect(entryOf(user, limited.id)).toBeUndefined()
    for (const everything of [
      { client: true },
      { authorization: await service.bearer('root', { roles: ['admin'] }) },
    ]) {
      const [first, second, third] = (await list(everything)).json
      expect([first.id, second.id, third.id]).toEqual([bound.id, limited.id, open.id])
      expect(first).toMatchObject({ recipient: RECIPIENT, credential_subject: SUBJECT, redemptions: [] })
    }
  })

  it('shows a user the user’s own redemptions, an admin and the client secret all redemptions, and a stranger none', async () => {
    const { id } = await postOffering(service, { credential_type: type })
    const claim = async (sub: string) =>
      (
        await service.request('POST', `${pathOf(id)}/claim`, {
          authorization: await service.bearer(sub, { did: `did:example:${sub}` }),
        })
      ).json
    const carols = await claim('carol')
    const daves = await claim('dave')
    const redemptionsFor = async (options: Parameters<TestService['request']>[2]) =>
      (entryOf(await list(options), id) as { redemptions?: { credential_id: string }[] } | undefined)?.redemptions

    expect(await redemptionsFor({})).toBeUndefined()
    expect(await redemptionsFor({ authorization: alice })).toEqual([])
    const [own, ...others] = (await redemptionsFor({ authorization: await service.bearer('carol') })) ?? []
    expect(others).toEqual([])
    const offering = await service.request('GET', pathOf(id))
    const { qr_code_url: _qr, offering_id: _id, offering_full_url: _url, ...listForm } = offering.json
    expect(own).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      offering_id: id,
      credential_id: carols.id,
      recipient_did: 'did:example:carol',
      redeemed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      offering: listForm,
      credential: {
        id: carols.id,
        configuration_id: type,
        configuration: {
          id: expect.any(String),
          name: type,
          type,
          version: 1,
          schemaUri: carols.vc.credentialSchema.id,
          schemaBody: expect.objectContaining({ required: ['product'] }),
        },
        vc: carols.vc,
        revoked: false,
      },
    })
    await service.request('POST', `/api/v1/credentials/${daves.id}/revoke`, { client: true })
    for (const everything of [
      { client: true },
      { authorization: await service.bearer('root', { roles: ['admin'] }) },
    ]) {
      const redemptions = (await redemptionsFor(everything)) as {
        credential_id: string
        credential: { revoked: boolean }
      }[]
      expect(redemptions.map((redemption) => [redemption.credential_id, redemption.credential.revoked])).toEqual([
        [daves.id, true],
        [carols.id, false],
      ])
    }
  })

  it('answers byte for byte as the contract writes it, for all stored forms of claims, schemas and credentials', async () => {
    const { id } = await postOffering(service, {
      credential_type: type,
      credential_subject: { ...SUBJECT, product: 'quote " and \\ é \u0001 }],{"' },
    })
    for (const sub of ['erin', 'frank']) {
      await service.request('POST', `${pathOf(id)}/claim`, { authorization: await service.bearer(sub) })
    }
    const asWritten = await list({ client: true })
    expect(entryOf(asWritten, id)).toMatchObject({ redemptions: [{ offering: { id } }, { offering: { id } }] })
    expect(asWritten.text).toBe(JSON.stringify(listOfferings.output.parse(asWritten.json)))
    // A subject as a column that formerly was `jsonb` has it.
    await query(
      service.databaseUrl,
      'UPDATE offerings SET credential_subject = credential_subject::jsonb::json WHERE id = $1',
      [id],
    )
    await query(
      service.databaseUrl,
      'UPDATE credentials SET vc = vc::jsonb::json WHERE id IN (SELECT credential_id FROM redemptions WHERE offering_id = $1)',
      [id],
    )
    const reordered = await list({ client: true })
    expect(reordered.json).toEqual(asWritten.json)
    expect(reordered.text).toBe(JSON.stringify(listOfferings.output.parse(reordered.json)))
    const overRpc = await service.request('GET', '/trpc/offerings.list', { client: true })
    expect(overRpc.json.result.data.json).toEqual(reordered.json)
  })

  it('attack: with any number of redemptions, a page ends before it has more than 1,000 redemptions, and the next page continues', async () => {
    for (let made = 0; made < 13; made += 1) await postOffering(service, { credential_type: type })
    const ids: string[] = (await list({}, '?limit=13')).json.map(({ id }: { id: string }) => id)
    const dana = await service.bearer('dana', { did: 'did:example:dana' })
    const [first = ''] = ids
    expect((await service.request('POST', `${pathOf(first)}/claim`, { authorization: dana })).status).toBe(200)
    // Each offering except one gets as many redemptions as a list shows, all by the same user. The indices of these
    // redemptions are outside of all status lists.
    await query(
      service.databaseUrl,
      `WITH claimed AS (SELECT r.redeemed_by, to_jsonb(c) AS credential FROM redemptions r JOIN credentials c ON c.id = r.credential_id WHERE r.offering_id = $1),
       copies AS (
         SELECT id, gen_random_uuid()::text AS credential_id, 1000000 + row_number() OVER () AS index
         FROM unnest($2::text[]) AS id, generate_series(1, 99)),
       made AS (
         INSERT INTO credentials
         SELECT c.* FROM copies, claimed, jsonb_populate_record(NULL::credentials, credential || jsonb_build_object('id', credential_id)) AS c),
       instances AS (
         INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
         SELECT i.status_list_id, index, copies.credential_id, i.configuration_id, i.format
         FROM copies, credential_instances i JOIN redemptions r ON r.credential_id = i.credential_id WHERE r.offering_id = $1)
       INSERT INTO redemptions (id, offering_id, credential_id, redeemed_by)
       SELECT gen_random_uuid(), copies.id, credential_id, redeemed_by FROM copies, claimed`,
      [first, ids.filter((id) => id !== ids[2])],
    )
    for (const reader of [{ client: true }, { authorization: dana }]) {
      const listed: [string, number][] = []
      const sizes: number[] = []
      for (let next: string | null = ''; next !== null && listed.length < 13; ) {
        const page = await list(reader, `?limit=13${next === '' ? '' : `&cursor=${next}`}`)
        const entries: [string, number][] = page.json.map((entry: { id: string; redemptions: unknown[] }) => [
          entry.id,
          entry.redemptions.length,
        ])
        listed.push(...entries)
        sizes.push(entries.reduce((sum, [, count]) => sum + count, 0))
        next = page.headers.get('x-next-cursor')
        if (next !== null) expect(page.headers.get('link')).toContain('limit=13&cursor=')
      }
      expect(listed.slice(0, 13)).toEqual(ids.map((id, at) => [id, at === 0 ? 100 : at === 2 ? 0 : 99]))
      // The page has 100 + 9 × 99 = 991 redemptions, and one offering without redemptions. With one more offering it
      // would have 1,090.
      expect(sizes[0]).toBe(991)
    }
  })

  it('answers 401 for a wrong token or a wrong secret', async () => {
    const token = await service.request('GET', '/api/v1/offerings', { authorization: 'Bearer no.to.ken' })
    expect(token.status).toBe(401)
    const secret = await service.request('GET', '/api/v1/offerings', { headers: { 'x-client-secret': 'wrong' } })
    expect(secret.status).toBe(401)
  })

  it('has pages with `limit` and `cursor`; the Link header names the next page (RFC 8288)', async () => {
    const made: string[] = []
    for (let count = 0; count < 5; count += 1) made.push((await postOffering(service, { credential_type: type })).id)
    const seen: string[] = []
    let search: string | undefined = '?limit=2'
    for (let page = 0; page < 3 && search !== undefined; page += 1) {
      const answer = await list({}, search)
      seen.push(...answer.json.map((entry: { id: string }) => entry.id))
      search = /^<\/api\/v1\/offerings(\?[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(seen.slice(0, 5)).toEqual(made.toReversed())
    expect(new Set(seen).size).toBe(6)
    const everything = await list({}, '?limit=1000')
    expect(everything.headers.get('link')).toBeNull()
    expect(everything.json.slice(0, 6).map((entry: { id: string }) => entry.id)).toEqual(seen)
  })

  it.each(['0', '1001', 'all', '1.5'])('answers 400 for limit=%s', async (limit) => {
    expect((await service.request('GET', `/api/v1/offerings?limit=${limit}`)).status).toBe(400)
  })
})
