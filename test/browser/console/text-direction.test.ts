import { beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { driven, settled, startOpenService } from './actors.js'

const desk = driven(() => startOpenService(LOOPBACK))

/**
 * A text that would look like a different text (Unicode Standard Annex 9, §2.1 to §2.5), and the text as it must be
 * shown.
 */
const turned = (text: string): string => `${text}\u202e${text}\u202c\u2067\u2066${text}\u2069\u2069\u202a\u202b\u202d`
const plain = (text: string): string => text.repeat(3)

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', title: turned('Title'), description: turned('Hint') },
    level: { enum: [turned('gold'), 'silver'], title: turned('Level') },
    [turned('member')]: { type: 'string' },
  },
  required: ['name'],
}
const SUBJECT = { name: turned('Value'), level: turned('gold'), [turned('member')]: turned('Further') }
const OFFER = { credentialConfigurationIds: ['Turned-sd-jwt'], credentialSubject: SUBJECT }

const sql = (text: string) => query(desk.service.databaseUrl, text)

async function post(path: string, body: unknown) {
  const { status, text, json } = await desk.service.request('POST', path, { body })
  expect(status, text).toBeLessThan(300)
  return json
}

const request = async (more: Record<string, unknown> = {}) => {
  const { credential_configurations_supported: published } = (
    await desk.service.request('GET', '/.well-known/openid-credential-issuer')
  ).json
  return post('/authorization-requests', {
    dcqlQuery: {
      credentials: [
        {
          id: 'turned',
          format: 'dc+sd-jwt',
          meta: { vct_values: [published['Turned-sd-jwt'].vct] },
          claims: [{ path: ['name'] }, { path: ['level'], values: [turned('gold')] }],
        },
      ],
    },
    ...more,
  })
}

const PAYMENT = { type: turned('payment'), credential_ids: ['turned'], payee: turned('Payee'), [turned('key')]: 'x' }

/**
 * A screen, and the texts of other people that the screen shows. When these texts are shown, the data of the screen
 * have arrived.
 */
type Shown = readonly [address: string, ...texts: string[]]

let screens: readonly Shown[] = []
let walletAddress = ''
let payment = ''

beforeAll(async () => {
  const claims = [{ path: ['name'], display: [{ name: turned('Titel'), locale: 'de' }] }]
  await post('/schemas', { name: 'Turned', version: 1, schema: SCHEMA, claims, description: turned('About') })
  const [issuer, verifier] = [
    await post('/agent/issuer', { method: 'key', display: [{ name: 'Issuer' }] }),
    await post('/agent/verifier', { method: 'key', display: [{ name: 'Verifier' }] }),
  ]
  // These names are older than the rule that refuses them.
  const display = [{ name: turned('Card') }, { name: turned('Karte'), locale: 'de' }]
  await sql(`UPDATE schemas SET title = '${turned('Type')}', display = '${JSON.stringify(display)}'`)
  for (const [table, name] of [
    ['issuers', 'Issuer'],
    ['verifiers', 'Verifier'],
  ] as const)
    await sql(`UPDATE ${table} SET display = '${JSON.stringify([{ name: turned(name) }])}'`)
  const wallet = await newWallet(desk.service)
  const taken = await post('/credential-offers', { ...OFFER, txCode: { description: turned('Letter') } })
  expect((await wallet.process(taken.credentialOfferUri, { txCode: taken.txCode })).status).toBe(200)
  const deferred = await post('/credential-offers', { ...OFFER, deferred: true })
  const asked = await request()
  expect((await wallet.process(asked.authorizationRequestUri)).status).toBe(200)
  const waiting = await request({ transactionData: [PAYMENT] })
  payment = (await request({ transactionData: [PAYMENT] })).authorizationRequestUri
  await post('/api/v1/trusted-issuers', { issuer: 'https://university.example', note: turned('Note') })
  const credentials = await desk.service.request('GET', '/api/v1/credentials')
  const holders = await desk.service.request('GET', '/agent/holders')
  walletAddress = `/wallets/${holders.json[0].id}`
  screens = [
    ['/', 'Issuer', 'Verifier'],
    ['/types', 'Card'],
    ['/types/Turned', 'Card', 'About', 'Title', 'Level', 'gold', 'member', 'Issuer'],
    ['/types/Turned/edit', 'Card', 'Title', 'Level', 'member'],
    ['/offers?type=Turned', 'Card', 'Title', 'Hint', 'Level', 'gold', 'member'],
    ['/requests'],
    ['/requests/new-request', 'Card', 'Title', 'Level', 'member'],
    ...[taken, deferred].map(({ credentialOfferSessionId }): Shown => [`/offers/${credentialOfferSessionId}`]),
    [`/requests/${asked.verificationSessionId}`, 'Card', 'Title', 'Value', 'Level', 'gold'],
    [`/requests/${waiting.verificationSessionId}`],
    ['/sessions'],
    ['/credentials', 'Card'],
    ['/audit'],
    ['/trust', 'Issuer', 'Verifier'],
    ['/trust/trusted', 'Note'],
    ['/wallets'],
    [walletAddress, 'Card'],
    ['/verify'],
    ...credentials.json.items.map(({ id }: { id: string }): Shown => [`/credentials/${id}`]),
    [`/trust/issuers/${issuer.id}`, 'Issuer'],
    [`/trust/verifiers/${verifier.id}`, 'Verifier'],
  ]
})

