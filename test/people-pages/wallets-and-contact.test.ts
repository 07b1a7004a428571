import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, movingClock, startIssuer } from '../issuer/openid4vci/actors.js'
import { query as sql } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { makeWorld } from '../verifier/actors.js'
import { answerOf, askOnPage, linkOn, newVisitor, writtenOn } from './actors.js'

const LOGO = 'data:image/png;base64,iVBORw0KGgo='
const WALLETS = [
  {
    name: 'Example Wallet',
    ios: 'https://apps.apple.com/app/id1',
    android: 'https://play.google.com/store/apps/x',
    logo: LOGO,
  },
  { name: 'Second <Wallet>', web: 'https://wallet.example', logo: '/images/second.png' },
]
const CONTACT = 'help@verifier.example'

const CLOCK = movingClock()

let issuer: Issuer
let verifier: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  const env = { WALLET_LINKS: JSON.stringify(WALLETS), SERVICE_CONTACT: CONTACT }
  issuer = await startIssuer({ env, clock: CLOCK.now, maintenance: false })
  verifier = await startService({ env })
  world = await makeWorld(verifier)
})
afterAll(async () => {
  await issuer?.service.close()
  await verifier?.close()
})

async function offerPage() {
  const { credentialOfferSessionId } = await issuer.makeOffer()
  const authorization = await issuer.authorization()
  const body = { credentialOfferSessionId }
  return String((await issuer.service.request('POST', '/pages', { authorization, body })).json.url)
}

const PAGES: [string, () => TestService, () => Promise<string>][] = [
  ['a request', () => verifier, async () => (await askOnPage(verifier)).pageUrl],
  ['an offer', () => issuer.service, offerPage],
]

describe('people without a wallet', () => {
  it.each(PAGES)('see the wallets of WALLET_LINKS on the page of %s, after the QR code', async (_, of, make) => {
    const page = await newVisitor(of()).open(await make())
    const text = writtenOn(page)
    expect(text).toContain(
      'No wallet yet? Install one of these apps. Then open this page again. Example Wallet App Store Google Play Second <Wallet> Website',
    )
    expect([linkOn(page, 'App Store'), linkOn(page, 'Website')]).toEqual([WALLETS[0]?.ios, WALLETS[1]?.web])
    expect(page.text).toContain(`src="${LOGO}" alt=""`)
    expect(page.text).toContain(`src="${of().url}/images/second.png" alt=""`)
    expect(page.text.indexOf('class="qr"')).toBeLessThan(page.text.indexOf('No wallet yet?'))
  })

  it('the policy of the page still allows pictures of its own origin and data URIs only', async () => {
    const { headers } = await newVisitor(issuer.service).open(await offerPage())
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data:;")
  })
})

describe('people whose link is used or expired', () => {
  const ASK = `You can ask for a new link here: ${CONTACT}`

  it('learn whom to ask on the page of an expired request', async () => {
    const { pageUrl, verificationSessionId } = await askOnPage(verifier)
    await sql(
      verifier.databaseUrl,
      `UPDATE verification_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [verificationSessionId],
    )
    const page = await newVisitor(verifier).open(pageUrl)
    expect([page.status, writtenOn(page).includes(ASK)]).toEqual([410, true])
    expect(linkOn(page, CONTACT)).toBe(`mailto:${CONTACT}`)
  })

  it('learn whom to ask on the page of an expired offer', async () => {
    const url = await offerPage()
    CLOCK.ahead = 2 * 86_400
    const page = await newVisitor(issuer.service).open(url)
    CLOCK.ahead = 0
    expect([page.status, writtenOn(page).includes(ASK)]).toEqual([410, true])
  })

  const UNKNOWN = [
    '/present/unknown',
    '/present/unknown/return?response_code=x',
    '/receive/unknown',
    '/receive/unknown/and/more',
    '/openid4vci/authorize/unknown',
    '/api/v1/verifier/qr-codes/unknown',
    '/api/v1/offerings/unknown/qr-code',
  ]

  it.each(UNKNOWN)('learn whom to ask on the page of the unknown address %s', async (path) => {
    const page = await newVisitor(verifier).open(path, { accept: 'text/html' })
    expect([page.status, writtenOn(page).includes(ASK)]).toEqual([404, true])
    expect(linkOn(page, CONTACT)).toBe(`mailto:${CONTACT}`)
  })

  it('read no contact on the page of an unknown address of a service without a contact', async () => {
    const silent = await startService()
    const page = await newVisitor(silent).open('/present/unknown')
    await silent.close()
    expect([page.status, page.text.includes('class="contact"')]).toEqual([404, false])
  })

  it('learn whom to ask in another browser than the first; the first browser reads that it is done', async () => {
    const page = await askOnPage(verifier, { redirectUri: undefined })
    const first = newVisitor(verifier)
    await first.open(page.pageUrl)
    await answerOf(world, page)
    const [own, other] = [await first.open(page.pageUrl), await newVisitor(verifier).open(page.pageUrl)]
    expect(writtenOn(own)).toContain('Done. Your answer was accepted.')
    expect(writtenOn(own)).not.toContain(CONTACT)
    expect(writtenOn(other)).toContain(ASK)
    expect(writtenOn(other)).not.toContain('Done')
  })
})
