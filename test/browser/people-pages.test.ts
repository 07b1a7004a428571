import { createServer, type Server } from 'node:http'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerOf, askOnPage } from '../people-pages/actors.js'
import { portOf } from '../support/local-server.js'
import { textInPng } from '../support/qr-code.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'
import { dcql, fetchRequest, makeWorld } from '../verifier/actors.js'
import { type AskedOverBrowser, answerInBrowser, askBrowser } from '../verifier/browser.js'
import { assertGood, inEverySize } from './actors.js'
import { ARGUMENTS } from './chromium.js'

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>
let browser: Browser
let shop: Server
let redirectUri: string

beforeAll(async () => {
  service = await startService()
  world = await makeWorld(service)
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
  shop = createServer((request, response) => response.end(`in the shop: ${request.url}`))
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  redirectUri = `http://127.0.0.1:${portOf(shop)}/done`
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
  await new Promise((resolve) => shop.close(resolve))
})

describe('the page of a request in a browser', () => {
  it('follows the rules for pages in both sizes, light and dark; its QR code is readable; it shows the end live', async () => {
    await inEverySize(browser, async (page, name) => {
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      const asked = await askOnPage(service, { redirectUri })
      await page.goto(asked.pageUrl)
      await page.getByText('Waiting for your wallet.').waitFor()
      expect(textInPng(await page.getByRole('img').screenshot())).toBe(asked.pageUrl)
      expect(await page.getByRole('link', { name: 'Reload this page' }).isVisible()).toBe(false)
      await assertGood(page, `present-${name}`)
      await fetchRequest(asked)
      await page.getByText('Waiting for your answer.').waitFor()
      await page.keyboard.press('Tab')
      const link = page.getByRole('link', { name: 'Open my wallet' })
      expect(await link.evaluate((element) => element.ownerDocument.activeElement === element)).toBe(true)
      const back = await answerOf(world, asked)
      await page.getByText('Done. Your answer was accepted.').waitFor()
      await assertGood(page, `presented-${name}`)
      await page.goto(back)
      await page.getByText('in the shop: /done?response_code=').waitFor()
      expect(complaints).toEqual([])
    })
  })

  it('has the requested credentials between the same edges as the other content, in both directions', async () => {
    const asked = await askOnPage(service, { redirectUri })
    for (const [locale, direction] of [
      ['de', 'ltr'],
      ['ar', 'rtl'],
    ] as const) {
      const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } })
      const page = await context.newPage()
      await page.goto(asked.pageUrl)
      expect(await page.locator('html').getAttribute('dir')).toBe(direction)
      const edges = async (selector: string) => {
        const box = await page.locator(selector).first().boundingBox()
        return [box?.x, box?.width]
      }
      expect(await edges('ul.asked > li'), locale).toEqual(await edges('main h1'))
      await context.close()
    }
  })

  it('the QR code that contains a whole request is readable too', async () => {
    const asked = await askOnPage(service, { redirectUri, clientIdPrefix: 'redirect_uri' })
    expect(asked.authorizationRequestUri.length).toBeGreaterThan(700)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(asked.pageUrl)
    await page.getByText('Scan with the wallet app').click()
    const code = page.getByRole('img', { name: 'QR code that opens this request in a wallet' })
    expect(textInPng(await code.screenshot())).toBe(asked.authorizationRequestUri)
    await page.close()
  })

  it('another browser sees a notice, on a page that follows the same rules', async () => {
    const asked = await askOnPage(service, { redirectUri })
    const began = await browser.newContext()
    await (await began.newPage()).goto(asked.pageUrl)
    const back = await answerOf(world, asked)
    await inEverySize(browser, async (page, name) => {
      expect((await page.goto(back))?.status()).toBe(403)
      await page.getByText('This request was opened in another browser').waitFor()
      await assertGood(page, `withheld-${name}`)
    })
    await began.close()
  })

  it('without script the page shows everything, and a link reloads it', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    const asked = await askOnPage(service, { redirectUri })
    await page.goto(asked.pageUrl)
    await page.getByText('Waiting for your wallet.').waitFor()
    await answerOf(world, asked)
    await page.getByRole('link', { name: 'Reload this page' }).click()
    await page.getByText('Done. Your answer was accepted.').waitFor()
    await context.close()
  })

  it('the button calls the browser’s API, simulated as in Appendix A, and the page shows the end', async () => {
    const asked = (await askBrowser(service, {
      dcqlQuery: dcql(service, 'dc+sd-jwt'),
      responseMode: 'dc_api.jwt',
      expectedOrigins: [service.url],
      page: true,
    })) as AskedOverBrowser & { pageUrl: string }
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    await page.exposeFunction('answerOfWallet', (request: AskedOverBrowser['digitalCredentialRequest']) =>
      answerInBrowser(request, world.wallet, world.held['dc+sd-jwt'], { origin: service.url }),
    )
    await page.addInitScript(`
      window.DigitalCredential = class {}
      navigator.credentials.get = async ({ digital }) => answerOfWallet(digital.requests[0])`)
    await page.goto(asked.pageUrl)
    const button = page.getByRole('button', { name: 'Choose a credential' })
    await button.waitFor()
    await assertGood(page, 'button')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Done. Your answer was accepted.').waitFor()
    await context.close()
  })

  it('if the browser does not have this API, a sentence says so', async () => {
    const asked = (await askBrowser(service, {
      dcqlQuery: dcql(service, 'dc+sd-jwt'),
      responseMode: 'dc_api',
      expectedOrigins: [service.url],
      page: true,
    })) as AskedOverBrowser & { pageUrl: string }
    const page = await browser.newPage()
    await page.addInitScript('delete window.DigitalCredential')
    await page.goto(asked.pageUrl)
    await page.getByText('This browser cannot ask a wallet.').waitFor()
    expect(await page.getByRole('button', { name: 'Choose a credential' }).count()).toBe(0)
    await assertGood(page, 'no-api')
    await page.close()
  })
})

