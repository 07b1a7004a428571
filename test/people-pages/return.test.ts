import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { ask, dcql, fetchRequest, makeWorld, postForm } from '../verifier/actors.js'
import { answerOf, askOnPage, linkOn, newVisitor, resultOf, SHOP, type Visitor, writtenOn } from './actors.js'

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  service = await startService()
  world = await makeWorld(service)
})
afterAll(() => service.close())

/**
 * Makes a page that a browser has opened, and lets a wallet answer. Also returns the address to which the wallet sends
 * the user.
 */
async function answered(members: Record<string, unknown> = {}, visitor: Visitor = newVisitor(service)) {
  const page = await askOnPage(service, members)
  await visitor.open(page.pageUrl)
  const back = await answerOf(world, page)
  return { page, visitor, back, code: new URL(back).searchParams.get('response_code') ?? '' }
}

const WITHHELD = 'This request was opened in another browser. The result is shown only there.'

describe('coming back from a wallet (OpenID4VP 1.0 §13.3, §14.2)', () => {
  it('the first browser continues to the address of the request, with a valid code', async () => {
    const { page, visitor, back, code } = await answered()
    expect(back).toBe(`${page.pageUrl}/return?response_code=${code}`)
    const sent = await visitor.open(back)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${SHOP}?response_code=${code}`])
    expect(sent.headers.get('cache-control')).toBe('no-store')
    const result = await resultOf(service, page, code)
    expect(result.json.credentials[0].claims).toEqual({ product: 'Espresso machine' })
    expect((await resultOf(service, page, code)).status).toBe(403)
  })

  it('the page does not use up the code, even if the browser returns several times', async () => {
    const { page, visitor, back, code } = await answered()
    for (let times = 0; times < 2; times += 1) expect((await visitor.open(back)).status).toBe(303)
    expect((await resultOf(service, page, code)).status).toBe(200)
  })

  it.each([
    ['a browser without the cookie', () => newVisitor(service)],
    [
      'a browser with an invented cookie',
      () => Object.assign(newVisitor(service), { cookie: `presentation=${'A'.repeat(43)}` }),
    ],
  ])('%s learns that another browser is the first, and gets nothing', async (_, another) => {
    const { page, back } = await answered()
    const refused = await another().open(back)
    expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
    expect(writtenOn(refused)).toContain(WITHHELD)
    expect(refused.text).not.toContain('shop.example')
    expect((await resultOf(service, page)).status).toBe(403)
  })

  it('a second browser is not the first, although it can see the page', async () => {
    const page = await askOnPage(service)
    const [first, second] = [newVisitor(service), newVisitor(service)]
    await first.open(page.pageUrl)
    const seen = await second.open(page.pageUrl)
    expect([seen.status, second.cookie]).toEqual([200, undefined])
    const back = await answerOf(world, page)
    expect((await second.open(back)).status).toBe(403)
    expect((await first.open(back)).status).toBe(303)
  })

  it.each([
    ['no code', () => ''],
    ['the code of another session', (other: string) => `?response_code=${other}`],
  ])('the first browser with %s gets nothing', async (_, query) => {
    const { page, visitor } = await answered()
    const other = await answered()
    const refused = await visitor.open(`${page.pageUrl}/return${query(other.code)}`)
    expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
  })

  it('no browser continues before the wallet has answered', async () => {
    const page = await askOnPage(service)
    const visitor = newVisitor(service)
    await visitor.open(page.pageUrl)
    expect((await visitor.open(`${page.pageUrl}/return?response_code=`)).status).toBe(403)
  })

  it('an error of the wallet leads back too, and the code gives its message', async () => {
    const page = await askOnPage(service)
    const visitor = newVisitor(service)
    await visitor.open(page.pageUrl)
    const { response_uri, state } = await fetchRequest(page)
    const { json } = await postForm(response_uri, { state, error: 'access_denied' })
    const sent = await visitor.open(json.redirect_uri)
    const code = new URL(sent.headers.get('location') ?? '').searchParams.get('response_code') ?? ''
    const result = await resultOf(service, page, code)
    expect([result.status, result.json.message]).toEqual([409, 'Wallet answered access_denied.'])
  })

  it('without an address for the return, the first browser sees the outcome', async () => {
    const { visitor, back } = await answered({ redirectUri: undefined })
    const shown = await visitor.open(back)
    expect([shown.status, writtenOn(shown)]).toEqual([
      200,
      `${new URL(service.url).host} Show a credential Done. Your answer was accepted.`,
    ])
    expect(writtenOn(await newVisitor(service).open(back))).toContain(WITHHELD)
  })

  it('if the result needs no code, the page itself leads on, only in the first browser', async () => {
    const { page, visitor } = await answered({ requireResponseCode: false })
    expect(linkOn(await visitor.open(page.pageUrl), 'Go on')).toBe(SHOP)
    expect(linkOn(await newVisitor(service).open(page.pageUrl), 'Go on')).toBeUndefined()
    const careful = await answered()
    expect(linkOn(await careful.visitor.open(careful.page.pageUrl), 'Go on')).toBeUndefined()
  })

  it.each([
    [false, 'Continue in the browser in which you opened the page.'],
    [true, 'Start again: open the page on the device with your wallet.'],
  ])('another browser sees the remaining options: if the code is needed (%s), %s', async (required, told) => {
    const { back } = await answered({ requireResponseCode: required })
    expect(writtenOn(await newVisitor(service).open(back))).toContain(`${WITHHELD} ${told}`)
  })

  it('a wallet also returns to a page that was made after the request', async () => {
    const asked = await ask(service, {
      dcqlQuery: dcql(service, 'dc+sd-jwt'),
      responseMode: 'direct_post',
      redirectUri: SHOP,
    })
    const { json } = await service.request('POST', '/pages', {
      authorization: await service.bearer('verifier'),
      body: { verificationSessionId: asked.verificationSessionId },
    })
    const visitor = newVisitor(service)
    await visitor.open(json.url)
    const back = await answerOf(world, asked)
    expect(back.startsWith(`${json.url}/return?`)).toBe(true)
    expect((await visitor.open(back)).headers.get('location')).toMatch(/^https:\/\/shop\.example\/done\?response_code=/)
  })

  it('an app’s own address is opened unchanged', async () => {
    const { visitor, back, code } = await answered({ redirectUri: 'com.example.shop:/done?order=1#top' })
    const { headers } = await visitor.open(back)
    expect(headers.get('location')).toBe(`com.example.shop:/done?order=1&response_code=${code}#top`)
  })
})

