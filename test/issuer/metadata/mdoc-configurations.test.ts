import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { newIssuer } from '../issuer-record.js'
import { credentialOf, type Issuer, refusalOf } from '../openid4vci/actors.js'
import { newPkce, REDIRECT_URI } from '../openid4vci/browser.js'
import { CLAIMS, leaf, licenceSchema, postSchema, startMdocIssuer } from '../openid4vci/mdoc-actors.js'

let issuer: Issuer
let close: () => Promise<void>
beforeAll(async () => {
  ;({ issuer, close } = await startMdocIssuer())
})
afterAll(() => close())

const admin = () => issuer.service.bearer('issuer', { roles: ['admin'] })

/** A type with mobile documents, assigned to some issuers. */
async function assigned(
  name: string,
  ...issuers: readonly string[]
): Promise<(method: 'POST' | 'DELETE', issuer: string) => Promise<void>> {
  const { json: schema } = await postSchema(issuer, licenceSchema({ name }))
  const change = async (method: 'POST' | 'DELETE', issuerId: string) => {
    const path = `/schemas/${schema.id}/issuers/${issuerId}`
    const answer = await issuer.service.request(method, path, { authorization: await admin() })
    expect([200, 204], answer.text).toContain(answer.status)
  }
  for (const each of issuers) await change('POST', each)
  return change
}

/** Makes an issuer record without a certificate. Only the default issuer can have a certificate, from ISSUER_X509. */
const uncertified = async () => (await newIssuer(issuer.service, 'issuer')).id
const defaultIssuer = async () => (await issuer.service.platform.stores.agents.defaultIssuer())?.id ?? ''

/**
 * Returns the configurations of a type that the issuer's metadata list. Checks that the server's metadata list their
 * scopes, and that signed metadata have the same content.
 */
async function listed(name: string): Promise<string[]> {
  const [metadata, server] = await Promise.all(
    ['openid-credential-issuer', 'oauth-authorization-server'].map((path) =>
      issuer.service.request('GET', `/.well-known/${path}`),
    ),
  )
  const ofType = (ids: readonly string[]) => ids.filter((id) => id.split('-')[0] === name)
  const configurations = ofType(Object.keys(metadata?.json.credential_configurations_supported))
  expect(ofType(server?.json.scopes_supported)).toEqual(configurations)
  return configurations
}

const offer = async (name: string, ...ids: readonly string[]) =>
  issuer.service.request('POST', '/credential-offers', {
    authorization: await issuer.authorization(),
    body: { credentialConfigurationIds: ids.map((suffix) => `${name}${suffix}`), credentialSubject: CLAIMS },
  })

describe('metadata list mobile documents if the signing issuer has a certificate for its key (OpenID4VCI 1.0 §12.2.4)', () => {
  it('not of a type that is assigned only to an issuer without a certificate; an offer that names them is a 400', async () => {
    const name = 'OfAnother'
    await assigned(name, await uncertified())
    expect(await listed(name)).toEqual([name, `${name}-sd-jwt`])
    const refused = await offer(name, '', '-mdoc')
    expect([refused.status, refused.json.message]).toEqual([
      400,
      [`credentialConfigurationIds names ${name}-mdoc, which needs an issuer with a certificate (ISSUER_X509)`],
    ])
    expect((await offer(name, '', '-sd-jwt')).status).toBe(201)
  })

  it('of a type that is assigned to the default issuer among others, and an offer names them', async () => {
    const name = 'OfBoth'
    await assigned(name, await uncertified(), await defaultIssuer())
    expect(await listed(name)).toEqual([name, `${name}-sd-jwt`, `${name}-mdoc`])
    expect((await offer(name, '-mdoc')).status).toBe(201)
  })

  it('an assignment and its end are in the next metadata', async () => {
    const name = 'Moved'
    const other = await uncertified()
    const change = await assigned(name)
    const all = [name, `${name}-sd-jwt`, `${name}-mdoc`]
    expect(await listed(name)).toEqual(all)
    await change('POST', other)
    expect(await listed(name)).toEqual(all.slice(0, 2))
    await change('DELETE', other)
    expect(await listed(name)).toEqual(all)
  })

  it('an offer that was made before its type was assigned elsewhere is still signed by the issuer that made it', async () => {
    const name = 'OfferedBefore'
    const change = await assigned(name)
    const made = (await offer(name, '-sd-jwt', '-mdoc')).json
    await change('POST', await uncertified())
    const taken = await issuer.take(await issuer.token(made.credentialOfferSessionId), `${name}-mdoc`)
    expect(taken.status, taken.text).toBe(200)
    expect(readMdoc(credentialOf(taken)).x5c).toEqual([leaf.x5c])
  })

  it('a wallet whose token is for another configuration gets the error for an unknown configuration (§8.3.1.2)', async () => {
    const name = 'NotByToken'
    await assigned(name, await uncertified())
    const made = (await offer(name, '-sd-jwt')).json
    const token = await issuer.token(made.credentialOfferSessionId)
    expect(refusalOf(await issuer.take(token, `${name}-mdoc`)).slice(0, 2)).toEqual([
      400,
      'unknown_credential_configuration',
    ])
  })

  it('a wallet that asks only by scope is refused like for an unknown credential', async () => {
    const name = 'NotByScope'
    await assigned(name, await uncertified())
    const push = (suffix: string) =>
      issuer.service.request('POST', '/openid4vci/par', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          client_id: 'wallet',
          response_type: 'code',
          redirect_uri: REDIRECT_URI,
          code_challenge: newPkce().challenge,
          code_challenge_method: 'S256',
          scope: `${name}${suffix}`,
        }).toString(),
      })
    const [mdoc, sdJwt] = [await push('-mdoc'), await push('-sd-jwt')]
    expect([refusalOf(mdoc).slice(0, 2), sdJwt.status]).toEqual([[400, 'invalid_scope'], 201])
  })
})
