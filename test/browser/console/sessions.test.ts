import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, startOpenService } from './actors.js'
import { choose, press, tabTo } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]

const desk = driven(() => startOpenService(LOOPBACK))

async function post(path: string, body: unknown) {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect(status, text).toBe(201)
  return json
}

describe('sessions and audit', () => {
  it('without any session, both kinds lead to the next step', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/sessions`)
      await page.getByRole('link', { name: 'New request' }).waitFor()
      await assertGood(page, `sessions-empty-${name}`)
      await page.getByLabel('Show').selectOption('Offers')
      await page.getByRole('link', { name: 'Offer a credential' }).waitFor()
    })
  })

  it('of both kinds are found by their state with the keyboard alone, and each leads to its timeline', async () => {
    await post('/schemas', demonstration)
    const offer = { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT }
    const taken = await post('/credential-offers', offer)
    await post('/credential-offers', offer)
    const wallet = await newWallet(desk.service)
    expect((await wallet.process(taken.credentialOfferUri)).status).toBe(200)
    const asked = await post('/authorization-requests', { query: QUERY })
    expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
    const distrusted = await post('/authorization-requests', {
      query: QUERY,
      trustedIssuers: ['did:web:elsewhere.example'],
    })
    await wallet.process(distrusted.authorizationRequestUri)
    await desk.opened('/sessions', async (page) => {
      const calls: string[] = []
      page.on('request', (request) => calls.push(request.url()))
      const rows = page.getByRole('table').getByRole('row')
      await page.getByText('The issuer is not trusted.').waitFor()
      expect(await rows.count()).toBe(3)
      await choose(page, 'State', 'v')
      await page.waitForURL(/state=ResponseVerified/)
      await page.getByText('The issuer is not trusted.').waitFor({ state: 'detached' })
      await expect.poll(() => rows.count()).toBe(2)
      // A request without a name is called by what it asks for, which the list itself says.
      expect(calls.filter((url) => url.includes('/trpc/'))).not.toEqual([])
      expect(calls.filter((url) => url.includes('verificationSessions.checks'))).toEqual([])
      await press(page, 'Proof of purchase')
      await heading(page, 'Proof of purchase')
      await page.getByText('Verified: all requested claims.').waitFor()
      await page.goto(`${desk.service.url}/console/sessions?kind=offers`)
      await page.getByRole('table').getByText('accepted', { exact: true }).waitFor()
      expect(await page.getByRole('table').textContent()).not.toContain('Espresso machine')
      await page
        .getByRole('row')
        .filter({ hasText: 'accepted' })
        .getByRole('link', { name: 'Proof of purchase' })
        .click()
      const steps = page.getByRole('list', { name: 'Progress' }).getByRole('listitem')
      await steps.filter({ hasText: 'The credential is issued.' }).waitFor()
      expect((await steps.allTextContents())[0]).toBe('The offer is created.')
    })
  })

  it('if no session matches the filters, one click shows all sessions again', async () => {
    await desk.opened('/sessions?from=2020-01-01&to=2020-01-31', async (page) => {
      await page.getByText('No session matches these filters').waitFor()
      expect(await page.getByLabel('From').inputValue()).toBe('2020-01-01')
      await page.getByRole('link', { name: 'Show all' }).click()
      await page.getByRole('table').waitFor()
    })
    await desk.opened('/sessions?state=nonsense&from=yesterday', async (page) => {
      await page.getByRole('table').waitFor()
    })
  })

  it('audit events are found by their action, and are described in words', async () => {
    await desk.opened('/audit', async (page) => {
      await page.getByRole('rowheader', { name: 'Credential type published' }).waitFor()
      await page.getByLabel('Action', { exact: true }).selectOption('Presentation refused')
      await page.getByRole('rowheader', { name: 'Presentation refused' }).waitFor()
      expect(await page.getByRole('table').getByRole('row').count()).toBe(2)
      await tabTo(page, 'Id of the subject')
      await page.keyboard.type('nothing')
      await page.keyboard.press('Enter')
      await page.getByText('No entry matches these filters').waitFor()
    })
  })

  it('are good in every size, light and dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      for (const [path, ready] of [
        ['/sessions', 'failed'],
        ['/sessions?kind=offers', 'accepted'],
        ['/audit', 'Credential type published'],
      ] as const) {
        await page.goto(`${desk.service.url}/console${path}`)
        await page.getByRole('table').getByText(ready, { exact: true }).first().waitFor()
        const rows = page.getByRole('table').getByRole('row')
        // On a phone, an audit event is a card of a few short lines.
        if (path === '/audit' && name.startsWith('360'))
          expect((await rows.nth(1).boundingBox())?.height).toBeLessThan(140)
        await assertGood(page, `${path.replaceAll(/\W/g, '_')}-${name}`)
      }
    })
  })
})
