import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Asked, answer, ask, fetchRequest, present } from '../actors.js'
import { ForeignIssuer } from '../foreign-issuer.js'
import { startWebServer, type WebServer } from '../web-server.js'

let web: WebServer
let service: TestService
let wallet: WalletActor
let issuer: ForeignIssuer

beforeAll(async () => {
  web = await startWebServer()
  service = await startService({ env: { TRUSTED_ISSUERS: '*', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
  wallet = await newWallet()
  issuer = await ForeignIssuer.didKey()
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
})

const WANTED = 'https://ecosystem.example/membership'
const NONE = 'Credential club is of none of the vct_values.'

const typeAt = (path: string) => `http://127.0.0.1:${web.port}${path}`

/** Publishes type metadata. @returns the type. */
function publish(extended: string | undefined, members: Record<string, unknown> = {}): string {
  const path = `/types/${crypto.randomUUID()}`
  const vct = typeAt(path)
  web.documents.set(path, { body: { vct, ...(extended === undefined ? {} : { extends: extended }), ...members } })
  return vct
}

/** A chain of types with a number of levels that ends in another type. */
const chain = (levels: number, top: string): string => (levels === 0 ? top : publish(chain(levels - 1, top)))

const DCQL = {
  dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [WANTED, 'urn:other'] } }] },
}

async function presented(vct: string, members: Record<string, unknown> = {}, body: Record<string, unknown> = DCQL) {
  const payload = { iss: issuer.id, vct, level: 'gold', cnf: { jwk: wallet.publicJwk }, ...members }
  const credential = `${await issuer.sign({ typ: 'dc+sd-jwt' }, payload)}~`
  const asked = await ask(service, { responseMode: 'direct_post', ...body })
  const request = await fetchRequest(asked)
  const [{ id } = { id: '' }] = request.dcql_query.credentials
  const held = { id: '', format: 'dc+sd-jwt', credential } as const
  const reply = await answer(request, { [id]: [await present(held, wallet, request, { disclose: [] })] })
  return { asked, refusal: reply.json.error_description as string | undefined }
}

async function typesIn({ verificationSessionId }: Asked) {
  const path = `/verification-sessions/${verificationSessionId}/result`
  const { json } = await service.request('GET', path, { authorization: await service.bearer('verifier') })
  return json.credentials[0].type
}

describe('a credential of a type that extends the requested type (OpenID4VP 1.0 Appendix B.3.5)', () => {
  it.each([1, 2, 5])('is accepted, %d levels away; the result has its own type', async (levels) => {
    const vct = chain(levels, WANTED)
    const { asked, refusal } = await presented(vct)
    expect(refusal).toBeUndefined()
    expect(await typesIn(asked)).toEqual([vct])
  })

  it('counts as the requested type for a VP query, by $.vct and by $.type', async () => {
    const vct = chain(1, WANTED)
    for (const field of [
      { path: ['$.vct'], filter: { const: WANTED } },
      { path: ['$.type'], filter: { contains: { const: WANTED } } },
    ]) {
      const query = [{ fields: [field, { path: ['$.credentialSubject.level'], filter: { const: 'gold' } }] }]
      expect((await presented(vct, {}, { query })).refusal).toBeUndefined()
    }
  })

  it('may extend a type of this installation, whose metadata are not fetched', async () => {
    const own = `${service.url}/vct/Membership`
    const query = { dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [own] } }] } }
    expect((await presented(publish(own), {}, query)).refusal).toBeUndefined()
    // A type of this installation extends no other type.
    expect((await presented(own)).refusal).toBe(NONE)
  })

  it('causes no fetch of metadata if its type is the requested type', async () => {
    const before = web.requests.length
    const vct = chain(1, 'urn:unrelated')
    const query = { dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [vct] } }] } }
    expect((await presented(vct, {}, query)).refusal).toBeUndefined()
    expect(web.requests).toHaveLength(before)
  })

  it('is checked against the strongest of its integrity values', async () => {
    const top = publish(WANTED)
    const hash = (algorithm: string, vct: string) => {
      const text = JSON.stringify(web.documents.get(new URL(vct).pathname)?.body)
      return `${algorithm}-${createHash(algorithm).update(text).digest('base64')}`
    }
    const vct = publish(top, { 'extends#integrity': hash('sha384', top) })
    expect((await presented(vct, { 'vct#integrity': hash('sha256', vct) })).refusal).toBeUndefined()
    const [good, bad] = [hash('sha256', vct), hash('sha512', top)]
    for (const integrity of [hash('sha256', top), `${good} ${bad}`, 'md5-abc', '', 7]) {
      const { refusal } = await presented(vct, { 'vct#integrity': integrity })
      expect(refusal).toBe(
        'Presentation for club: Type metadata of the credential are not what their integrity metadata say.',
      )
    }
  })
})

describe('attack: a credential of another type', () => {
  it.each([
    ['without metadata', () => typeAt('/nowhere')],
    ['that extends nothing', () => publish(undefined)],
    ['that extends something else', () => publish('urn:unrelated')],
    ['six levels away', () => chain(6, WANTED)],
    ['whose name only begins with it', () => `${WANTED}/gold`],
    ['that is not an address', () => 'urn:unrelated'],
  ])('%s', async (_what, vct) => {
    expect((await presented(vct())).refusal).toBe(NONE)
  })

  it.each([
    ['that extends itself', { extends: 'self' }, 'Credential is of a type that extends itself.'],
    [
      'whose metadata are of another type',
      { vct: WANTED },
      'Type metadata of the credential are those of another type.',
    ],
    ['whose metadata are not text', { extends: 7 }, 'Type metadata member extends is not a string.'],
  ])('%s', async (_what, members, sentence) => {
    const path = `/types/${crypto.randomUUID()}`
    const vct = typeAt(path)
    const body = { vct, extends: WANTED, ...members }
    web.documents.set(path, { body: { ...body, extends: body.extends === 'self' ? vct : body.extends } })
    expect((await presented(vct)).refusal).toBe(`Presentation for club: ${sentence}`)
  })

  it('with metadata that are not JSON', async () => {
    web.documents.set('/types/html', { body: '<!doctype html>', type: 'text/html' })
    expect((await presented(typeAt('/types/html'))).refusal).toBe(
      'Presentation for club: Type metadata of the credential are no JSON object.',
    )
  })

  it('of an untrusted issuer causes no fetch', async () => {
    const before = web.requests.length
    const { refusal } = await presented(chain(1, WANTED), {}, { ...DCQL, trustedIssuers: ['self'] })
    expect(refusal).toContain('is not trusted')
    expect(web.requests).toHaveLength(before)
  })

  it('causes at most ten fetches of types for one answer', async () => {
    const dcqlQuery = { credentials: [{ ...DCQL.dcqlQuery.credentials[0], multiple: true }] }
    const asked = await ask(service, { dcqlQuery, responseMode: 'direct_post' })
    const request = await fetchRequest(asked)
    const before = web.requests.length
    const club = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const payload = { iss: issuer.id, vct: publish('urn:unrelated'), cnf: { jwk: wallet.publicJwk } }
        const credential = `${await issuer.sign({ typ: 'dc+sd-jwt' }, payload)}~`
        return present({ id: '', format: 'dc+sd-jwt', credential }, wallet, request, { disclose: [] })
      }),
    )
    expect((await answer(request, { club })).status).toBe(400)
    expect(web.requests.length - before).toBe(10)
  })
})