/**
 * Finds all texts for users that have a character that controls the direction: texts, the title and attributes, but not
 * values of fields.
 */
const CONTROLLED = `(() => {
  const control = /[\\u202a-\\u202e\\u2066-\\u2069]/
  const found = control.test(document.title) ? [document.title] : []
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { parentElement: owner, data } = texts.currentNode
    if (!owner.closest('script, style, textarea') && control.test(data)) found.push(owner.tagName + ': ' + data)
  }
  for (const each of document.querySelectorAll('*'))
    for (const { name, value } of each.attributes)
      if (/^(?:alt|title|placeholder|label|aria-.*|data-label)$/.test(name) && control.test(value)) found.push(name + '=' + value)
  return found
})()`

/**
 * Returns the text of a screen with all details unfolded, without characters that control the direction. So this
 * function finds a text even if the screen breaks the rule. The check of the rule then names the text.
 */
const SAID = `(() => {
  for (const each of document.querySelectorAll('details')) each.open = true
  return document.body.innerText.replace(/[\\u202a-\\u202e\\u2066-\\u2069]/g, '')
})()`

const GERMAN: Readonly<Record<string, string>> = { Card: 'Karte', Title: 'Titel' }

describe('texts of other people with direction controls', () => {
  it.each(['en-GB', 'de-DE'])('are never shown unchanged on a screen (%s)', async (locale) => {
    const context = await desk.browser.newContext({ locale, viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    for (const [address, ...texts] of screens) {
      await page.goto(`${desk.service.url}/console${address}`)
      for (const text of texts) {
        const called = locale === 'de-DE' ? (GERMAN[text] ?? text) : text
        await expect.poll(() => page.evaluate(SAID), { message: address }).toContain(plain(called))
      }
      await settled(page)
      expect(await page.evaluate(CONTROLLED), address).toEqual([])
    }
    await context.close()
  })

  it('are isolated: a right-to-left name does not change the order of the text beside it', async () => {
    await desk.opened('/types/Turned', async (page) => {
      await settled(page)
      expect(await page.locator('h1 bdi').textContent()).toBe(plain('Card'))
      await expect.poll(() => page.title()).toContain(plain('Card'))
    })
  })

  it('in the question of a hosted wallet before a person authorizes a transaction', async () => {
    await desk.opened(walletAddress, async (page) => {
      await page.getByLabel('Link of the offer or request').fill(payment)
      await page.getByRole('button', { name: 'Send to the wallet' }).click()
      const question = page.getByRole('dialog', { name: 'Authorize this transaction?' })
      await question.getByText(plain('Payee')).waitFor()
      expect(await question.locator('bdi').allTextContents()).toContain(plain('Payee'))
      expect(await question.innerText()).toContain(plain('payment'))
      expect(await page.evaluate(CONTROLLED)).toEqual([])
    })
  })

  it('stay unchanged in the fields of a form, and in the data that is sent', async () => {
    await desk.opened('/offers?type=Turned', async (page) => {
      await page.getByLabel(plain('Title')).fill('Ada')
      await page.getByLabel(plain('Level')).selectOption({ label: plain('gold') })
      await page.getByRole('button', { name: 'Create offer' }).click()
      await page.getByRole('region', { name: 'QR code of the offer' }).waitFor()
    })
    const [offered] = await query<{ subject: unknown }>(
      desk.service.databaseUrl,
      'SELECT credential_subject AS subject FROM offerings ORDER BY created_at DESC LIMIT 1',
    )
    expect(offered?.subject).toEqual({ name: 'Ada', level: turned('gold') })
  })
})
