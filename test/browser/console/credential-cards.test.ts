import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD_RATIO } from '../../../server/protocol/credential-card/styles.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, settled, startOpenService, watchedPage } from './actors.js'
import { press, tabTo } from './keyboard.js'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SIZES = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]
const MEMBER = { name: 'Ada Lovelace', portrait: PNG }

/** The type's text colour is hard to read on its background. */
const SCHEMA = (image: string) => ({
  name: 'ClubCard',
  version: 1,
  display: [
    {
      name: 'Club card',
      locale: 'en',
      background_color: '#1d4d3c',
      text_color: '#24594a',
      logo: { image, alt_text: 'Chess club' },
    },
    { name: 'Klubkarte', locale: 'de', background_color: '#ffe08a', logo: { image }, background_image: { image } },
  ],
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Full name' },
      portrait: { type: 'string', title: 'Portrait', contentEncoding: 'base64', contentMediaType: 'image/png' },
    },
    required: ['name'],
  },
  selectivelyDisclosable: ['name', 'portrait'],
})

/** What a card looks like, computed by the browser; also the elements that it consists of. */
const DRAWN = `(() => {
  const face = document.querySelector('.credential-face')
  const { width, height } = face.getBoundingClientRect()
  const of = (element, names) => Object.fromEntries(names.map((name) => [name, getComputedStyle(element)[name]]))
  const parts = [...face.querySelectorAll('*')].filter(({ className }) => /^credential-(?!state)/.test(className))
  return {
    ratio: width / height,
    face: of(face, ['backgroundColor', 'color', 'borderTopLeftRadius', 'boxShadow', 'maxWidth']),
    parts: parts.map((part) => [part.tagName + '.' + part.className, of(part, ['color', 'backgroundColor', 'fontSize', 'fontWeight', 'paddingLeft', 'paddingBottom', 'lineHeight'])]),
    name: face.querySelector('.credential-name').textContent,
    issuer: face.querySelector('.credential-issuer')?.textContent,
    logo: [...face.querySelectorAll('.credential-logo')].map(({ src, alt, naturalWidth, height }) => [new URL(src).pathname, alt, naturalWidth, height]),
  }
})()`

interface Drawn {
  readonly ratio: number
  readonly face: Readonly<Record<string, string>>
  readonly parts: readonly (readonly [string, Readonly<Record<string, string>>])[]
  readonly name: string
  readonly issuer: string | undefined
  readonly logo: readonly unknown[]
}

const desk = driven(() => startOpenService(LOOPBACK))

let wallet: HostedWallet
let addresses: { readonly name: string; readonly url: string; readonly act?: (page: Page) => Promise<void> }[]
let held: { readonly id: string; readonly credential: string }

const post = async (path: string, body: unknown) => {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect([200, 201], text).toContain(status)
  return json
}

const offer = () =>
  post('/credential-offers', { credentialConfigurationIds: ['ClubCard-sd-jwt'], credentialSubject: MEMBER })

beforeAll(async () => {
  const { id: image } = await post('/api/v1/images', { data: PNG, mediaType: 'image/png' })
  await post('/schemas', SCHEMA(image))
  const { json: issuers } = await desk.service.request('GET', '/api/v1/issuers')
  const [{ id, display: before }] = issuers.items
  await post(`/api/v1/issuers/${id}/display`, { before, display: [{ name: 'Chess club Berlin', locale: 'en' }] })
  wallet = await newWallet(desk.service)
  const taken = await offer()
  expect((await wallet.process(taken.credentialOfferUri)).status).toBe(200)
  const [first] = (await wallet.get('/credentials')).json
  held = (await wallet.get(`/credentials/${first.id}`)).json
  const { json: metadata } = await desk.service.request('GET', '/.well-known/openid-credential-issuer')
  const { vct } = metadata.credential_configurations_supported['ClubCard-sd-jwt']
  const request = {
    dcqlQuery: {
      credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['name'] }] }],
    },
  }
  const answered = await post('/authorization-requests', request)
  expect((await wallet.process(answered.authorizationRequestUri)).status).toBe(200)
  const open = await post('/authorization-requests', request)
  const present = await post('/pages', { verificationSessionId: open.verificationSessionId })
  const receive = await post('/pages', { credentialOfferSessionId: (await offer()).credentialOfferSessionId })
  const issued = await desk.service.request('GET', '/api/v1/credentials')
  const at = (path: string) => `${desk.service.url}/console${path}`
  addresses = [
    { name: 'type', url: at('/types/ClubCard') },
    { name: 'editor', url: at('/types/ClubCard/edit') },
    { name: 'offer', url: at('/offers?type=ClubCard') },
    { name: 'wallet', url: at(`/wallets/${wallet.id}`) },
    { name: 'held', url: at(`/wallets/${wallet.id}/credentials/${held.id}`) },
    {
      name: 'credential',
      url: at(`/credentials/${issued.json.items[0].id}`),
      act: (page) => page.getByRole('button', { name: 'Show the claims' }).click(),
    },
    { name: 'result', url: at(`/requests/${answered.verificationSessionId}`) },
    {
      name: 'verdict',
      url: at('/verify'),
      act: async (page) => {
        await page.getByLabel('Credential', { exact: true }).fill(held.credential)
        await page.getByRole('button', { name: 'Check', exact: true }).click()
      },
    },
    { name: 'present', url: present.url },
    { name: 'receive', url: receive.url },
  ]
})

