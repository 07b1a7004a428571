import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRE_AUTHORIZED_CODE_GRANT as GRANT } from '../../server/protocol/openid4vci/requests.js'
import { type Issuer, movingClock, SD_JWT, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { issuanceTasks } from '../issuer/openid4vci/issuance-tasks.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { recordStatements } from '../support/statements.js'
import { linkOn, newVisitor, scanned, scannedBoth, type Visitor, writtenOn } from './actors.js'

const CLOCK = movingClock()

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: CLOCK.now, maintenance: false })
})
afterAll(() => issuer.service.close())

const open = (url: string) => newVisitor(issuer.service).open(url)

const post = async (path: string, body: unknown, sub?: string) =>
  issuer.service.request('POST', path, {
    authorization: sub === undefined ? await issuer.authorization() : await issuer.service.bearer(sub),
    body,
  })

async function offerOnPage(members: Record<string, unknown> = {}) {
  const offer = await issuer.makeOffer(members)
  const { status, json, text } = await post('/pages', { credentialOfferSessionId: offer.credentialOfferSessionId })
  if (status !== 201) throw new Error(text)
  return { offer, url: String(json.url) }
}

/** The events of a page in a browser. */
const eventsOf = (url: string, { cookie }: Pick<Visitor, 'cookie'> = { cookie: undefined }) =>
  readEvents(issuer.service, `${new URL(url).pathname}/events`, cookie === undefined ? {} : { cookie })

/** A browser that has opened a page. */
async function beginner(url: string): Promise<Visitor> {
  const visitor = newVisitor(issuer.service)
  await visitor.open(url)
  return visitor
}

describe('the page of an offering that expires in the last days that RFC 3339 can express', () => {
  it.each([
    '9999-12-01T23:59:59.999Z',
    '9999-12-02T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T22:59:59.999-01:00',
  ])('exists until its expiry: %s', async (expires_at) => {
    const { id } = await issuer.makeOffering({ expires_at })
    const { status, json } = await post('/pages', { offeringId: id })
    expect(status).toBe(201)
    expect((await open(String(json.url))).status).toBe(200)
    const rows = await query(issuer.service.databaseUrl, 'SELECT expires_at FROM pages WHERE offering_id = $1', [id])
    expect(rows).toEqual([{ expires_at: new Date('9999-12-31T23:59:59.999Z') }])
  })
})

