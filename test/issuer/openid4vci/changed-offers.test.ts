import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { type Issuer, movingClock, SD_JWT, startIssuer } from './actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'

const clock = movingClock()
let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
  Object.assign(issuer.service.platform.config, { signIn: undefined })
})
afterAll(() => issuer.service.close())

/** Makes an offer, and opens its page of consent. */
async function shownOffer() {
  const made = await issuer.makeOffer({ grant: 'authorization_code', expiresInSeconds: 60 })
  const address = new URLSearchParams({
    client_id: 'wallet',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SD_JWT,
    code_challenge: newPkce().challenge,
    code_challenge_method: 'S256',
    issuer_state: made.credentialOffer.grants.authorization_code.issuer_state,
  })
  const browser = newBrowser(issuer.service)
  const { id, page } = await openPage(browser, `/openid4vci/authorize?${address}`)
  expect(page.status, page.text).toBe(200)
  return { id, offerId: made.credentialOfferSessionId as string, accept: () => browser.decide(page, id, 'accept') }
}

const changed = (sql: string) => async (id: string) => {
  await query(issuer.service.databaseUrl, sql, [id])
}

/** Changes of an offer after its page was shown. */
const CHANGES: readonly [string, (offerId: string) => Promise<void>][] = [
  [
    'has expired',
    async () => {
      clock.ahead = 120
    },
  ],
  ['has ended', changed("UPDATE credential_offer_sessions SET state = 'Error', error_message = 'ended' WHERE id = $1")],
  ['is for another user', changed("UPDATE offerings SET for_subject = 'another' WHERE id = $1")],
  [
    'is for another recipient, if users have DIDs',
    async (offerId) => {
      await changed("UPDATE offerings SET recipient = 'did:example:another' WHERE id = $1")(offerId)
      const signIn = { issuer: 'https://idp.example', clientId: 'x', clientSecret: undefined, scope: 'openid' }
      Object.assign(issuer.service.platform.config, { signIn })
    },
  ],
]

it.each(CHANGES)(
  'an offer that %s when the user agrees is not granted: access_denied, and no code',
  async (_how, change) => {
    const { id, offerId, accept } = await shownOffer()
    await change(offerId)
    const response = responseOf(await accept())
    expect(response).toMatchObject({ error: 'access_denied', iss: issuer.service.url })
    expect(response).not.toHaveProperty('code')
    const rows = await query(issuer.service.databaseUrl, 'SELECT state, code_hash FROM authorizations WHERE id = $1', [
      id,
    ])
    expect(rows).toEqual([{ state: 'Denied', code_hash: null }])
  },
)

it('an offer that has not changed since its page is granted', async () => {
  expect(responseOf(await (await shownOffer()).accept())).toHaveProperty('code')
})
