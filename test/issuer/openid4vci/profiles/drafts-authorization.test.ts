import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '../../../support/wallet-actor.js'
import { type Issuer, JWT_VC, refusalOf, SD_JWT, startIssuer } from '../actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from '../browser.js'

const FORMER = `${SD_JWT}-legacy`
const NONCE = { c_nonce: expect.stringMatching(/^[\w-]{40,}$/), c_nonce_expires_in: 300 }

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ env: { ISSUER_LEGACY_PROFILES: 'draft13,draft11' } })
})
afterAll(() => issuer.service.close())

const asked = () => ({ format: 'vc+sd-jwt', vct: `${issuer.service.url}/vct/${JWT_VC}` })
const details = (...members: object[]) =>
  JSON.stringify(members.map((detail) => ({ type: 'openid_credential', ...detail })))

/** Makes an authorization request with PKCE, for an offer of a profile. */
async function requestFor(profile: string, authorizationDetails: string, ids: readonly string[]) {
  const made = await issuer.makeOffer({ profile, grant: 'authorization_code', credentialConfigurationIds: ids })
  const { verifier, challenge } = newPkce()
  const parameters = {
    client_id: 'wallet',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    issuer_state: made.credentialOffer.grants.authorization_code.issuer_state as string,
    authorization_details: authorizationDetails,
  }
  return { parameters, verifier }
}

const push = (parameters: Readonly<Record<string, string>>) =>
  issuer.service.request('POST', '/openid4vci/par', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  })

async function codeAt(location: string): Promise<string> {
  const browser = newBrowser(issuer.service)
  const { id, page } = await openPage(browser, location)
  expect(page.status, page.text).toBe(200)
  return responseOf(await browser.decide(page, id, 'accept')).code ?? ''
}

describe.each(['draft13', 'draft11'])('an authorization for an offer of %s', (profile) => {
  it.each(['pushed', 'in the address'])('may name its credential by format (draft 13 §5.1.1), %s', async (how) => {
    const { parameters, verifier } = await requestFor(profile, details(asked()), [JWT_VC, FORMER])
    const pushed = how === 'pushed' ? (await push(parameters)).json : {}
    const query = how === 'pushed' ? { client_id: 'wallet', request_uri: pushed.request_uri } : parameters
    const code = await codeAt(`/openid4vci/authorize?${new URLSearchParams(query)}`)
    const redeemed = await issuer.requestToken({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      client_id: 'wallet',
    })
    expect(redeemed.json).toMatchObject({
      ...NONCE,
      authorization_details: [{ credential_configuration_id: FORMER, credential_identifiers: [FORMER] }],
    })

    const refreshed = await issuer.requestToken({
      grant_type: 'refresh_token',
      refresh_token: redeemed.json.refresh_token,
      authorization_details: details(asked()),
    })
    expect(refreshed.json).toMatchObject(NONCE)

    const wallet = await newWallet()
    for (const { access_token: token, c_nonce: nonce } of [redeemed.json, refreshed.json]) {
      const proof = {
        proof_type: 'jwt',
        jwt: await wallet.proof(issuer.service.url, nonce, { payload: { iss: 'wallet' } }),
      }
      const taken = await issuer.requestCredential(token, { ...asked(), proof })
      expect(taken.json).toMatchObject({ credential: expect.stringMatching(/~$/), ...NONCE })
      expect(taken.json).not.toHaveProperty('credentials')
    }
  })
})

describe('an authorization for an offer of final', () => {
  it('has no member of the drafts that names a format', async () => {
    const { parameters } = await requestFor('final', details(asked()), [JWT_VC, SD_JWT])
    expect(refusalOf(await push(parameters)).slice(0, 2)).toEqual([400, 'invalid_authorization_details'])
  })

  it('has no c_nonce, in the first and in refreshed tokens', async () => {
    const byId = details({ credential_configuration_id: SD_JWT })
    const { parameters, verifier } = await requestFor('final', byId, [JWT_VC, SD_JWT])
    const code = await codeAt(`/openid4vci/authorize?${new URLSearchParams(parameters)}`)
    const redeemed = await issuer.requestToken({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      client_id: 'wallet',
    })
    const refresh = { grant_type: 'refresh_token', refresh_token: redeemed.json.refresh_token }
    const refreshed = await issuer.requestToken(refresh)
    for (const { status, json } of [redeemed, refreshed]) {
      expect(status).toBe(200)
      expect(json).not.toHaveProperty('c_nonce')
      expect(json).not.toHaveProperty('c_nonce_expires_in')
    }
  })
})
