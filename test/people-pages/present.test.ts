import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movingClock } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { startService, type TestService } from '../support/service.js'
import { recordStatements } from '../support/statements.js'
import { ask, dcql, fetchRequest, ITEM, makeWorld, postForm } from '../verifier/actors.js'
import {
  answerOf,
  askOnPage,
  linkOn,
  newVisitor,
  resultOf,
  SHOP,
  scannedBoth,
  type Visitor,
  writtenOn,
} from './actors.js'

const CLOCK = movingClock()
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self' https://shop.example"

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  service = await startService({ clock: CLOCK.now, maintenance: false })
  world = await makeWorld(service)
})
afterAll(() => service.close())

const open = (url: string) => newVisitor(service).open(url)
const host = () => new URL(service.url).host
const eventsOf = async (pageUrl: string, { cookie }: Pick<Visitor, 'cookie'> = { cookie: undefined }) =>
  readEvents(service, `${new URL(pageUrl).pathname}/events`, cookie === undefined ? {} : { cookie })

type Asked = Awaited<ReturnType<typeof askOnPage>>

/** Makes a request, and opens its page in a first browser. */
async function begun() {
  const asked = await askOnPage(service)
  const own = newVisitor(service)
  await own.open(asked.pageUrl)
  return { asked, own }
}

/** A browser that is bound to the page of a different request. */
const beginnerElsewhere = async () => (await begun()).own

async function postAnswer(asked: Asked, members: Record<string, string>) {
  const { response_uri, state } = await fetchRequest(asked)
  return postForm(response_uri, { state, ...members })
}

async function nextOf(stream: Awaited<ReturnType<typeof readEvents>>) {
  return JSON.parse((await stream.next()).data ?? '')
}

const makePage = async (body: Record<string, unknown>, sub = 'verifier', claims = {}) =>
  service.request('POST', '/pages', { authorization: await service.bearer(sub, claims), body })

