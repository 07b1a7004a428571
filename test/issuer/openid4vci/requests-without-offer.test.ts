import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { type Issuer, JWT_VC, refusalOf, SD_JWT, startIssuer } from './actors.js'
import { newBrowser, newPkce, REDIRECT_URI, responseOf } from './browser.js'

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.service.close())

const details = (...members: object[]) =>
  JSON.stringify(members.map((detail) => ({ type: 'openid_credential', ...detail })))

type Parameters = Readonly<Record<string, string>>

const request = (parameters: Parameters) => ({
  client_id: 'wallet',
  response_type: 'code',
  redirect_uri: REDIRECT_URI,
  state: 'of-the-wallet',
  code_challenge: newPkce().challenge,
  code_challenge_method: 'S256',
  ...parameters,
})

const push = (parameters: Parameters) =>
  issuer.service.request('POST', '/openid4vci/par', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(request(parameters)).toString(),
  })

const visit = (parameters: Parameters) =>
  newBrowser(issuer.service).get(`/openid4vci/authorize?${new URLSearchParams(request(parameters))}`)

const stored = async () => {
  const [row] = await query<{ n: number }>(
    issuer.service.databaseUrl,
    'SELECT count(*)::int AS n FROM authorizations',
    [],
  )
  return row?.n
}

describe('a request that names no offer', () => {
  it.each<[string, Parameters, string]>([
    ['an unknown scope', { scope: 'openid Unknown' }, 'invalid_scope'],
    ['neither scope nor details', {}, 'invalid_scope'],
    ['details that are not JSON', { authorization_details: '{' }, 'invalid_authorization_details'],
    ['details of another type', { authorization_details: '[{"type":"x"}]' }, 'invalid_authorization_details'],
    [
      'details that name an unknown configuration',
      { scope: JWT_VC, authorization_details: details({ credential_configuration_id: 'Unknown' }) },
      'invalid_authorization_details',
    ],
    [
      'details for another issuer',
      {
        authorization_details: details({ credential_configuration_id: SD_JWT, locations: ['https://other.example'] }),
      },
      'invalid_authorization_details',
    ],
  ])('is refused for %s, pushed or in the address (OpenID4VCI 1.0 §5.1)', async (_name, parameters, error) => {
    const before = await stored()
    expect(refusalOf(await push(parameters)).slice(0, 2)).toEqual([400, error])
    expect(responseOf(await visit(parameters))).toMatchObject({ error, state: 'of-the-wallet' })
    expect(await stored()).toBe(before)
  })

  it.each<[string, Parameters]>([
    ['a known scope beside unknown scopes', { scope: `openid ${SD_JWT}` }],
    ['details', { authorization_details: details({ credential_configuration_id: JWT_VC }) }],
    [
      'details beside an unknown scope',
      { scope: 'openid', authorization_details: details({ credential_configuration_id: JWT_VC }) },
    ],
  ])('is accepted by %s', async (_name, parameters) => {
    expect((await push(parameters)).status).toBe(201)
    expect((await visit(parameters)).headers.get('location')).toMatch(/\/openid4vci\/authorize\/[\w-]{36}$/)
  })
})
