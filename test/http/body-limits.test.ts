import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, startIssuer } from '../issuer/openid4vci/actors.js'
import { sendPath, sendRaw } from './raw.js'

const KIB_64 = 65_536
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

let issuer: Issuer
let authorization: string

beforeAll(async () => {
  issuer = await startIssuer()
  const offer = await issuer.makeOffer({ credentialConfigurationIds: [JWT_VC] })
  authorization = `Bearer ${await issuer.token(offer.credentialOfferUri.split('%2F').at(-1))}`
})
afterAll(() => issuer.service.close())

const form = (length: number) => 'a='.padEnd(length, 'a')
const json = (length: number) => `${'{"a":"'.padEnd(length - 2, 'a')}"}`

async function send(path: string, type: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await sendPath(issuer.service.url, 'POST', path, {
    headers: { authorization, 'content-type': type, ...headers },
    body,
  })
  return { status: answer.status, json: JSON.parse(answer.body) }
}

describe('endpoints of a few parameters read 64 KiB', () => {
  it.each([
    ['/openid4vci/token', FORM, 'invalid_request'],
    ['/openid4vci/par', FORM, 'invalid_request'],
    ['/openid4vci/notification', JSON_TYPE, 'invalid_notification_request'],
    [`/openid4vp/requests/${crypto.randomUUID()}`, FORM, 'invalid_request'],
  ])('%s', async (path, type, error) => {
    const body = type === FORM ? form : json
    expect((await send(path, type, body(KIB_64))).status).toBeLessThan(413)
    const refused = { status: 413, json: { error, error_description: 'Request body exceeds 64 KiB.' } }
    expect(await send(path, type, body(KIB_64 + 1))).toEqual(refused)
    const packed = gzipSync(body(8 * KIB_64))
    expect(await send(path, type, packed, { 'content-encoding': 'gzip' })).toEqual(refused)
  })

  it('the decision on a page of consent', async () => {
    const ask = (length: number) =>
      sendPath(issuer.service.url, 'POST', `/openid4vci/authorize/${crypto.randomUUID()}`, {
        headers: { 'content-type': FORM },
        body: form(length),
      })
    expect((await ask(KIB_64)).status).toBe(404)
    const { status, body } = await ask(KIB_64 + 1)
    expect([status, body.includes('Request body exceeds 64 KiB.')]).toEqual([413, true])
  })

  it.each([
    ['/openid4vci/credential', JSON_TYPE],
    [`/openid4vp/responses/${crypto.randomUUID()}`, FORM],
  ])('%s, which accepts credentials, reads one mebibyte', async (path, type) => {
    const body = type === FORM ? form : json
    expect((await send(path, type, body(16 * KIB_64))).status).toBeLessThan(413)
    const { status, json: refusal } = await send(path, type, body(16 * KIB_64 + 1))
    expect([status, refusal.error_description]).toEqual([413, 'Request body exceeds 1 MiB.'])
  })
})

describe('a body of many values is refused before it is parsed', () => {
  const refusalOf = async (path: string, body: unknown) => {
    const headers = { authorization: await issuer.service.bearer('alice') }
    const { status, json: refusal } = await issuer.service.request('POST', path, { headers, body })
    return [status, refusal.message ?? refusal.error?.json?.data.messages]
  }
  const REFUSED = [400, ['Request body holds more than 20000 values.']]
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, ',{[']))

  it.each([
    ['members', members(20_000)],
    ['elements', { a: Array.from({ length: 20_000 }, () => 0) }],
    ['objects', { a: Array.from({ length: 10_001 }, () => ({})) }],
  ])('%s, over REST and /trpc', async (_, body) => {
    expect(await refusalOf('/credentials/verify', body)).toEqual(REFUSED)
    expect(await refusalOf('/trpc/verify.verify', { json: body })).toEqual(REFUSED)
  })

  it('a body with fewer values is read, with texts of any content', async () => {
    expect(await refusalOf('/credentials/verify', members(19_000))).not.toEqual(REFUSED)
    expect(await refusalOf('/credentials/verify', { credential: ',[{'.repeat(20_000) })).not.toEqual(REFUSED)
  })

  it('a form has at most 1,000 parameters', async () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=`).join('&')
    const path = `/openid4vp/responses/${crypto.randomUUID()}`
    const message = 'The form has more than 1000 parameters.'
    const refused = { status: 400, json: { error: 'invalid_request', error_description: message } }
    expect(await send(path, FORM, parameters(1_001))).toEqual(refused)
    expect(await send(path, FORM, parameters(1_000))).not.toEqual(refused)
  })
})

describe('the nonce endpoint', () => {
  it('answers before the body has arrived, and reads no part of it', async () => {
    const answer = await sendRaw(
      issuer.service.url,
      'POST /openid4vci/nonce HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 5000000\r\n\r\nhalf',
    )
    expect([answer.status, Object.keys(JSON.parse(answer.body))]).toEqual([200, ['c_nonce']])
  })

  it('has no body in the OpenAPI document', async () => {
    const { paths } = (await issuer.service.request('GET', '/api-docs-json')).json
    const { requestBody, responses } = paths['/openid4vci/nonce'].post
    expect(requestBody).toBeUndefined()
    expect(Object.keys(responses)).toEqual(['200', '429', '500', '503'])
    const { content } = paths['/openid4vci/token'].post.responses['413']
    expect(content[JSON_TYPE].example.error_description).toBe('Request body exceeds 64 KiB.')
  })
})