describe('the page of a request', () => {
  it('shows the verifier, the requested claims, the QR code, a link and the time left, but never the session’s id', async () => {
    const asked = await askOnPage(service)
    const page = await open(asked.pageUrl)
    expect(page.status).toBe(200)
    const text = writtenOn(page)
    expect(text).toContain(new URL(service.url).host)
    expect(text).toContain('Proof of purchase You show product')
    expect(text).toMatch(/Time left: 5 minutes|Time left: 4 minutes/)
    expect(text).toContain('Waiting for your wallet.')
    expect(scannedBoth(page)).toEqual([asked.pageUrl, asked.authorizationRequestUri])
    expect(linkOn(page, 'Open my wallet')).toBe(asked.authorizationRequestUri)
    expect(page.text).not.toContain(asked.verificationSessionId)
    expect(asked.pageUrl).not.toContain(asked.verificationSessionId)
  })

  it('works without script: state and time are text, and a link reloads the page', async () => {
    const asked = await askOnPage(service)
    const page = await open(asked.pageUrl)
    expect(page.text).not.toMatch(/<script(?! src=)|\son\w+=|style=/)
    expect(linkOn(page, 'Reload this page to see the progress')).toBe(asked.pageUrl)
    await fetchRequest(asked)
    expect(writtenOn(await open(asked.pageUrl))).toContain('Waiting for your answer.')
  })

  it('has the policy of pages and is not cached', async () => {
    const { headers, text } = await open((await askOnPage(service)).pageUrl)
    expect(headers.get('content-security-policy')).toBe(POLICY)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(text).toContain('<html lang="en" dir="ltr">')
    const script = await service.request('GET', '/pages/live.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it('QR code and link lead to the wallet of the request', async () => {
    const asked = await askOnPage(service, { walletUrl: 'https://wallet.example/authorize' })
    const page = await open(asked.pageUrl)
    const { walletUri } = asked
    expect(walletUri).toContain('https://wallet.example/authorize?')
    expect([scannedBoth(page), linkOn(page, 'Open my wallet')]).toEqual([[asked.pageUrl, walletUri], walletUri])
  })

  it('for a request by VP query items, a credential with two possible formats is shown once', async () => {
    const asked = await askOnPage(service, { dcqlQuery: undefined, query: [ITEM] })
    const text = writtenOn(await open(asked.pageUrl))
    expect(text.match(/Proof of purchase/g)).toHaveLength(1)
    expect(text).not.toContain('product or')
  })

  it('for a request without claims, each way to answer says how much it discloses', async () => {
    const type = { path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }
    const asked = await askOnPage(service, { dcqlQuery: undefined, query: [{ fields: [type] }] })
    expect(writtenOn(await open(asked.pageUrl))).toContain(
      'Proof of purchase Only the claims that it always shows or Proof of purchase All of its claims',
    )
  })

  it('titles come from the schema; types and claims of other issuers have their names', async () => {
    await service.request('POST', '/schemas', {
      authorization: await service.bearer('issuer'),
      body: {
        name: 'Membership',
        version: 1,
        display: [{ name: 'Member’s card' }],
        schema: {
          type: 'object',
          properties: {
            home: { type: 'object', title: 'Address', properties: { street: { type: 'string', title: 'Street' } } },
          },
        },
      },
    })
    const card = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [`${service.url}/vct/Membership`] } }
    const other = {
      id: 'other',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1', 'https://x.example/id_card/v1.0'] },
    }
    const page = await askOnPage(service, {
      dcqlQuery: {
        credentials: [
          { ...card, claims: [{ path: ['home', 'street'] }] },
          { ...other, claims: [{ path: ['given_name'] }, { path: ['nationalities', null] }] },
        ],
        credential_sets: [{ options: [['card'], ['other']] }, { options: [['card']], required: false }],
      },
    })
    const text = writtenOn(await open(page.pageUrl))
    expect(text).toContain(
      'Member’s card You show Address › Street or pid or id card You show given name nationalities',
    )
    expect(text).toContain('Member’s card You show Address › Street (optional)')
  })

  it('a view is one statement', async () => {
    const { pageUrl } = await askOnPage(service)
    const record = recordStatements()
    try {
      await open(pageUrl)
      await open(pageUrl)
      expect(record.sent()).toHaveLength(2)
    } finally {
      record.stop()
    }
  })

  it('a request with a page is made and answered in as many statements as without', async () => {
    const record = recordStatements()
    try {
      const counts: number[] = []
      // During the first answer the service also reads data that it then caches. So only the later rounds are compared.
      for (const page of [false, false, true]) {
        record.clear()
        const asked = await askOnPage(service, { page })
        counts.push(record.sent().length)
        record.clear()
        await answerOf(world, asked)
        counts.push(record.sent().length)
      }
      expect(counts.slice(4)).toEqual(counts.slice(2, 4))
      // Two statements create the request. Four are for the answer: one fetches the request, and three check and store
      // the answer.
      expect(counts.slice(4)).toEqual([2, 4])
    } finally {
      record.stop()
    }
  })
})

