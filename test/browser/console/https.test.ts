import { request as ask } from 'node:http'
import { createServer as createTlsServer, type Server } from 'node:https'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { envOf } from '../../console/actors.js'
import { makeCertificate } from '../../protocol/issuer-keys/certificates.js'
import { portOf } from '../../support/local-server.js'
import { type OpenidProvider, startOpenidProvider } from '../../support/openid-provider.js'
import { startService, type TestService } from '../../support/service.js'
import { ARGUMENTS } from '../chromium.js'
import { heading, watchedPage } from './actors.js'

let front: Server
let address: string
let service: TestService
let provider: OpenidProvider
let browser: Browser

/** Ends TLS like a proxy in front of the service, and forwards requests over plain http. */
async function startFront(target: () => string): Promise<Server> {
  const { certificate, privateKey } = makeCertificate({ subject: 'localhost', dns: ['localhost'] })
  const server = createTlsServer(
    { cert: certificate.toString(), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    (incoming, outgoing) => {
      const headers = { ...incoming.headers, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
      const onward = ask(`${target()}${incoming.url}`, { method: incoming.method ?? 'GET', headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      outgoing.on('close', () => onward.destroy())
      incoming.pipe(onward)
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

beforeAll(async () => {
  front = await startFront(() => service.url)
  address = `https://localhost:${portOf(front)}`
  provider = await startOpenidProvider()
  Object.assign(provider, { jwt: true, refreshTokens: true, user: { sub: 'alice', name: 'Alice', roles: ['admin'] } })
  service = await startService({
    env: { ...envOf(provider), ISSUER_BASE_URL: address, VERIFIER_BASE_URL: address, TRUST_PROXY: '1' },
  })
  await provider.register(address)
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
})
afterAll(async () => {
  await browser?.close()
  front?.closeAllConnections()
  front?.close()
  await service?.close()
  await provider?.close()
})

it('behind an https proxy, a login sets a cookie for this host only, which scripts and plain http cannot read', async () => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
  const { page, complaints } = await watchedPage(context)
  await page.goto(`${address}/console/types/new-type`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await heading(page, 'New credential type')
  await page.getByText('Alice').waitFor()
  expect(page.url()).toBe(`${address}/console/types/new-type`)
  const ours = (await context.cookies()).filter(({ name }) => name.includes('console'))
  expect(ours.map(({ name }) => name).sort()).toEqual(['__Host-console', '__Host-console-login'])
  for (const cookie of ours)
    expect(cookie).toMatchObject({ domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' })
  expect(await page.evaluate('document.cookie')).toBe('')
  // The session works: reads are answered and changes are made.
  await page.getByLabel('Technical name').fill('Membership')
  await page.getByLabel('Claim, claim 1').fill('level')
  await page.getByRole('button', { name: 'Publish' }).click()
  await heading(page, 'Membership')
  expect(complaints).toEqual([])
  await context.close()
})
