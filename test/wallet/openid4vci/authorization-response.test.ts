import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIPLOMA_SD_JWT, type RemoteIssuerOptions, startRemoteIssuer } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { requestsTo, taking } from '../taking.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

const WITHOUT_PAR = { pushed_authorization_request_endpoint: undefined }

const SERVERS: readonly (readonly [string, RemoteIssuerOptions])[] = [
  ['pushed', {}],
  ['in the address', { serverMetadata: WITHOUT_PAR }],
  ['pushed, with proofs of possession', { dpop: true }],
]

describe.each(SERVERS)('a request that is %s', (_how, options) => {
  it('has a state that cannot be guessed, a new state in each flow (RFC 6749 §10.10, §10.12)', async () => {
    const redirects: URLSearchParams[] = []
    await using issuer = await startRemoteIssuer({
      authorization: 'immediate',
      redirected: (parameters) => redirects.push(new URLSearchParams(parameters)),
      ...options,
    })
    for (const wallet of [await newWallet(service), await newWallet(service), await newWallet(service)]) {
      const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
      expect(taken.status, taken.text).toBe(200)
    }
    const states = redirects.map((parameters) => parameters.get('state') ?? '')
    expect(states.map((state) => /^[A-Za-z0-9_-]{43}$/.test(state))).toEqual([true, true, true])
    expect(new Set(states).size).toBe(3)
    const sent =
      options.serverMetadata === WITHOUT_PAR
        ? requestsTo(issuer, '/authorize').map(({ url }) => new URL(url, issuer.url).searchParams)
        : requestsTo(issuer, '/par').map(({ text }) => new URLSearchParams(text))
    expect(states.filter((state) => sent.some((parameters) => parameters.get('state') === state))).toEqual(states)
  })
})

const changed = (text: string | null) => `${text?.startsWith('A') ? 'B' : 'A'}${text?.slice(1)}`

const twice = (name: string) => (parameters: URLSearchParams) => {
  for (const value of ['1', '2']) parameters.append(name, value)
}

const without =
  (...names: readonly string[]) =>
  (parameters: URLSearchParams) => {
    for (const name of names) parameters.delete(name)
  }

const WRONG: readonly (readonly [string, string, (parameters: URLSearchParams) => void])[] = [
  ['no state', 'no state', (sent) => sent.delete('state')],
  ['an empty state', 'no state', (sent) => sent.set('state', '')],
  ['the state of another flow', 'another state', (sent) => sent.set('state', changed(sent.get('state')))],
  ['a state that is cut off', 'another state', (sent) => sent.set('state', sent.get('state')?.slice(0, -1) ?? '')],
  ['the state with a text after it', 'another state', (sent) => sent.set('state', `${sent.get('state')}=`)],
  ['its state twice', 'The parameter state', (sent) => sent.append('state', sent.get('state') ?? '')],
  ['two codes', 'The parameter code', (sent) => sent.append('code', 'another')],
  ['two issuers', 'The parameter iss', (sent) => sent.append('iss', 'https://attacker.example')],
  ['an unknown parameter twice', 'The parameter x', twice('x')],
  ['no iss', 'no iss', (sent) => sent.delete('iss')],
  ['another iss', 'iss', (sent) => sent.set('iss', 'https://attacker.example')],
  ['the iss with a slash after it', 'iss', (sent) => sent.set('iss', `${sent.get('iss')}/`)],
  ['an iss that is not an address', 'iss', (sent) => sent.set('iss', 'attacker')],
  ['a code and an error', 'both code and error', (sent) => sent.set('error', 'access_denied')],
  ['neither code nor error', 'neither code nor error', (sent) => sent.delete('code')],
  ['an error without the state', 'no state', without('state', 'code')],
]

describe('an authorization response is refused with', () => {
  it.each(WRONG)('%s (RFC 6749 §3.1, §4.1.2, §10.12; RFC 9207 §2.4)', async (_what, message, redirected) => {
    await using taken = await taking(service, { authorization: 'immediate', redirected })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([500, expect.stringContaining(message)])
    expect(taken.answer.text).not.toContain('attacker')
    expect(requestsTo(taken.issuer, '/authorize')).toHaveLength(1)
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })
})

describe('a server whose metadata do not announce iss (RFC 9207 §2.4)', () => {
  const silent = {
    authorization: 'immediate',
    serverMetadata: { authorization_response_iss_parameter_supported: false },
  } as const

  it.each([undefined, false])('may omit iss (%s)', async (supported) => {
    await using taken = await taking(service, {
      authorization: 'immediate',
      serverMetadata: { authorization_response_iss_parameter_supported: supported },
      redirected: (parameters) => parameters.delete('iss'),
    })
    expect(taken.answer.status, taken.answer.text).toBe(200)
  })

  it('may send its own iss', async () => {
    await using taken = await taking(service, silent)
    expect(taken.answer.status, taken.answer.text).toBe(200)
  })

  it('may not send the iss of another server', async () => {
    await using taken = await taking(service, {
      ...silent,
      redirected: (parameters) => parameters.set('iss', 'https://attacker.example'),
    })
    expect([taken.answer.status, requestsTo(taken.issuer, '/token')]).toEqual([500, []])
  })
})

it('an error of the server with the state of the flow is reported as its refusal (RFC 6749 §4.1.2.1)', async () => {
  await using taken = await taking(service, {
    authorization: 'immediate',
    redirected: (parameters) => {
      parameters.delete('code')
      parameters.set('error', 'access_denied')
    },
  })
  expect(taken.answer.json.message).toBe('The authorization server refused the request: access_denied')
})

it('a wrong state loses nothing: the flow can be confirmed after the right redirect', async () => {
  let wrong = true
  await using issuer = await startRemoteIssuer({
    authorization: 'immediate',
    redirected: (parameters) => {
      if (wrong) parameters.set('state', 'of-another-flow')
    },
  })
  const { authorization, did } = await newWallet(service)
  const qrContent = await issuer.offer([DIPLOMA_SD_JWT])
  const flow = await service.request('POST', '/flows', { authorization, body: { qrContent, did } })
  expect(flow.status, flow.text).toBe(201)
  const confirm = () =>
    service.request('POST', `/flows/${flow.json.data.processId}/confirm`, {
      authorization,
      body: { type: 'claim', selectedCredential: {} },
    })
  expect((await confirm()).status).toBe(500)
  expect((await confirm()).status).toBe(500)
  wrong = false
  const confirmed = await confirm()
  expect([confirmed.status, confirmed.json.data?.credentials?.length]).toEqual([200, 1])
})
