import { describe, expect, it } from 'vitest'
import { type Asked, answer, ask, encrypt, fetchRequest, ITEM, postForm, present, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const RETURN = 'https://shop.example/return?order=7'
const MISMATCH = 'response_code does not match.'

const asked = (body: Record<string, unknown> = {}) => world.asked('dc+sd-jwt', { redirectUri: RETURN, ...body })
type Payload = Awaited<ReturnType<typeof asked>>['payload']

const presented = async (payload: Payload, options = {}) =>
  answer(payload, { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload, options)] })

/**
 * Returns the code from the redirect of a reply. Checks that the redirect is the request's `redirect_uri` with only the
 * code added.
 */
function codeIn(reply: { json: { redirect_uri?: string } }): string {
  const url = new URL(reply.json.redirect_uri ?? 'none:')
  const code = url.searchParams.get('response_code') ?? ''
  expect(code).toMatch(/^[\w-]{43}$/)
  url.searchParams.delete('response_code')
  expect(url.href).toBe(RETURN)
  return code
}

async function result({ verificationSessionId }: Asked, code?: string, method = 'GET') {
  const query = code === undefined ? '' : `?response_code=${code}`
  const authorization = await world.service.bearer('verifier')
  const path = `/verification-sessions/${verificationSessionId}/result${query}`
  const { status, json } = await world.service.request(method, path, { authorization })
  return [status, json?.message]
}

describe('requireResponseCode (OpenID4VP 1.0 §14.2)', () => {
  it('attack: session fixation: without the code of the redirect no browser gets the result', async () => {
    const { asked: request, payload } = await asked({ requireResponseCode: true })
    const code = codeIn(await presented(payload))
    expect(await result(request)).toEqual([403, MISMATCH])
    for (const wrong of ['', 'a', code.slice(0, -1), `${code}a`]) {
      expect(await result(request, wrong)).toEqual([403, MISMATCH])
    }
    expect(await result(request, code)).toEqual([200, undefined])
  })

  it('attack: a code counts once, and for its own session', async () => {
    const [mine, other] = [await asked({ requireResponseCode: true }), await asked({ requireResponseCode: true })]
    const [code, foreign] = [codeIn(await presented(mine.payload)), codeIn(await presented(other.payload))]
    expect(await result(mine.asked, foreign)).toEqual([403, MISMATCH])
    const both = await Promise.all([result(mine.asked, code), result(mine.asked, code)])
    expect(both.map(([status]) => status).toSorted()).toEqual([200, 403])
    expect(await result(mine.asked, code)).toEqual([403, MISMATCH])
    expect(await result(other.asked, foreign)).toEqual([200, undefined])
  })

  it('a HEAD does not use up the code', async () => {
    const { asked: request, payload } = await asked({ requireResponseCode: true })
    const code = codeIn(await presented(payload))
    expect((await result(request, code, 'HEAD'))[0]).toBe(200)
    expect(await result(request, code)).toEqual([200, undefined])
    expect((await result(request, code, 'HEAD'))[0]).toBe(403)
  })

  it('is false by default: a backend without a browser can read the result, and a sent code must be right', async () => {
    const { asked: request, payload } = await asked()
    const code = codeIn(await presented(payload))
    expect(await result(request)).toEqual([200, undefined])
    expect(await result(request, 'a')).toEqual([403, MISMATCH])
    expect(await result(request, code)).toEqual([200, undefined])
  })

  it('needs an address for the return of the browser', async () => {
    const refused = await world.service.request('POST', '/authorization-requests', {
      authorization: await world.service.bearer('verifier'),
      body: { query: [ITEM], requireResponseCode: true },
    })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      ['requireResponseCode must be false or left out where redirectUri is left out'],
    ])
  })

  it('does not change an unanswered session: 409', async () => {
    const { asked: request } = await asked({ requireResponseCode: true })
    expect(await result(request)).toEqual([409, 'Verification session has no result.'])
    expect(await result(request, 'a')).toEqual([409, 'Verification session has no result.'])
  })
})

describe('every wallet receives an address for the return (OpenID4VP 1.0 §8.2, HAIP 1.0 §5.1)', () => {
  it.each(['direct_post', 'direct_post.jwt'] as const)('a user who declines is sent back (%s)', async (mode) => {
    const { asked: request, payload } = await asked({ responseMode: mode, requireResponseCode: true })
    const declined = { error: 'access_denied', error_description: 'Not today', state: payload.state }
    const form = mode === 'direct_post' ? declined : { response: await encrypt(payload, declined) }
    const reply = await postForm(payload.response_uri, form)
    expect(reply.status).toBe(200)
    const code = codeIn(reply)
    const errorMessage = 'Wallet answered access_denied: Not today'
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'Error', errorMessage })
    expect(await result(request)).toEqual([403, MISMATCH])
    expect(await result(request, code)).toEqual([409, errorMessage])
    // The code is used up.
    expect(await result(request, code)).toEqual([403, MISMATCH])
  })

  it('also after a refused presentation; the reply has the reason', async () => {
    const { asked: request, payload } = await asked()
    const reply = await presented(payload, { nonce: 'another' })
    const errorMessage = 'Presentation for purchase: Key Binding JWT nonce is not that of the request.'
    expect([reply.status, reply.json]).toEqual([
      400,
      { error: 'invalid_request', error_description: errorMessage, redirect_uri: expect.any(String) },
    ])
    const code = codeIn(reply)
    expect(await result(request)).toEqual([409, errorMessage])
    expect(await result(request, code)).toEqual([409, errorMessage])
    expect(await result(request, code)).toEqual([403, MISMATCH])
  })

  it('a stranger who does not know the request gets no address and no code', async () => {
    const { asked: request, payload } = await asked()
    for (const form of [{ error: 'access_denied' }, { error: 'access_denied', state: 'guessed' }, { vp_token: '{}' }]) {
      const reply = await postForm(payload.response_uri, form)
      expect([reply.status, Object.keys(reply.json)]).toEqual([400, ['error', 'error_description']])
    }
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
    const late = await asked()
    await presented(late.payload)
    const again = await presented(late.payload)
    expect([again.status, again.json.redirect_uri]).toEqual([400, undefined])
  })

  it('without an address in the request, the reply has none', async () => {
    const created = await ask(world.service, { query: [ITEM], responseMode: 'direct_post' })
    const payload = await fetchRequest(created)
    const reply = await postForm(payload.response_uri, { error: 'access_denied', state: payload.state })
    expect([reply.status, reply.json]).toEqual([200, {}])
    expect(await result(created)).toEqual([409, 'Wallet answered access_denied.'])
  })
})
