import { createServer, type Server } from 'node:http'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, intermediate, leafOf } from '../agent/certified.js'
import { portOf } from '../support/local-server.js'
import { startService, type TestService } from '../support/service.js'
import { dcql, makeWorld, sessionOf } from '../verifier/actors.js'
import { type AskedOverBrowser, answerInBrowser, askBrowser, type BrowserRequest } from '../verifier/browser.js'
import { ARGUMENTS } from './chromium.js'

/** The script of a shop's page: a click asks the browser for a credential and posts the answer. */
const SCRIPT = `
  document.querySelector('button').onclick = async () => {
    const say = (text) => { document.querySelector('output').textContent = text }
    try {
      const { digitalCredentialRequest, response_uri } = window.asked
      const { protocol, data } = await navigator.credentials.get({ digital: { requests: [digitalCredentialRequest] } })
      const reply = await fetch(response_uri, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ protocol, data }),
      })
      say(reply.status + ' ' + (await reply.text()))
    } catch (error) { say(error.name) }
  }`
const PAGE = `<!doctype html><html lang="en"><title>Shop</title><button>Show your purchase</button><output></output><script>${SCRIPT}</script></html>`

let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>
let shop: Server
let browser: Browser
let page: Page
let devtools: CDPSession
let origin: string

beforeAll(async () => {
  files = await certificateFiles()
  service = await startService({ env: { VERIFIER_X509: await files.fileOf([leafOf(), intermediate]) } })
  world = await makeWorld(service)
  shop = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE))
  await new Promise<void>((resolve) => shop.listen(0, 'localhost', resolve))
  origin = `http://localhost:${portOf(shop)}`
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
  page = await browser.newPage()
  devtools = await page.context().newCDPSession(page)
})
afterAll(async () => {
  await browser.close()
  await new Promise((resolve) => shop.close(resolve))
  await service.close()
  await files.remove()
})

const asked = (members: Record<string, unknown> = {}) =>
  askBrowser(service, {
    dcqlQuery: dcql(service, 'dc+sd-jwt'),
    responseMode: 'dc_api.jwt',
    expectedOrigins: [origin],
    ...members,
  })

/** Sets what the browser's wallet does with the next request. */
const walletWill = (behaviour: Record<string, unknown>) =>
  devtools.send('DigitalCredentials.setVirtualWalletBehavior' as never, behaviour as never)

const respondWith = ({ protocol, data }: BrowserRequest) => walletWill({ action: 'respond', protocol, response: data })

/** @returns the page's text after the click. */
async function clicked(request: AskedOverBrowser): Promise<string> {
  await page.goto(origin)
  await page.evaluate((made) => Object.assign(globalThis, { asked: made }), request)
  await page.locator('button').click()
  const output = page.locator('output:not(:empty)')
  await output.waitFor()
  return output.innerText()
}

describe('a page of a shop asks Chromium, with its virtual wallet (OpenID4VP 1.0 Appendix A)', () => {
  it.each([
    ['unsigned', { signed: false, responseMode: 'dc_api' }],
    ['unsigned, encrypted', { signed: false }],
    ['signed', { signed: true }],
    ['signed by two names', { clientIdPrefix: ['x509_hash', 'decentralized_identifier'] }],
  ])('and the presentation is verified: %s', async (_, members) => {
    const request = await asked(members)
    await page.goto(origin)
    // The browser tells a wallet the origin of the page.
    const told = await page.evaluate<string>('location.origin')
    const { digitalCredentialRequest } = request
    const held = world.held['dc+sd-jwt']
    await respondWith(await answerInBrowser(digitalCredentialRequest, world.wallet, held, { origin: told }))
    expect(await clicked(request)).toBe('200 {}')
    expect(await sessionOf(service, request)).toMatchObject({ state: 'ResponseVerified' })
  })

  it('and receives an error of the wallet', async () => {
    const request = await asked()
    const { protocol } = request.digitalCredentialRequest
    await respondWith({ protocol, data: { error: 'access_denied' } })
    expect(await clicked(request)).toBe('200 {}')
    expect(await sessionOf(service, request)).toMatchObject({ errorMessage: 'Wallet answered access_denied.' })
  })

  it('and gets nothing if the person closes the dialog: the session still waits', async () => {
    const request = await asked()
    await walletWill({ action: 'decline' })
    expect(await clicked(request)).toBe('NotAllowedError')
    expect(await sessionOf(service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  })

  it('attack: a page of another origin posts, is refused, and may read the reason', async () => {
    const request = await asked({ expectedOrigins: ['https://shop.example'] })
    const { digitalCredentialRequest } = request
    const held = world.held['dc+sd-jwt']
    await respondWith(await answerInBrowser(digitalCredentialRequest, world.wallet, held, { origin }))
    expect(await clicked(request)).toMatch(/^403 .*Origin is not an expected origin of the request/)
    expect(await sessionOf(service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  })
})
