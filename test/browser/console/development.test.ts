import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { routesOf } from '../../../server/http/routes.js'
import { appRouter } from '../../support/contracts.js'
import { driven, heading, scanned, watchedPage } from './actors.js'
import { fromSources } from './from-sources.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))

const desk = driven()
const sources = fromSources(desk)

/** The server that answers a path: in this test Vite serves the page of the console from its sources. */
const forwarded = (path: string) =>
  Object.keys(sources.vite.config.server.proxy ?? {}).some((pattern) => new RegExp(pattern).test(path))

describe('the console from its sources', () => {
  it('forwards every path of the service to the service', () => {
    const templates = routesOf(appRouter).map(({ template }) => template)
    expect(templates).toContain('/console/session')
    expect(templates.filter((template) => !forwarded(template))).toEqual([])
    expect(
      ['/trpc/console.events', '/api-docs', '/console/session?x=1', '/'].filter((path) => !forwarded(path)),
    ).toEqual([])
    const own = ['/console', '/console/', '/console/?a', '/console/types', '/console/sessions', '/console/@vite/client']
    expect(own.filter(forwarded)).toEqual([])
  })

  it('is open without a login, and receives changes live', async () => {
    expect((await desk.service.request('POST', '/schemas', { body: demonstration })).status).toBe(201)
    const { page, complaints } = await watchedPage(await desk.browser.newContext({ locale: 'en-GB' }))
    await page.goto(`${sources.url}/console/`)
    await heading(page, 'Overview')
    await page.getByText('Sign-in is off').waitFor()
    await page.getByText('The service is ready.').waitFor()
    await page.goto(`${sources.url}/console/offers?type=ProofOfPurchase`)
    await page.getByLabel('productName').fill('Espresso machine')
    await page.getByLabel('merchant').fill('Corner Shop')
    await page.getByLabel('purchaseDate').fill('2026-03-01')
    await page.getByRole('button', { name: 'Create offer' }).click()
    await page.getByText('Waiting for a wallet to scan the code.').waitFor()
    const offer = new URL(await scanned(page)).searchParams.get('credential_offer_uri') ?? ''
    expect((await fetch(offer)).status).toBe(200)
    await page.getByText('A wallet has read the offer.').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