describe('the page of an offer in a browser', () => {
  it('follows the rules for pages in both sizes, light and dark', async () => {
    const authorization = await service.bearer('issuer')
    const offer = await service.request('POST', '/credential-offers', {
      authorization,
      body: {
        credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'],
        credentialSubject: { product: 'Espresso machine' },
        txCode: true,
      },
    })
    const { credentialOfferSessionId } = offer.json
    const made = await service.request('POST', '/pages', {
      authorization,
      body: { credentialOfferSessionId, title: 'Your receipt', text: 'It proves your purchase.\nKeep it.' },
    })
    await inEverySize(browser, async (page, name) => {
      await page.goto(made.json.url)
      await page.getByText('a code of 6 digits').waitFor()
      expect(textInPng(await page.getByRole('img').screenshot())).toBe(offer.json.credentialOfferUri)
      await assertGood(page, `receive-${name}`)
    })
  })

  it('updates live in the first browser; other browsers see that the link has been used', async () => {
    const offer = await service.request('POST', '/credential-offers', {
      authorization: await service.bearer('issuer'),
      body: {
        credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'],
        credentialSubject: { product: 'Espresso machine' },
        page: true,
      },
    })
    const windows = [await browser.newContext(), await browser.newContext()]
    const [own, other] = [await windows[0]?.newPage(), await windows[1]?.newPage()]
    for (const page of [own, other]) {
      await page?.goto(offer.json.pageUrl)
      await page?.getByText('Waiting for your wallet.').waitFor()
    }
    const taken = await (await newWallet(service)).process(offer.json.credentialOfferUri)
    expect(taken.status, taken.text).toBe(200)
    await own?.getByText('Done. Your wallet').waitFor()
    await other?.getByText('This link has been used or has expired.').waitFor()
    if (other !== undefined) await assertGood(other, 'received-elsewhere')
    for (const context of windows) await context.close()
  })
})