describe('its end', () => {
  it('the page of an ended request shows one sentence, no result and no way to answer', async () => {
    const { asked, own } = await begun()
    await answerOf(world, asked)
    const page = await own.open(asked.pageUrl)
    expect([page.status, writtenOn(page)]).toEqual([
      200,
      `${host()} Show a credential Done. Your answer was accepted. Continue on the page that your wallet opened.`,
    ])
    expect(page.text).not.toContain('Espresso')
    expect(page.text).not.toContain('<img')
  })

  it('a declined request is shown as declined, without the message of the wallet', async () => {
    const { asked, own } = await begun()
    const { response_uri, state } = await fetchRequest(asked)
    await postForm(response_uri, { state, error: 'access_denied', error_description: 'Ada has no card' })
    expect(writtenOn(await own.open(asked.pageUrl))).toBe(
      `${host()} Show a credential The wallet declined. Nothing was shown. Continue on the page that your wallet opened.`,
    )
  })

  it('a refused presentation is shown as refused, without the reason', async () => {
    const { asked, own } = await begun()
    const { response_uri, state } = await fetchRequest(asked)
    expect((await postForm(response_uri, { state, vp_token: '{"purchase":["x"]}' })).status).toBe(400)
    const text = writtenOn(await own.open(asked.pageUrl))
    expect(text).toContain('The wallet’s answer was not accepted.')
    expect(text).not.toContain('purchase')
  })

  it('is hidden from browsers other than the first, on the page and in its events', async () => {
    const declined = async (asked: Awaited<ReturnType<typeof askOnPage>>) => {
      const { response_uri, state } = await fetchRequest(asked)
      await postForm(response_uri, { state, error: 'access_denied' })
    }
    for (const [act, told] of [
      [(asked: Awaited<ReturnType<typeof askOnPage>>) => answerOf(world, asked), 'Done. Your answer was accepted.'],
      [declined, 'The wallet declined. Nothing was shown.'],
    ] as const) {
      const asked = await askOnPage(service)
      const own = newVisitor(service)
      await own.open(asked.pageUrl)
      await using theirs = await eventsOf(asked.pageUrl)
      await using mine = await readEvents(service, `${new URL(asked.pageUrl).pathname}/events`, {
        cookie: own.cookie ?? '',
      })
      for (const stream of [theirs, mine]) expect((await nextOf(stream)).state).toBe('RequestCreated')
      await act(asked)
      const withheld = 'This request was opened in another browser. The result is shown only there.'
      expect(writtenOn(await open(asked.pageUrl))).toBe(`${host()} Show a credential ${withheld}`)
      expect(writtenOn(await own.open(asked.pageUrl))).toContain(told)
      for (const stream of [theirs, mine]) expect((await nextOf(stream)).state).toBe('RequestUriRetrieved')
      expect(await nextOf(theirs)).toEqual({ state: 'Ended', message: withheld })
      expect((await nextOf(mine)).message).toBe(told)
    }
  })

  it.each([
    ['accepted', (asked: Asked) => answerOf(world, asked)],
    ['refused', (asked: Asked) => postAnswer(asked, { vp_token: '{"purchase":["x"]}' })],
    ['declined', (asked: Asked) => postAnswer(asked, { error: 'access_denied' })],
  ])('is hidden from each browser that opens the page after it: an answer that was %s', async (_, act) => {
    for (const members of [{}, { redirectUri: undefined }, { requireResponseCode: false }]) {
      const asked = await askOnPage(service, members)
      await act(asked)
      const used = 'This link has been used or has expired. If you need another link, ask the sender.'
      for (const late of [newVisitor(service), await beginnerElsewhere()]) {
        const page = await late.open(asked.pageUrl)
        expect([page.status, writtenOn(page)]).toEqual([200, `${host()} Show a credential ${used}`])
        await using events = await eventsOf(asked.pageUrl, late)
        expect(await nextOf(events)).toEqual({ state: 'Ended', message: used })
      }
    }
  })

  it('the page of an expired request is a 410, and of an unknown request a 404', async () => {
    const asked = await askOnPage(service, { validity: 60 })
    CLOCK.ahead += 90
    const page = await open(asked.pageUrl)
    CLOCK.ahead = 0
    expect([page.status, writtenOn(page)]).toEqual([
      410,
      `${host()} Show a credential The request has expired. Nothing was accepted.`,
    ])
    const unknown = await open(`${service.url}/present/${crypto.randomUUID()}`)
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(writtenOn(unknown)).toContain('This page does not exist')
    const strange = await open(`${service.url}/present/%00`)
    expect([400, 404]).toContain(strange.status)
  })

  it('pages are deleted with their sessions, and the remaining rows at their own time', async () => {
    const asked = await askOnPage(service)
    await answerOf(world, asked)
    const later = new Date(CLOCK.now().getTime() + 400 * 86_400_000)
    expect((await service.platform.stores.pages.removeExpired(CLOCK.now(), 100)).count).toBe(0)
    await service.platform.stores.verificationSessions.removeEnded(later, 1_000)
    expect((await open(asked.pageUrl)).status).toBe(404)
    const left = await askOnPage(service)
    expect((await service.platform.stores.pages.removeExpired(later, 1_000)).count).toBeGreaterThan(0)
    expect((await open(left.pageUrl)).status).toBe(404)
  })
})