describe('a credential card', () => {
  it('is drawn the same in every place, on a phone and on a desktop, with a readable text colour', async () => {
    for (const viewport of SIZES) {
      const context = await desk.browser.newContext({ viewport, locale: 'en-GB' })
      const { page, complaints } = await watchedPage(context)
      const cards = new Map<string, Drawn>()
      for (const { name, url, act } of addresses) {
        await page.goto(url)
        await act?.(page)
        await page.locator('.credential-face').first().waitFor()
        await settled(page)
        await expect
          .poll(() => page.evaluate(`document.querySelector('.credential-logo')?.naturalWidth`), { message: name })
          .toBe(1)
        await assertGood(page, `card-${name}-${viewport.width}`)
        cards.set(name, (await page.evaluate(DRAWN)) as Drawn)
      }
      const first = cards.get('receive')
      expect(first?.face).toMatchObject({ backgroundColor: 'rgb(29, 77, 60)', color: 'rgb(255, 255, 255)' })
      expect(first?.issuer).toBe('Chess club Berlin')
      expect(first?.parts.map(([part]) => part)).toEqual([
        'DIV.credential-top',
        'IMG.credential-logo',
        'P.credential-text',
        'STRONG.credential-name',
        'SPAN.credential-issuer',
      ])
      for (const [name, { ratio, ...card }] of cards) {
        expect(ratio, name).toBeCloseTo(CARD_RATIO, 2)
        // A request does not say who issued the credential that a wallet will show.
        const { ratio: _, ...expected } = first as Drawn
        const known = { ...expected, issuer: undefined, parts: expected.parts.slice(0, -1) }
        expect(card, name).toEqual(name === 'present' ? known : expected)
      }
      expect(complaints).toEqual([])
      await context.close()
    }
  })

  it('has the name and the picture of the reader’s language', async () => {
    for (const { url } of addresses.filter(({ name }) => name === 'held' || name === 'receive' || name === 'type')) {
      const context = await desk.browser.newContext({ locale: 'de-DE' })
      const { page, complaints } = await watchedPage(context)
      await page.goto(url)
      await page.locator('.credential-name').getByText('Klubkarte').waitFor()
      const shown = `[document.querySelector('.credential-ground').naturalWidth, getComputedStyle(document.querySelector('.credential-face')).color]`
      await expect.poll(() => page.evaluate(shown)).toEqual([1, 'rgb(0, 0, 0)'])
      expect(complaints).toEqual([])
      await context.close()
    }
  })
})

describe('the cards of a hosted wallet', () => {
  it('open with the keyboard, and say what was shown to whom', async () => {
    for (const viewport of SIZES) {
      const context = await desk.browser.newContext({ viewport, locale: 'en-GB' })
      const { page, complaints } = await watchedPage(context)
      await page.goto(`${desk.service.url}/console/wallets/${wallet.id}`)
      const cards = page.getByRole('list', { name: 'Credentials in this wallet' })
      await cards.getByText('valid').waitFor()
      expect(await page.locator('main').textContent()).not.toContain('Ada Lovelace')
      const link = cards.getByRole('link')
      await tabTo(page, (await link.textContent()) ?? '')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Club card' }).waitFor()
      await settled(page)
      const claims = page.locator('.credential-claims')
      expect(await claims.getByText('Full name').count()).toBe(1)
      expect(await claims.getByText('Ada Lovelace').count()).toBe(1)
      const portrait = claims.getByRole('img', { name: 'Portrait' })
      expect(await portrait.getAttribute('src')).toBe(`data:image/png;base64,${PNG}`)
      const shown = page.getByRole('table', { name: 'Presentations' })
      await shown.getByRole('cell', { name: 'Full name' }).waitFor()
      await shown.getByText('accepted').waitFor()
      expect(await shown.textContent()).not.toContain('Ada Lovelace')
      expect(complaints).toEqual([])
      await context.close()
    }
  })

  it('say that they are revoked', async () => {
    const issued = await desk.service.request('GET', '/api/v1/credentials')
    await post(`/api/v1/credentials/${issued.json.items[0].id}/revoke`, {})
    await desk.opened(`/wallets/${wallet.id}/credentials/${held.id}`, async (page) => {
      await page.locator('.credential-state.refused').getByText('revoked').waitFor()
      await assertGood(page, 'card-revoked')
    })
  })

  it('that are gone leave a sentence', async () => {
    await desk.opened(`/wallets/${wallet.id}/credentials/${crypto.randomUUID()}`, async (page) => {
      await page.getByText('This credential does not exist, or it belongs to another wallet.').waitFor()
      await press(page, 'Open the wallet')
      await page.getByRole('list', { name: 'Credentials in this wallet' }).waitFor()
    })
  })
})
