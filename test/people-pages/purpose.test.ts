import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query as sql } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { dcql, fetchRequest, makeWorld } from '../verifier/actors.js'
import { askOnPage, newVisitor, writtenOn } from './actors.js'

const PURPOSE = 'We check that you are a member before you pay less.'
const KEY = Buffer.alloc(32, 7).toString('base64url')

let service: TestService

beforeAll(async () => {
  service = await startService({ env: { KEY_ENCRYPTION_KEY: KEY } })
  await makeWorld(service)
})
afterAll(() => service.close())

const get = async (path: string, sub = 'verifier') =>
  (await service.request('GET', path, { authorization: await service.bearer(sub) })).json

const asked = (members: Record<string, unknown> = { purpose: PURPOSE }) => askOnPage(service, members)

const pageText = async ({ pageUrl }: { readonly pageUrl: string }) => writtenOn(await newVisitor(service).open(pageUrl))

describe('the purpose of a request', () => {
  it('is on the page, before the requested credentials and the QR code', async () => {
    const text = await pageText(await asked())
    expect(text).toContain(`Purpose ${PURPOSE} Requested credentials`)
  })

  it('is in the session for its creator, in the list and in an answer without names, but not for another verifier', async () => {
    const { verificationSessionId: id } = await asked()
    expect((await get(`/verification-sessions/${id}`)).purpose).toBe(PURPOSE)
    expect((await get(`/verification-sessions/${id}`, 'somebody-else')).purpose).toBeUndefined()
    const { items } = await get('/api/v1/verification-sessions?mine=true')
    expect(items.find((each: { id: string }) => each.id === id).purpose).toBe(PURPOSE)
    expect((await get(`/verification-sessions/${(await asked({})).verificationSessionId}`)).purpose).toBeUndefined()
  })

  it('stands beside the names of the session, which the page does not show', async () => {
    const page = await asked({ purpose: PURPOSE, reference: 'M-1', label: 'Ada Lovelace' })
    const session = await get(`/verification-sessions/${page.verificationSessionId}`)
    expect(session).toMatchObject({ purpose: PURPOSE, reference: 'M-1', label: 'Ada Lovelace' })
    expect(await pageText(page)).not.toMatch(/M-1|Lovelace/)
  })

  it('is not sent to wallets, which have no place for it (OpenID4VP 1.0)', async () => {
    const page = await asked()
    expect(JSON.stringify(await fetchRequest(page))).not.toContain('member before')
  })

  it('is encrypted in the database, and is in no event', async () => {
    const { verificationSessionId: id } = await asked()
    const rows = await sql(service.databaseUrl, 'SELECT v.*::text FROM verification_sessions v WHERE id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain('member before')
  })

  it('is erased with the claims of the session', async () => {
    const page = await asked()
    const { verificationSessionId: id } = page
    await service.request('POST', `/verification-sessions/${id}/erase`, {
      authorization: await service.bearer('verifier'),
      body: {},
    })
    expect((await get(`/verification-sessions/${id}`)).purpose).toBeUndefined()
    expect(await pageText(page)).not.toContain(PURPOSE)
    const column = 'verification_sessions.names'
    expect(
      await sql(service.databaseUrl, 'SELECT 1 FROM content_keys WHERE row_id = $1 AND column_name = $2', [id, column]),
    ).toEqual([])
  })

  it.each([
    ['nothing', ' ', 'purpose must'],
    ['301 characters', 'x'.repeat(301), 'purpose must contain at most 300 characters'],
    ['a NUL character', 'a\0b', 'purpose must not contain a NUL character'],
    ['a number', 5, 'purpose must be a string'],
  ])('with %s is refused by name', async (_, purpose, message) => {
    const { status, json } = await service.request('POST', '/authorization-requests', {
      authorization: await service.bearer('verifier'),
      body: { dcqlQuery: dcql(service, 'dc+sd-jwt'), purpose },
    })
    expect(status).toBe(400)
    expect(String([json.message].flat()[0])).toContain(message)
  })

  it('markup in it is text', async () => {
    const { pageUrl } = await asked({ purpose: '<img src=x onerror=alert(1)>' })
    expect((await newVisitor(service).open(pageUrl)).text).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  it('of a stored VP query is the purpose of its requests, unless a request names its own', async () => {
    const query = [{ fields: [{ path: ['$.credentialSubject.product'] }] }]
    const path = '/api/v1/verifier/vp-queries'
    const stored = await service.request('POST', path, { client: true, body: { query, purpose: PURPOSE } })
    expect(stored.json.purpose).toBe(PURPOSE)
    const purposeWith = async (members: Record<string, unknown>) => {
      const body = { redirect_uri: 'https://shop.example/done', ...members }
      const made = await service.request('POST', `${path}/${stored.json.id}/authorization-request`, {
        client: true,
        body,
      })
      const { json } = await service.request('GET', '/api/v1/verification-sessions', { client: true })
      return json.items.find(({ id }: { id: string }) => id === made.json.verificationSessionId).purpose
    }
    expect(await purposeWith({})).toBe(PURPOSE)
    expect(await purposeWith({ purpose: 'Another reason.' })).toBe('Another reason.')
  })

  it('transactions are on the page in words, before the QR code', async () => {
    const page = await asked({
      transactionData: [
        {
          type: 'urn:eudi:sca:payment:1',
          credential_ids: ['purchase'],
          payload: { transaction_id: 't1', payee: { name: 'Shop', id: 'DE1' }, currency: 'EUR', amount: 12.5 },
        },
      ],
    })
    const { text } = await newVisitor(service).open(page.pageUrl)
    expect(text).toContain('€12.50 to Shop')
    expect(text.indexOf('€12.50 to Shop')).toBeLessThan(text.indexOf('class="qr"'))
  })
})
