import { createServer, type Server } from 'node:http'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, SD_JWT, startIssuer } from '../issuer/openid4vci/actors.js'
import { newPkce } from '../issuer/openid4vci/browser.js'
import { portOf } from '../support/local-server.js'
import { ARGUMENTS } from './chromium.js'

let issuer: Issuer
let browser: Browser
let wallet: Server
const received: string[] = []

beforeAll(async () => {
  issuer = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
  wallet = createServer((request, response) => {
    received.push(request.url ?? '')
    response.end('back in the wallet')
  })
  await new Promise<void>((resolve) => wallet.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser.close()
  await new Promise((resolve) => wallet.close(resolve))
  await issuer.service.close()
})

describe('the page of consent in a browser', () => {
  it('leads from a page of another site to the decision, and after the decision back to the wallet', async () => {
    const offer = await issuer.makeOffer({ grant: 'authorization_code' })
    const port = portOf(wallet)
    const address = `${issuer.service.url}/openid4vci/authorize?${new URLSearchParams({
      client_id: 'wallet',
      response_type: 'code',
      redirect_uri: `http://127.0.0.1:${port}/callback`,
      scope: SD_JWT,
      code_challenge: newPkce().challenge,
      code_challenge_method: 'S256',
      issuer_state: offer.credentialOffer.grants.authorization_code.issuer_state,
    })}`
    const page = await browser.newPage()
    // This page has the host localhost and the service has 127.0.0.1. So for the browser they are two different sites.
    await page.goto(`http://localhost:${port}/`).catch(() => page.goto('about:blank'))
    await page.setContent(`<a href="${address.replaceAll('&', '&amp;')}">To the issuer</a>`)
    await page.getByRole('link').click()
    await page.getByRole('button', { name: 'Put it into my wallet' }).click()
    await page.getByText('back in the wallet').waitFor()
    const answer = received.map((url) => new URL(url, 'http://wallet')).find(({ pathname }) => pathname === '/callback')
    expect(answer?.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
  })
})