describe('the page of a credential offer', () => {
  it('shows offer, issuer, QR code, link and time left, but no claim; its address does not contain the session’s id', async () => {
    const { offer, url } = await offerOnPage({ expiresInSeconds: 600 })
    const page = await open(url)
    const text = writtenOn(page)
    expect(page.status).toBe(200)
    expect(text).toContain(`${new URL(issuer.service.url).host} Proof of purchase for your wallet`)
    expect(text).toContain(
      `Offered credential Proof of purchase ${new URL(issuer.service.url).host} It contains Product price`,
    )
    expect(text).toMatch(/Time left: (10|9) minutes/)
    expect(text).toContain('Waiting for your wallet.')
    expect(page.text).not.toContain(SUBJECT.product)
    expect([scanned(page), linkOn(page, 'Open my wallet')]).toEqual([
      offer.credentialOfferUri,
      offer.credentialOfferUri,
    ])
    expect(url).not.toContain(offer.credentialOfferSessionId)
  })

  it('leads to the wallet that the offer names', async () => {
    const { offer, url } = await offerOnPage({ walletUrl: 'https://wallet.example/take' })
    const page = await open(url)
    expect(offer.credentialOfferUri).toMatch(/^https:\/\/wallet\.example\/take\?/)
    expect([scanned(page), linkOn(page, 'Open my wallet')]).toEqual([
      offer.credentialOfferUri,
      offer.credentialOfferUri,
    ])
  })

  it('can be made with the offer: its creator has one page, and may set the texts later', async () => {
    const offer = await issuer.makeOffer({ page: true, walletUrl: 'https://wallet.example/offer' })
    const page = await open(offer.pageUrl)
    expect([page.status, linkOn(page, 'Open my wallet')]).toEqual([200, offer.credentialOfferUri])
    // A camera without a wallet opens the page. The scanner of a wallet opens the offer.
    expect(scannedBoth(page)).toEqual([offer.pageUrl, offer.credentialOfferUri])
    const { credentialOfferSessionId } = offer
    const { json } = await post('/pages', { credentialOfferSessionId, title: 'Your receipt' })
    expect(json.url).toBe(offer.pageUrl)
    const retold = await open(json.url)
    expect(writtenOn(retold)).toContain('Your receipt')
    expect(scannedBoth(retold)).toEqual([offer.pageUrl, offer.credentialOfferUri])
  })

  it('does not exist if no page was requested', async () => {
    for (const members of [{}, { page: false }]) expect(await issuer.makeOffer(members)).not.toHaveProperty('pageUrl')
  })

  it('an offer with a page is made in as many statements as without', async () => {
    // During the first two rounds the service reads data that it then caches.
    for (const page of [false, true]) await issuer.makeOffer({ page })
    const record = recordStatements()
    try {
      for (const page of [false, true]) {
        record.clear()
        await issuer.makeOffer({ page })
        expect(record.sent(), `page: ${page}`).toHaveLength(2)
      }
    } finally {
      record.stop()
    }
  })

  it('says that a code will be needed, and never shows the code', async () => {
    const { offer, url } = await offerOnPage({ txCode: { length: 8, description: 'It is in your letter.' } })
    const page = await open(url)
    expect(writtenOn(page)).toContain(
      'Your wallet will ask you for a code of 8 digits. You get the code separately. It is in your letter.',
    )
    expect(page.text).not.toContain(offer.txCode)
  })

  it('shows the progress until the wallet has the credential, on the page and in its events, in the first browser', async () => {
    const { offer, url } = await offerOnPage()
    const visitor = await beginner(url)
    await using stream = await eventsOf(url, visitor)
    const next = async () => JSON.parse((await stream.next()).data ?? '')
    expect(await next()).toEqual({ state: 'Created', message: 'Waiting for your wallet.' })
    const token = await issuer.token(offer.credentialOfferSessionId)
    expect([(await next()).state, (await next()).state]).toEqual(['OfferRetrieved', 'TokenIssued'])
    expect(writtenOn(await visitor.open(url))).toContain('Your wallet is fetching the credential.')
    expect((await issuer.take(token, SD_JWT)).status).toBe(200)
    const done = { state: 'CredentialIssued', message: 'Done. Your wallet has received the credential.' }
    expect(await next()).toEqual(done)
    await expect(stream.next()).rejects.toThrow('The stream ended')
    const ended = await visitor.open(url)
    expect([ended.status, linkOn(ended, 'Open my wallet')]).toEqual([200, undefined])
    expect(writtenOn(ended)).toContain(done.message)
  })

  it('of a deferred offer shows that the issuer decides, and then the decision', async () => {
    const { offer, url } = await offerOnPage({ deferred: true })
    const visitor = newVisitor(issuer.service)
    expect(writtenOn(await visitor.open(url))).toContain('The issuer decides later whether you get the credential.')
    expect((await issuer.take(await issuer.token(offer.credentialOfferSessionId), SD_JWT)).status).toBe(202)
    const waiting = await visitor.open(url)
    expect(writtenOn(waiting)).toContain('The issuer has not decided yet.')
    expect(linkOn(waiting, 'Open my wallet')).toBeUndefined()
    await issuer.decide(offer.credentialOfferSessionId, 'reject', { reason: 'No customer: Ada Lovelace' })
    const rejected = await visitor.open(url)
    expect(writtenOn(rejected)).toContain('The issuer declined. You get no credential.')
    expect(rejected.text).not.toContain('Lovelace')
  })

  it('shows the outcome and the next step to a browser that returns after the expiry', async () => {
    const [taken, deferred] = [await offerOnPage(), await offerOnPage({ deferred: true })]
    const [sleeper, other] = [await beginner(taken.url), await beginner(deferred.url)]
    for (const { offer } of [taken, deferred]) {
      const token = await issuer.token(offer.credentialOfferSessionId)
      await issuer.take(token, SD_JWT)
    }
    CLOCK.ahead += 2 * 86_400
    await using ended = await eventsOf(taken.url, sleeper)
    expect(JSON.parse((await ended.next()).data ?? '').state).toBe('CredentialIssued')
    await expect(ended.next()).rejects.toThrow('The stream ended')
    await using waiting = await eventsOf(deferred.url, other)
    expect(JSON.parse((await waiting.next()).data ?? '').message).toContain('The issuer has not decided yet.')
    CLOCK.ahead = 0
  })

  it('of an expired offer says so as long as the session is stored', async () => {
    const { pageUrl } = await issuer.makeOffer({ expiresInSeconds: 60, page: true })
    CLOCK.ahead += 120
    await issuer.service.platform.stores.pages.removeExpired(CLOCK.now(), 1_000)
    const page = await open(pageUrl)
    expect([page.status, linkOn(page, 'Open my wallet')]).toEqual([410, undefined])
    expect(writtenOn(page)).toContain('The credential offer has expired.')
    CLOCK.ahead = 0
  })

  it('can be made only by the creator of the offer', async () => {
    const offer = await issuer.makeOffer()
    const { credentialOfferSessionId } = offer
    const refused = await post('/pages', { credentialOfferSessionId }, 'mallory')
    expect([refused.status, refused.json.message]).toEqual([403, 'credentialOfferSessionId belongs to another caller.'])
    expect((await post('/pages', { credentialOfferSessionId: crypto.randomUUID() })).status).toBe(404)
    // The id of a session is not the id of an offering.
    expect((await post('/pages', { offeringId: credentialOfferSessionId })).status).toBe(404)
  })
})