describe('the first browser', () => {
  it.each([
    ['a HEAD, as link previews send it', 'HEAD', {}],
    ['a browser that prefetches', 'GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['an older browser that prefetches', 'GET', { purpose: 'prefetch' }],
    ['a script or an image that loads the page', 'GET', { 'sec-fetch-dest': 'empty' }],
  ] as const)('is not %s', async (_, method, headers) => {
    const page = await askOnPage(service)
    const looked = await service.request(method, new URL(page.pageUrl).pathname, { headers })
    expect(looked.headers.get('set-cookie')).toBeNull()
    const visitor = newVisitor(service)
    await visitor.open(page.pageUrl, { 'sec-fetch-dest': 'document' })
    expect((await visitor.open(await answerOf(world, page))).status).toBe(303)
  })

  it('a prefetch of a page is refused, so that the browser requests the page again when a user opens it', async () => {
    const { pageUrl } = await askOnPage(service)
    expect((await newVisitor(service).open(pageUrl, { 'sec-purpose': 'prefetch' })).status).toBe(503)
  })

  it('several pages in one browser share its cookie', async () => {
    const visitor = newVisitor(service)
    const pages = [await askOnPage(service), await askOnPage(service)]
    for (const page of pages) await visitor.open(page.pageUrl)
    const { cookie } = visitor
    for (const page of pages) expect((await visitor.open(await answerOf(world, page))).status).toBe(303)
    expect(visitor.cookie).toBe(cookie)
  })

  it('a page opened twice at once has one first browser', async () => {
    const page = await askOnPage(service)
    const visitors = Array.from({ length: 10 }, () => newVisitor(service))
    await Promise.all(visitors.map((visitor) => visitor.open(page.pageUrl)))
    expect(visitors.filter(({ cookie }) => cookie !== undefined)).toHaveLength(1)
    const back = await answerOf(world, page)
    const sent = await Promise.all(visitors.map((visitor) => visitor.open(back)))
    expect(sent.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 403)])
  })

  it('a browser that opens the page only after the end is not the first browser', async () => {
    const page = await askOnPage(service)
    const back = await answerOf(world, page)
    const late = newVisitor(service)
    const shown = await late.open(page.pageUrl)
    expect([shown.status, late.cookie]).toEqual([200, undefined])
    expect((await late.open(back)).status).toBe(403)
    // A browser that already has the cookie from a different page is refused too.
    const known = (await answered()).visitor
    await known.open(page.pageUrl)
    expect((await known.open(back)).status).toBe(403)
  })

  it('is known by a cookie that scripts and other sites do not get; over https it is tied to the host', async () => {
    const { pageUrl } = await askOnPage(service)
    const opened = await newVisitor(service).open(pageUrl)
    expect(opened.headers.get('set-cookie')).toMatch(
      /^presentation=[\w-]{43}; Path=\/; Max-Age=90000; HttpOnly; SameSite=Lax$/,
    )
    await using secure = await startService({
      env: { ISSUER_BASE_URL: 'https://issuer.example', VERIFIER_BASE_URL: 'https://verifier.example' },
    })
    const page = await askOnPage(secure)
    expect(page.pageUrl).toMatch(/^https:\/\/verifier\.example\/present\/[\w-]+$/)
    const { headers, text } = await newVisitor(secure).open(page.pageUrl)
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-presentation=[\w-]{43}; Path=\/; Max-Age=90000; HttpOnly; SameSite=Lax; Secure$/,
    )
    // The page loads its files from its own origin, as its policy demands.
    expect(text).toContain('href="https://verifier.example/pages/style.css"')
    expect(text).not.toContain('issuer.example/pages')
    const unknown = await newVisitor(secure).open('/present/unknown')
    expect(unknown.text).toContain('href="https://verifier.example/pages/style.css"')
  })
})
