import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { linkOn, newVisitor, scannedBoth, writtenOn } from '../people-pages/actors.js'
import { contentOfQrCode, textInPng } from '../support/qr-code.js'
import { startService, type TestService } from '../support/service.js'
import { answer, ask, dcql, fetchRequest, makeWorld, present } from '../verifier/actors.js'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' }
const SHOP = 'https://shop.example/done'

let issuer: Issuer
/** The service at which offerings are made. Requests are made at `verifier`. */
let service: TestService
let verifier: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
  service = issuer.service
  verifier = await startService({ maintenance: false })
  world = await makeWorld(verifier)
})
afterAll(() => Promise.all([service.close(), verifier.close()]))

const askShop = (members: Record<string, unknown> = {}) =>
  ask(verifier, { dcqlQuery: dcql(verifier, 'dc+sd-jwt'), responseMode: 'direct_post', redirectUri: SHOP, ...members })

/** An address of a QR code, and the address that a wallet reads from this QR code. */
const CODES = {
  async offering() {
    const offering = await issuer.makeOffering()
    return { service, url: offering.qr_code_url, walletUri: offering.offering_full_url, page: /\/receive\// }
  },
  async request() {
    const asked = await askShop()
    return { service: verifier, url: asked.qr_code_url, walletUri: asked.authorizationRequestUri, page: /\/present\// }
  },
}

describe.each(Object.entries(CODES))('the QR code of an %s', (_, make) => {
  const get = (url: string, accept?: string) =>
    fetch(url, { redirect: 'manual', ...(accept === undefined ? {} : { headers: { accept } }) })

  it('is JSON with a data URI by default', async () => {
    const { url, walletUri } = await make()
    for (const accept of [undefined, '*/*', 'application/json', 'garbage;;,', 'text/plain']) {
      const answer = await get(url, accept)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
      expect(answer.headers.get('vary')).toMatch(/\baccept\b/i)
    }
    expect(await contentOfQrCode(url)).toBe(walletUri)
  })

  it('is a PNG or an SVG if requested; any page may show it, and it runs no script', async () => {
    const { url, walletUri } = await make()
    const png = await get(url, 'image/png')
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(textInPng(Buffer.from(await png.arrayBuffer()))).toBe(walletUri)
    const svg = await get(url, 'image/svg+xml')
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(await svg.text()).toMatch(/^<svg [^>]*viewBox/)
    for (const { headers } of [png, svg]) {
      expect(headers.get('vary')).toMatch(/\baccept\b/i)
      expect(headers.get('content-security-policy')).toBe("default-src 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    }
  })

  it('redirects a browser to its page, which is made on demand and is the same each time', async () => {
    const { service: of, url, walletUri, page } = await make()
    const sent = await get(url, BROWSER.accept)
    expect([sent.status, sent.headers.get('vary')]).toEqual([303, expect.stringMatching(/\baccept\b/i)])
    const location = sent.headers.get('location') ?? ''
    expect(location).toMatch(page)
    expect((await get(url, BROWSER.accept)).headers.get('location')).toBe(location)
    const shown = await newVisitor(of).open(location)
    expect([shown.status, linkOn(shown, 'Open my wallet')]).toEqual([200, walletUri])
    expect(scannedBoth(shown)).toEqual([walletUri, location])
    expect(writtenOn(shown)).toContain('A wallet is an app that stores your credentials.')
    // The address does not contain its target's id.
    expect(url).not.toContain(location.split('/').at(-1))
  })

  it('a HEAD names the address of the page, and makes no page', async () => {
    const { url } = await make()
    const looked = await fetch(url, { method: 'HEAD', redirect: 'manual', headers: BROWSER })
    const location = looked.headers.get('location') ?? ''
    expect(looked.status).toBe(303)
    expect((await fetch(location)).status).toBe(404)
    await get(url, BROWSER.accept)
    expect((await fetch(location)).status).toBe(200)
  })

  it.each(['unknown', crypto.randomUUID(), '%27%3E%3Cscript%3E', 'a'.repeat(5_000), '%0d%0aset-cookie:x=1'])(
    'of an unknown id is a page for a browser, and the 404 of the interface for other clients: %s',
    async (id) => {
      const { url } = await make()
      const path = url.replace(/[\w-]{36}/, id)
      const page = await get(path, BROWSER.accept)
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      const text = await page.text()
      expect(text).toContain('There is nothing here')
      expect(text).not.toMatch(/<script>|set-cookie/)
      expect(page.headers.get('set-cookie')).toBeNull()
      const json = await get(path)
      expect([json.status, json.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    },
  )
})

describe('the page on demand', () => {
  it.each(['9999-12-02T00:00:00.000Z', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59.999Z'])(
    'of an offering that can be taken until %s exists',
    async (expires_at) => {
      const { qr_code_url } = await issuer.makeOffering({ expires_at })
      const { status, headers } = await fetch(qr_code_url, { redirect: 'manual', headers: BROWSER })
      expect(status).toBe(303)
      expect((await newVisitor(service).open(headers.get('location') ?? '')).status).toBe(200)
    },
  )

  it('of a used-up offering says so, with the right status', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const authorization = await service.bearer('anybody')
    await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization })
    const { headers } = await fetch(offering.qr_code_url, { redirect: 'manual', headers: BROWSER })
    const page = await newVisitor(service).open(headers.get('location') ?? '')
    expect([page.status, writtenOn(page)]).toEqual([410, expect.stringContaining('has been used up.')])
  })

  it('changes nothing for wallets: they lead to the redirectUri as without the page', async () => {
    const asked = await askShop()
    const { headers } = await fetch(asked.qr_code_url, { redirect: 'manual', headers: BROWSER })
    expect((await newVisitor(verifier).open(headers.get('location') ?? '')).status).toBe(200)
    const payload = await fetchRequest(asked)
    const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
    const { json } = await answer(payload, { purchase })
    expect(json.redirect_uri).toMatch(/^https:\/\/shop\.example\/done\?response_code=/)
  })

  it('is not the page of the creator, so a stranger with the QR code cannot open that page first', async () => {
    const asked = await askShop()
    const { headers } = await fetch(asked.qr_code_url, { redirect: 'manual', headers: BROWSER })
    await newVisitor(verifier).open(headers.get('location') ?? '')
    const made = await verifier.request('POST', '/pages', {
      authorization: await verifier.bearer('verifier'),
      body: { verificationSessionId: asked.verificationSessionId, title: 'Prove your age' },
    })
    expect([made.status, made.json.url]).toEqual([201, expect.not.stringContaining(headers.get('location') ?? '')])
    const visitor = newVisitor(verifier)
    const own = await visitor.open(made.json.url)
    expect(writtenOn(own)).toContain('Prove your age')
    expect(visitor.cookie).toBeDefined()
    const again = await fetch(asked.qr_code_url, { redirect: 'manual', headers: BROWSER })
    expect(again.headers.get('location')).toBe(headers.get('location'))
  })

  it('does not exist if the QR code already has the address of a page', async () => {
    const asked = await askShop({ page: true })
    const { pageUrl } = asked as typeof asked & { pageUrl: string }
    expect(await contentOfQrCode(asked.qr_code_url)).toBe(pageUrl)
    const { headers } = await fetch(asked.qr_code_url, { redirect: 'manual', headers: BROWSER })
    expect(headers.get('location')).toBe(pageUrl)
  })
})

it('on /trpc there is only one form, for every Accept header, and no page is made', async () => {
  const { id, qr_code_url: url } = await issuer.makeOffering()
  const input = encodeURIComponent(JSON.stringify({ json: { id } }))
  const { status, json } = await service.request('GET', `/trpc/offerings.qrCode?input=${input}`, { headers: BROWSER })
  expect([status, json.result.data.json]).toEqual([200, expect.stringMatching(/^data:image\/png;base64,/)])
  const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', headers: BROWSER })
  expect((await fetch(headers.get('location') ?? '')).status).toBe(404)
})