describe('a browser other than the first', () => {
  const USED = 'This link has been used or has expired. If you need another link, ask the sender.'
  const host = () => new URL(issuer.service.url).host
  const heading = () => `${host()} Proof of purchase for your wallet`

  /**
   * Opens the page in a first browser and acts on the offer. Returns the texts that this browser and other browsers
   * then see.
   */
  async function told(
    members: Record<string, unknown>,
    act: (offer: Awaited<ReturnType<typeof offerOnPage>>['offer']) => Promise<unknown>,
  ) {
    const { offer, url } = await offerOnPage(members)
    const own = await beginner(url)
    const second = await beginner(url)
    await act(offer)
    const [mine, ...others] = [await own.open(url), await second.open(url), await open(url)]
    return { url, own, mine, others }
  }

  const take = async ({ credentialOfferSessionId }: { credentialOfferSessionId: string }) =>
    issuer.take(await issuer.token(credentialOfferSessionId), SD_JWT)

  const notify = (event: string) => async (offer: { credentialOfferSessionId: string }) => {
    const token = await issuer.token(offer.credentialOfferSessionId)
    const { notification_id } = (await issuer.take(token, SD_JWT)).json
    await issuer.notify(token, { notification_id, event })
  }

  const lock = async (offer: { credentialOfferSessionId: string }) => {
    const code = await issuer.code(offer.credentialOfferSessionId)
    for (let times = 0; times < 5; times += 1)
      await issuer.requestToken({ grant_type: GRANT, 'pre-authorized_code': code, tx_code: 'wrong!' })
  }

  it.each([
    ['has been taken', {}, take, 'Done. Your wallet has received the credential.'],
    ['is kept', {}, notify('credential_accepted'), 'Done. Your wallet has stored the credential.'],
    ['failed', {}, notify('credential_failure'), 'This did not work. Your wallet has no credential from this offer.'],
    ['is locked', { txCode: true }, lock, 'A wrong code was entered too often. The offer is locked.'],
    [
      'was rejected',
      { deferred: true },
      async (offer: { credentialOfferSessionId: string }) => {
        await take(offer)
        await issuer.decide(offer.credentialOfferSessionId, 'reject', {})
      },
      'The issuer declined. You get no credential.',
    ],
  ])('learns only the end of an offer that %s', async (_, members, act, ownMessage) => {
    const { url, own, mine, others } = await told(members, act)
    expect([mine.status, writtenOn(mine)]).toEqual([200, `${heading()} ${ownMessage}`])
    for (const other of others)
      expect([other.status, writtenOn(other), other.headers.get('set-cookie')]).toEqual([
        410,
        `${heading()} ${USED}`,
        null,
      ])
    await using mineToo = await eventsOf(url, own)
    expect(JSON.parse((await mineToo.next()).data ?? '').message).toBe(ownMessage)
    for (const cookie of [undefined, `presentation=${'A'.repeat(43)}`]) {
      await using theirs = await eventsOf(url, { cookie })
      expect(JSON.parse((await theirs.next()).data ?? '')).toEqual({ state: 'Ended', message: USED })
      await expect(theirs.next()).rejects.toThrow('The stream ended')
    }
  })

  it('sees that a wallet has opened the offer, and no further progress', async () => {
    const { offer, url } = await offerOnPage()
    await beginner(url)
    await using theirs = await eventsOf(url)
    const next = async () => JSON.parse((await theirs.next()).data ?? '')
    expect(await next()).toEqual({ state: 'Created', message: 'Waiting for your wallet.' })
    await take(offer)
    const inUse = { state: 'OfferRetrieved', message: 'A wallet has opened the offer.' }
    expect([await next(), await next()]).toEqual([inUse, inUse])
    expect(await next()).toEqual({ state: 'Ended', message: USED })
    await expect(theirs.next()).rejects.toThrow('The stream ended')
  })

  it('includes a browser that opens the page for the first time after a wallet has begun to take the offer', async () => {
    const { offer, url } = await offerOnPage()
    const token = await issuer.token(offer.credentialOfferSessionId)
    const late = await beginner(url)
    expect(late.cookie).toBeUndefined()
    await issuer.take(token, SD_JWT)
    expect(writtenOn(await late.open(url))).toBe(`${heading()} ${USED}`)
    expect((await open(`${issuer.service.url}/receive/${crypto.randomUUID()}`)).status).toBe(404)
  })

  it('is not bound by a preview or a prefetch: the next browser becomes the first', async () => {
    const { offer, url } = await offerOnPage()
    const ahead = await newVisitor(issuer.service).open(url, { 'sec-purpose': 'prefetch' })
    expect([ahead.status, ahead.headers.get('set-cookie')]).toEqual([503, null])
    expect((await issuer.service.request('HEAD', new URL(url).pathname)).headers.get('set-cookie')).toBeNull()
    const embedded = await newVisitor(issuer.service).open(url, { 'sec-fetch-dest': 'iframe' })
    expect(embedded.headers.get('set-cookie')).toBeNull()
    const visitor = newVisitor(issuer.service)
    const set = (await visitor.open(url)).headers.get('set-cookie')
    expect(set).toMatch(/^presentation=[\w-]{43}; Path=\/; Max-Age=90000; HttpOnly; SameSite=Lax$/)
    await take(offer)
    expect(writtenOn(await visitor.open(url))).toContain('Done.')
  })

  it('learns that the offer has expired if it was not taken', async () => {
    const { url } = await offerOnPage({ expiresInSeconds: 60 })
    await beginner(url)
    CLOCK.ahead += 120
    for (const task of issuanceTasks(issuer.service)) await runTask(task, CLOCK.now())
    const page = await open(url)
    expect([page.status, writtenOn(page)]).toEqual([410, `${heading()} The credential offer has expired.`])
    CLOCK.ahead = 0
  })
})

