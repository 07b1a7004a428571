import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findKeys, findMissingKeys } from '../../scripts/start/identity-provider.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { startOpenidProvider } from '../support/openid-provider.js'

/** The answer of a provider to the request for its discovery document. */
let answer: (response: ServerResponse) => void
let asked: string | undefined
const server = createServer((request, response) => {
  asked = request.url
  answer(response)
})
let issuer: string
beforeAll(async () => {
  issuer = await listenLocally(server)
})
afterAll(() => closeServer(server))

const says = (document: unknown) => {
  answer = (response) => response.end(typeof document === 'string' ? document : JSON.stringify(document))
}

describe('the keys of an identity provider (OpenID Connect Discovery 1.0 §4)', () => {
  it('are found at a real provider', async () => {
    await using provider = await startOpenidProvider()
    await provider.register('http://localhost:3000')
    await expect(findKeys(provider.issuer)).resolves.toEqual({ jwksUrl: `${provider.issuer}/jwks` })
  })

  it('are asked for below the path of the issuer, with or without a slash at its end', async () => {
    for (const path of ['/realms/credence', '/realms/credence/']) {
      says({ issuer: `${issuer}${path}`, jwks_uri: `${issuer}/certs` })
      await expect(findKeys(`${issuer}${path}`)).resolves.toEqual({ jwksUrl: `${issuer}/certs` })
      expect(asked).toBe('/realms/credence/.well-known/openid-configuration')
    }
  })

  it('of a provider with another name are not used: the sentence has the name to set', async () => {
    says({ issuer: `${issuer}/`, jwks_uri: `${issuer}/certs` })
    await expect(findKeys(issuer)).resolves.toEqual({
      problem: `OIDC_ISSUER: the provider calls itself ${issuer}/. Set OIDC_ISSUER=${issuer}/`,
    })
  })

  it.each([
    ['a page', '<html></html>', 'its answer is no JSON'],
    ['no provider', { issuer: 'x' }, 'has no issuer or no jwks_uri'],
    ['an endless answer', 'x'.repeat(300 * 1024), 'its document is too large'],
  ])('of %s are not found, which a sentence explains', async (_, document, reason) => {
    says(document)
    await expect(findKeys(issuer)).resolves.toEqual({ problem: expect.stringContaining(reason) })
  })

  it.each(['file:///etc/passwd', 'data:application/json,{}', 'keys'])('are not taken from %s', async (jwksUrl) => {
    says({ issuer, jwks_uri: jwksUrl })
    await expect(findKeys(issuer)).resolves.toEqual({ problem: expect.stringContaining('is no https address') })
  })

  it('of an unreachable provider are not found: the sentence names the address and the reason', async () => {
    await expect(findKeys('http://127.0.0.1:1')).resolves.toEqual({
      problem: expect.stringMatching(
        /^OIDC_JWKS_URL: http:\/\/127\.0\.0\.1:1\/\.well-known\/openid-configuration cannot be read, because .+ Check OIDC_ISSUER/,
      ),
    })
    answer = (response) => response.writeHead(503).end()
    await expect(findKeys(issuer)).resolves.toEqual({ problem: expect.stringContaining('it answers with status 503') })
  })

  it.each(['login.example', 'file:///etc/passwd'])('of %s are not asked for', async (address) => {
    await expect(findKeys(address)).resolves.toEqual({
      problem: 'OIDC_ISSUER: set the http or https address of the identity provider.',
    })
  })

  it('are not asked for if they are known or not needed', async () => {
    asked = undefined
    for (const environment of [
      {},
      { OIDC_ISSUER: '' },
      { OIDC_ISSUER: issuer, OIDC_JWKS_URL: `${issuer}/certs` },
      { OIDC_ISSUER: issuer, AUTH_DISABLED: 'true' },
      { OIDC_ISSUER: issuer, NODE_ENV: 'production' },
    ])
      await expect(findMissingKeys(environment)).resolves.toBeUndefined()
    expect(asked).toBeUndefined()
  })
})
