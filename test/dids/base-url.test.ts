import { describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { startService, type TestService } from '../support/service.js'

const at = (url: string) => ({ ISSUER_BASE_URL: url, VERIFIER_BASE_URL: url })

const defaultsOf = async ({ platform }: TestService) => ({
  issuer: (await platform.stores.agents.defaultIssuer())?.did,
  verifier: (await platform.stores.agents.defaultVerifier())?.did,
})

describe('an installation that moves to another base URL', () => {
  it('signs under the DIDs of the new URL after the next start, with the same keys and documents', async () => {
    await using before = await startService({ env: at('https://old.example') })
    const { databaseUrl, identityProvider } = before
    const former = await defaultsOf(before)
    expect(former.issuer).toMatch(/^did:web:old\.example:[0-9a-f-]{36}$/)
    const keys = (await before.platform.resolver.resolve(former.issuer ?? '')).verificationMethod?.[0]?.publicKeyJwk

    await using after = await startService({ databaseUrl, identityProvider, env: at('https://new.example/app') })
    const moved = await defaultsOf(after)
    expect(moved).toEqual({
      issuer: former.issuer?.replace('old.example', 'new.example:app'),
      verifier: former.verifier?.replace('old.example', 'new.example:app'),
    })
    const { json } = await after.request('GET', `/${former.issuer?.split(':').at(-1)}/did.json`)
    expect([json.id, json.verificationMethod[0].publicKeyJwk]).toEqual([moved.issuer, keys])

    const authorization = await after.bearer('alice', { roles: ['admin'] })
    const { name: type } = await postSchema(after, authorization)
    const created = await after.request('POST', '/api/v1/credentials', {
      authorization,
      body: { type, credential_subject: SUBJECT },
    })
    expect(created.json.vc.issuer).toBe(moved.issuer)
    const body = { credential: created.json.vc.proof.jws }
    expect((await after.request('POST', '/credentials/verify', { authorization, body })).json.isValid).toBe(true)
  })

  it('signs as the did:web for https, as the did:jwk of the same key for http', async () => {
    await using plain = await startService()
    const { databaseUrl, identityProvider } = plain
    const { issuer: didJwk = '' } = await defaultsOf(plain)
    expect(didJwk).toMatch(/^did:jwk:/)
    await using secure = await startService({ databaseUrl, identityProvider, env: at('https://credence.example') })
    const { issuer: didWeb = '' } = await defaultsOf(secure)
    expect(didWeb).toMatch(/^did:web:credence\.example:/)
    const document = await secure.request('GET', `/${didWeb.split(':').at(-1)}/did.json`)
    expect(document.json.alsoKnownAs).toEqual([didJwk])
    await using again = await startService({ databaseUrl, identityProvider })
    expect((await defaultsOf(again)).issuer).toBe(didJwk)
  })

  it('has one default issuer and one default verifier after any number of starts', async () => {
    await using first = await startService()
    const { databaseUrl, identityProvider } = first
    const before = await defaultsOf(first)
    await using second = await startService({ databaseUrl, identityProvider, env: at(first.url) })
    expect(await defaultsOf(second)).toEqual(before)
    expect(await first.platform.stores.agents.issuers('nobody', { take: 10, after: undefined })).toHaveLength(1)
    expect(await first.platform.stores.agents.verifiers('nobody', { take: 10, after: undefined })).toHaveLength(1)
  })
})