describe('the page of an offering', () => {
  it('is for everyone until the offering is used up or has expired; it has no events', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const { json } = await post('/pages', { offeringId: offering.id, title: 'Your receipt', text: 'Keep it.' })
    const page = await open(json.url)
    expect([page.status, scanned(page)]).toEqual([200, offering.offering_full_url])
    expect(writtenOn(page)).toContain('Your receipt Keep it.')
    expect(page.text).not.toMatch(/<script|data-events/)
    expect(page.headers.get('set-cookie')).toBeNull()
    expect((await issuer.service.request('GET', `${new URL(json.url).pathname}/events`)).status).toBe(404)
    await issuer.service.request('POST', `/api/v1/offerings/${offering.id}/claim`, {
      authorization: await issuer.service.bearer('anybody'),
    })
    const used = await open(json.url)
    expect([used.status, writtenOn(used)]).toEqual([410, expect.stringContaining('has been used up.')])
    const none = await post('/pages', { offeringId: offering.id })
    expect([none.status, none.json.message]).toEqual([409, 'offeringId has ended: no page can be made of it.'])
  })

  it('of another caller keeps its texts, because each caller has a separate page', async () => {
    const { id } = await issuer.makeOffering()
    const { json: shop } = await post('/pages', { offeringId: id, title: 'Your receipt' })
    const { json: mallory } = await post('/pages', { offeringId: id, title: 'Call 0900 123 first' }, 'mallory')
    expect(mallory.url).not.toBe(shop.url)
    expect(writtenOn(await open(shop.url))).toContain('Your receipt')
    const { json: again } = await post('/pages', { offeringId: id, title: 'Your new receipt' })
    expect(again.url).toBe(shop.url)
    expect(writtenOn(await open(shop.url))).toContain('Your new receipt')
  })

  it('of an offering without expiry is kept as long as the offering', async () => {
    const { json } = await post('/pages', { offeringId: (await issuer.makeOffering()).id })
    const later = new Date(CLOCK.now().getTime() + 10_000 * 86_400_000)
    await issuer.service.platform.stores.pages.removeExpired(later, 1_000)
    const page = await open(json.url)
    expect(page.status).toBe(200)
    expect(writtenOn(page)).not.toContain('Time left')
  })

  it('a view is one statement; unknown pages are not found', async () => {
    const { url } = await offerOnPage()
    const record = recordStatements()
    try {
      await open(url)
      expect(record.sent()).toHaveLength(1)
    } finally {
      record.stop()
    }
    expect((await open(`${issuer.service.url}/receive/${crypto.randomUUID()}`)).status).toBe(404)
  })
})
