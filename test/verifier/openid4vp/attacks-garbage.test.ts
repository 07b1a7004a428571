import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { answer, ask, dcql, encrypt, postForm, present, type RequestPayload, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

describe("a stranger's garbage does not change an open session", () => {
  const GARBAGE: [string, Record<string, string>, string][] = [
    ['nothing at all', {}, 'Parameter state is missing.'],
    ['no state', { vp_token: '{}' }, 'Parameter state is missing.'],
    ['a guessed state', { vp_token: '{}', state: 'guess' }, 'Parameter state is not that of the request.'],
    ['an error without state', { error: 'access_denied' }, 'Parameter state is missing.'],
    [
      'a vp_token that is not JSON',
      { vp_token: 'eyJ', state: 'STATE' },
      'Parameter vp_token is not a JSON object of arrays.',
    ],
    [
      'a vp_token that is an array',
      { vp_token: '[]', state: 'STATE' },
      'Parameter vp_token is not a JSON object of arrays.',
    ],
    [
      'a vp_token of numbers',
      { vp_token: '{"purchase":[1]}', state: 'STATE' },
      'Parameter vp_token holds a presentation that is neither string nor object.',
    ],
    [
      'a single presentation',
      { vp_token: '{"purchase":"x~"}', state: 'STATE' },
      'Parameter vp_token holds a single presentation where an array of them is due.',
    ],
    ['no vp_token', { state: 'STATE' }, 'Parameter vp_token is missing.'],
    [
      'a JWE that was not requested',
      { response: 'a.b.c.d.e' },
      'Response is encrypted, which the request does not ask for.',
    ],
  ]
  it.each(GARBAGE)('%s', async (_, form, sentence) => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const sent = form.state === 'STATE' ? { ...form, state: payload.state } : form
    await world.expectStillOpen(request, await postForm(payload.response_uri, sent), sentence)
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    expect((await answer(payload, { purchase: [presentation] })).status).toBe(200)
  })

  const ENCRYPTED: [string, (payload: RequestPayload) => Promise<Record<string, string>>, string][] = [
    [
      'no response',
      async ({ state }) => ({ vp_token: '{}', state }),
      'Parameter response is missing: the request asks for an encrypted answer.',
    ],
    ['a response that is not a JWE', async () => ({ response: 'garbage' }), 'Response is not a compact JWE.'],
    [
      'a JWE that does not decrypt',
      async (payload) => ({ response: `${(await encrypt(payload, {})).slice(0, -4)}AAAA` }),
      'Response cannot be decrypted.',
    ],
    [
      'a JWE by another algorithm',
      async (payload) => {
        const kid = payload.client_metadata.jwks?.keys[0].kid
        const header = Buffer.from(
          JSON.stringify({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2_000_000_000, p2s: 'AAAA', kid }),
        )
        return { response: `${header.toString('base64url')}.AAAA.AAAA.AAAA.AAAA` }
      },
      'Response cannot be decrypted.',
    ],
    [
      'a content encryption that was not offered',
      async (payload) => ({ response: await encrypt(payload, { state: payload.state }, { enc: 'A128CBC-HS256' }) }),
      'Response cannot be decrypted.',
    ],
    [
      'a JWE without state',
      async (payload) => ({ response: await encrypt(payload, { vp_token: {} }) }),
      'Parameter state is missing.',
    ],
    [
      'a JWE with the state of another request',
      async (payload) => ({ response: await encrypt(payload, { vp_token: {}, state: 'x' }) }),
      'Parameter state is not that of the request.',
    ],
    ...[['right state'], { toString: 1 }, 1, null].map((wrong): (typeof ENCRYPTED)[number] => [
      `a JWE whose state is no text: ${JSON.stringify(wrong)}`,
      async (payload) => {
        const state = Array.isArray(wrong) ? [payload.state] : wrong
        return { response: await encrypt(payload, { vp_token: {}, state }) }
      },
      'Parameter state is not a string.',
    ]),
    [
      'a JWE with a vp_token that is a text',
      async (payload) => ({ response: await encrypt(payload, { vp_token: '{}', state: payload.state }) }),
      'Parameter vp_token is not a JSON object of arrays.',
    ],
  ]
  it.each(ENCRYPTED)('encrypted: %s', async (_, form, sentence) => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt', { responseMode: 'direct_post.jwt' })
    await world.expectStillOpen(request, await postForm(payload.response_uri, await form(payload)), sentence)
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    expect((await answer(payload, { purchase: [presentation] })).status).toBe(200)
  })

  it('a decompression bomb in a JWE', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt', { responseMode: 'direct_post.jwt' })
    const [key] = payload.client_metadata.jwks?.keys ?? []
    const bomb = await new CompactEncrypt(deflateRawSync(Buffer.alloc(50_000_000)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: key?.kid ?? '', zip: 'DEF' })
      .encrypt(await importJWK(key as never, 'ECDH-ES'))
    const reply = await postForm(payload.response_uri, { response: bomb })
    await world.expectStillOpen(request, reply, 'Response is compressed, which is not supported.')
  })

  it('an oversized response', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const reply = await postForm(payload.response_uri, { state: payload.state, vp_token: 'x'.repeat(1_048_577) })
    expect([reply.status, reply.json.error]).toEqual([413, 'invalid_request'])
    expect((await sessionOf(world.service, request)).state).toBe('RequestUriRetrieved')
  })

  it('a repeated parameter (RFC 6749 §3.2), a body that is not a form', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const post = (body: string, type: string) =>
      fetch(payload.response_uri, { method: 'POST', body, headers: { 'content-type': type } })
    const twice = await post(`state=${payload.state}&state=${payload.state}`, 'application/x-www-form-urlencoded')
    expect([twice.status, (await twice.json()) as unknown]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'Parameter state is given more than once.' },
    ])
    const text = await post('x', 'text/plain')
    expect(text.status).toBe(415)
    expect((await sessionOf(world.service, request)).state).toBe('RequestUriRetrieved')
  })

  it('an answer before the request was fetched', async () => {
    const request = await ask(world.service, {
      dcqlQuery: dcql(world.service, 'dc+sd-jwt'),
      responseMode: 'direct_post',
    })
    const responseUri = request.request_uri.replace('/requests/', '/responses/')
    const reply = await postForm(responseUri, { error: 'access_denied', state: request.state })
    expect([reply.status, reply.json.error_description]).toEqual([400, 'Authorization request was not fetched yet.'])
    expect((await sessionOf(world.service, request)).state).toBe('RequestCreated')
  })

  it('an answer to a request that does not exist', async () => {
    const reply = await postForm(`${world.service.url}/openid4vp/responses/nothing`, { state: 'x' })
    expect([reply.status, reply.json]).toEqual([
      404,
      { error: 'invalid_request', error_description: 'Authorization request not found.' },
    ])
  })
})
