import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { recordStatements } from '../support/statements.js'
import { dcql, makeWorld } from '../verifier/actors.js'
import {
  type AskedOverBrowser,
  answerInBrowser,
  askBrowser,
  type BrowserRequest,
  postFrom,
} from '../verifier/browser.js'
import { linkOn, newVisitor, resultOf, writtenOn } from './actors.js'

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  service = await startService({ maintenance: false })
  world = await makeWorld(service)
})
afterAll(() => service.close())

async function askOnPage(members: Record<string, unknown> = {}) {
  const asked = await askBrowser(service, {
    dcqlQuery: dcql(service, 'dc+sd-jwt'),
    responseMode: 'dc_api.jwt',
    expectedOrigins: [service.url],
    page: true,
    ...members,
  })
  return asked as AskedOverBrowser & { pageUrl: string }
}

/** Reads the request from the button of a page. */
function buttonOn(text: string): { request: BrowserRequest; response_uri: string } | undefined {
  const [, request, response_uri] = /data-request="([^"]*)" data-answer="([^"]*)"/.exec(text) ?? []
  if (request === undefined || response_uri === undefined) return undefined
  return { request: JSON.parse(request.replaceAll('&quot;', '"').replaceAll('&amp;', '&')), response_uri }
}

describe('the page of a request over the Digital Credentials API', () => {
  it.each([true, false])('has the button, and neither a QR code nor a link (signed: %s)', async (signed) => {
    const asked = await askOnPage({ signed })
    const page = await newVisitor(service).open(asked.pageUrl)
    const button = buttonOn(page.text)
    expect(button?.response_uri).toBe(asked.response_uri)
    expect(button?.request.protocol).toBe(asked.digitalCredentialRequest.protocol)
    expect(linkOn(page, 'Open my wallet')).toBeUndefined()
    expect(page.text).not.toContain('<img')
    expect(writtenOn(page)).toContain('This browser cannot ask a wallet.')
    expect(writtenOn(page)).toContain('Waiting for your answer.')
  })

  it('the browser’s answer is accepted, and the page says so without a redirect', async () => {
    const asked = await askOnPage()
    const visitor = newVisitor(service)
    const button = buttonOn((await visitor.open(asked.pageUrl)).text)
    if (button === undefined) throw new Error('The page has no button.')
    const credential = await answerInBrowser(button.request, world.wallet, world.held['dc+sd-jwt'], {
      origin: service.url,
    })
    const reply = await postFrom(service.url, button, credential)
    expect([reply.status, reply.json]).toEqual([200, {}])
    expect(writtenOn(await visitor.open(asked.pageUrl))).toBe(
      `${new URL(service.url).host} Show a credential Done. Your answer was accepted.`,
    )
    expect((await resultOf(service, asked)).json.credentials[0].claims).toEqual({ product: 'Espresso machine' })
  })

  it('only the first browser has the button; otherwise the answer of another user would count for the first user', async () => {
    const asked = await askOnPage()
    const first = newVisitor(service)
    expect(buttonOn((await first.open(asked.pageUrl)).text)).toBeDefined()
    const other = await newVisitor(service).open(asked.pageUrl)
    expect(buttonOn(other.text)).toBeUndefined()
    expect(writtenOn(other)).toContain('This page was opened in another browser.')
    const looked = await service.request('HEAD', new URL(asked.pageUrl).pathname)
    expect(looked.status).toBe(200)
    expect(buttonOn((await first.open(asked.pageUrl)).text)).toBeDefined()
  })

  it('a request for pages of other origins has no button', async () => {
    const body = {
      dcqlQuery: dcql(service, 'dc+sd-jwt'),
      responseMode: 'dc_api',
      expectedOrigins: ['https://shop.example'],
    }
    const authorization = await service.bearer('verifier')
    const message = `expectedOrigins must hold ${service.url}, where the page is`
    const asked = await service.request('POST', '/authorization-requests', {
      authorization,
      body: { ...body, page: true },
    })
    expect([asked.status, asked.json.message]).toEqual([400, [message]])
    const { verificationSessionId } = await askBrowser(service, body)
    const made = await service.request('POST', '/pages', { authorization, body: { verificationSessionId } })
    expect([made.status, made.json.message]).toEqual([400, [message]])
  })

  it('a view is one statement', async () => {
    const asked = await askOnPage()
    const visitor = newVisitor(service)
    await visitor.open(asked.pageUrl)
    const record = recordStatements()
    try {
      await visitor.open(asked.pageUrl)
      expect(record.sent()).toHaveLength(1)
    } finally {
      record.stop()
    }
  })
})
