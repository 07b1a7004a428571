import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query as sql } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { answer, fetchRequest, makeWorld, present } from '../verifier/actors.js'
import { answerOf, askOnPage, newVisitor, type Page, resultOf, SHOP, type Visitor, writtenOn } from './actors.js'

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  service = await startService()
  world = await makeWorld(service)
})
afterAll(() => service.close())

const DECLINED = 'Declined by the holder.'
const NOT_DECLINED = 'Only the browser that opened this page first can decline. Nothing has changed.'

/** The token in the form of a page; undefined without a form. */
const tokenOn = ({ text }: { readonly text: string }) => /name="token" value="([^"]+)"/.exec(text)?.[1]

/** Sends the form of a page, as a browser does without script. */
const send = (page: Pick<Page, 'pageUrl'>, { cookie }: Pick<Visitor, 'cookie'>, token: string | undefined) =>
  service.request('POST', `${new URL(page.pageUrl).pathname}/decline`, {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: new URLSearchParams(token === undefined ? {} : { token }).toString(),
  })

/** A request whose page a browser has opened. */
async function opened(members: Record<string, unknown> = {}) {
  const page = await askOnPage(service, members)
  const visitor = newVisitor(service)
  const shown = await visitor.open(page.pageUrl)
  return { page, visitor, shown, token: tokenOn(shown) }
}

const sessionOf = async ({ verificationSessionId }: Pick<Page, 'verificationSessionId'>) =>
  (
    await service.request('GET', `/verification-sessions/${verificationSessionId}`, {
      authorization: await service.bearer('verifier'),
    })
  ).json

describe('declining on the page of a request', () => {
  it('ends the session without a wallet, and leads the person on with a code', async () => {
    const { page, visitor, token } = await opened()
    const sent = await send(page, visitor, token)
    expect(sent.status).toBe(303)
    const location = sent.headers.get('location') ?? ''
    expect(location.startsWith(`${SHOP}?response_code=`)).toBe(true)
    expect(await sessionOf(page)).toMatchObject({ state: 'Error', errorMessage: DECLINED })
    const code = new URL(location).searchParams.get('response_code') ?? ''
    const result = await resultOf(service, page, code)
    expect([result.status, result.json.message]).toEqual([409, DECLINED])
    expect((await resultOf(service, page)).status).toBe(403)
  })

  it('without an address for the return, leads to the page, which says that the person declined', async () => {
    const { page, visitor, token } = await opened({ redirectUri: undefined })
    const sent = await send(page, visitor, token)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, page.pageUrl])
    expect(writtenOn(await visitor.open(page.pageUrl))).toContain('You declined. Nothing was shown.')
    const stranger = writtenOn(await newVisitor(service).open(page.pageUrl))
    expect(stranger).not.toContain('declined')
  })

  it('is possible after a wallet has fetched the request; the wallet then gets no answer through', async () => {
    const { page, visitor, token } = await opened()
    const payload = await fetchRequest(page)
    expect((await send(page, visitor, token)).status).toBe(303)
    const late = await answer(payload, { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)] })
    expect(late.status).toBe(400)
    expect(await sessionOf(page)).toMatchObject({ state: 'Error', errorMessage: DECLINED })
  })

  it('is recorded in audit events, and deletes the secrets of the session', async () => {
    const { page, visitor, token } = await opened()
    await send(page, visitor, token)
    const id = [page.verificationSessionId]
    const actions = await sql(
      service.databaseUrl,
      'SELECT action FROM audit_events WHERE subject_id = $1 ORDER BY id DESC LIMIT 1',
      id,
    )
    expect(actions).toEqual([{ action: 'presentation.declined' }])
    expect(await sql(service.databaseUrl, 'SELECT secrets FROM verification_sessions WHERE id = $1', id)).toEqual([
      { secrets: null },
    ])
  })

  it('of two decisions at once, one counts', async () => {
    const { page, visitor, token } = await opened()
    const sent = await Promise.all(Array.from({ length: 8 }, () => send(page, visitor, token)))
    expect(sent.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 7 }, () => 409)])
  })

  it('after an answer, the page says that the answer was accepted', async () => {
    const { page, visitor, token } = await opened()
    await answerOf(world, page)
    const sent = await send(page, visitor, token)
    expect([sent.status, writtenOn(sent).includes('Done. Your answer was accepted.')]).toEqual([409, true])
    expect(await sessionOf(page)).toMatchObject({ state: 'ResponseVerified' })
  })

  it('after the expiry, the page says that the request has expired', async () => {
    const { page, visitor, token } = await opened()
    await sql(
      service.databaseUrl,
      `UPDATE verification_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [page.verificationSessionId],
    )
    const sent = await send(page, visitor, token)
    expect([sent.status, writtenOn(sent).includes('The request has expired.')]).toEqual([410, true])
  })

  it('at an unknown page is a 404', async () => {
    const { visitor, token } = await opened()
    const sent = await send({ pageUrl: `${service.url}/present/unknown` }, visitor, token)
    expect(sent.status).toBe(404)
  })
})

describe('attacks: a stranger who has seen the code ends nothing', () => {
  /** Sends a form and checks that it was refused and changed nothing. */
  async function expectRefused(page: Page, visitor: Pick<Visitor, 'cookie'>, token: string | undefined) {
    const sent = await send(page, visitor, token)
    expect([sent.status, writtenOn(sent).includes(NOT_DECLINED)]).toEqual([403, true])
    expect(await sessionOf(page)).toMatchObject({ state: 'RequestCreated' })
  }

  it('the page of another browser has no form', async () => {
    const { page } = await opened()
    expect(tokenOn(await newVisitor(service).open(page.pageUrl))).toBeUndefined()
  })

  it('a browser without the cookie, with the token of the first browser', async () => {
    const { page, token } = await opened()
    await expectRefused(page, { cookie: undefined }, token)
  })

  it('a browser with its own cookie and the token of the first browser', async () => {
    const { page, token } = await opened()
    const other = await opened()
    await expectRefused(page, other.visitor, token)
  })

  it('a browser with its own cookie and its own token for another page', async () => {
    const { page } = await opened()
    const other = await opened()
    await expectRefused(page, other.visitor, other.token)
  })

  it.each([
    ['no token', undefined],
    ['an empty token', ''],
    ['an invented token', 'A'.repeat(43)],
  ])('another site that sends the form of the first browser with %s', async (_, token) => {
    const { page, visitor } = await opened()
    await expectRefused(page, visitor, token)
  })

  it('the token of the same browser for another page', async () => {
    const { page, visitor } = await opened()
    const second = await askOnPage(service)
    const token = tokenOn(await visitor.open(second.pageUrl))
    await expectRefused(page, visitor, token)
  })

  it('a page that no browser has opened: a browser with the right form of its own is not the first', async () => {
    const page = await askOnPage(service)
    const { visitor, token } = await opened()
    await expectRefused(page, visitor, token)
  })
})