describe('its events', () => {
  it('have only a state and a sentence, and end with the last state', async () => {
    const { asked, own } = await begun()
    await using stream = await eventsOf(asked.pageUrl, own)
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    expect(await nextOf(stream)).toEqual({ state: 'RequestCreated', message: 'Waiting for your wallet.' })
    await answerOf(world, asked)
    expect((await nextOf(stream)).state).toBe('RequestUriRetrieved')
    expect(await nextOf(stream)).toEqual({
      state: 'ResponseVerified',
      message: 'Done. Your answer was accepted.',
    })
    await expect(stream.next()).rejects.toThrow('The stream ended')
  })

  it('do not contain the reason of the session', async () => {
    const { asked, own } = await begun()
    await using stream = await eventsOf(asked.pageUrl, own)
    await nextOf(stream)
    const { response_uri, state } = await fetchRequest(asked)
    await postForm(response_uri, { state, error: 'access_denied', error_description: 'Ada has no card' })
    await nextOf(stream)
    const ended = await stream.next()
    expect(JSON.parse(ended.data ?? '')).toEqual({
      state: 'Error',
      message: 'The wallet declined. Nothing was shown.',
    })
  })

  it('have at most 20 streams for one page; unknown pages have none', async () => {
    const asked = await askOnPage(service)
    const streams = await Promise.all(Array.from({ length: 20 }, () => eventsOf(asked.pageUrl)))
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await service.request('GET', `${new URL(asked.pageUrl).pathname}/events`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    await using other = await eventsOf((await askOnPage(service)).pageUrl)
    expect(other.status).toBe(200)
    for (const stream of streams) await stream[Symbol.asyncDispose]()
    expect((await service.request('GET', `/present/${crypto.randomUUID()}/events`)).status).toBe(404)
  })
})

describe('POST /pages', () => {
  it('makes the page of an existing request, with texts that are shown unchanged', async () => {
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })
    const texts = { title: 'Pay <less> & "more"', text: "<script>alert('x')</script>" }
    const made = await makePage({ verificationSessionId: asked.verificationSessionId, ...texts })
    expect(made.status, made.text).toBe(201)
    const page = await open(made.json.url)
    expect(page.text).not.toContain('<script>')
    expect(writtenOn(page)).toContain(texts.title)
    expect(writtenOn(page)).toContain(texts.text)
  })

  it.each(['title', 'text'])('a %s without visible characters is refused', async (member) => {
    const { verificationSessionId } = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })
    const refused = await makePage({ verificationSessionId, [member]: ' \n ' })
    expect([refused.status, refused.json.message]).toEqual([400, [`${member} must not be empty`]])
  })

  it('a request has one page: a second call sets the new texts', async () => {
    const asked = await askOnPage(service)
    const again = await makePage({ verificationSessionId: asked.verificationSessionId, title: 'Members first' })
    expect(again.json.url).toBe(asked.pageUrl)
    expect(writtenOn(await open(asked.pageUrl))).toContain('Members first')
  })

  it('accepts exactly one target, and texts of limited length', async () => {
    const id = 'x'
    for (const [body, message] of [
      [{}, 'must hold exactly one of'],
      [{ verificationSessionId: id, offeringId: id }, 'must hold exactly one of'],
      [{ verificationSessionId: id, title: 'x'.repeat(121) }, 'title'],
      [{ verificationSessionId: id, text: 'x'.repeat(1_001) }, 'text'],
      [{ verificationSessionId: id, other: true }, 'property other should not exist'],
    ] as const) {
      const refused = await makePage(body)
      expect([refused.status, String(refused.json.message)]).toEqual([400, expect.stringContaining(message)])
    }
  })

  it('is for the request’s creator and for admins', async () => {
    const { verificationSessionId } = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })
    expect((await service.request('POST', '/pages', { body: { verificationSessionId } })).status).toBe(401)
    const refused = await makePage({ verificationSessionId }, 'mallory')
    expect([refused.status, refused.json.message]).toEqual([403, 'verificationSessionId belongs to another caller.'])
    expect((await makePage({ verificationSessionId }, 'root', { roles: ['admin'] })).status).toBe(201)
    const unknown = await makePage({ verificationSessionId: crypto.randomUUID() })
    expect([unknown.status, unknown.json.message]).toEqual([404, 'verificationSessionId is unknown.'])
  })

  it('makes no page for a request that has ended', async () => {
    const asked = await askOnPage(service)
    await answerOf(world, asked)
    const refused = await makePage({ verificationSessionId: asked.verificationSessionId })
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'verificationSessionId has ended: no page can be made of it.',
    ])
  })

  it('with a page, the result waits for the response code unless the request says otherwise', async () => {
    const waiting = await askOnPage(service)
    await answerOf(world, waiting)
    expect((await resultOf(service, waiting)).status).toBe(403)
    const open = await askOnPage(service, { requireResponseCode: false })
    await answerOf(world, open)
    expect((await resultOf(service, open)).status).toBe(200)
    const nowhere = await askOnPage(service, { redirectUri: undefined })
    await answerOf(world, nowhere)
    expect((await resultOf(service, nowhere)).status).toBe(200)
    expect(SHOP).toBe('https://shop.example/done')
  })
})
