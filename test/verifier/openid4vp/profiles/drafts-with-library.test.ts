import { compactVerify, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, intermediate, leafOf, root } from '../../../agent/certified.js'
import { startService, type TestService } from '../../../support/service.js'
import type { WalletActor } from '../../../support/wallet-actor.js'
import { ask, dcql, type Format, type Held, ITEM, makeWorld, sessionOf, vct } from '../../actors.js'
import { answerWithLibrary } from '../../library-wallet.js'

/** The versions that `@openid4vc/openid4vp` may find for a request of the draft. */
const VERSIONS = { draft24: [24, 25, 26], draft21: [21] } as const

let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService
let certified: TestService
let wallet: WalletActor
let held: Readonly<Record<Format, Held>>

beforeAll(async () => {
  files = await certificateFiles()
  const leaf = leafOf({ subject: 'Shop', dns: ['127.0.0.1'] })
  const env = { VERIFIER_LEGACY_PROFILES: 'draft24,draft21' }
  service = await startService({ env })
  const VERIFIER_X509 = await files.fileOf([leaf, intermediate, root])
  // `service` issues the wallet's credentials, so `certified` must be allowed to send requests to 127.0.0.1.
  certified = await startService({ env: { ...env, VERIFIER_X509, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
  ;({ wallet, held } = await makeWorld(service))
})
afterAll(async () => {
  await service.close()
  await certified.close()
  await files.remove()
})

async function resultOf(by: TestService, id: string) {
  const path = `/verification-sessions/${id}/result`
  return (await by.request('GET', path, { authorization: await by.bearer('verifier') })).json
}

/** Verifies requests that are signed with a certificate. Another test checks the root. */
const byCertificate = {
  verifyJwt: async (signer: { method: string; x5c?: string[]; alg: string }, { compact }: { compact: string }) => {
    const pem = `-----BEGIN CERTIFICATE-----\n${signer.x5c?.[0]}\n-----END CERTIFICATE-----`
    await compactVerify(compact, await importX509(pem, signer.alg))
    return { verified: true, signerJwk: {} as never }
  },
  getX509CertificateMetadata: () => ({ sanDnsNames: ['127.0.0.1'], sanUriNames: [] }),
} as never

describe.each(['draft24', 'draft21'] as const)('a library wallet answers a request of %s', (profile) => {
  describe.each(['direct_post', 'direct_post.jwt'] as const)('by %s', (responseMode) => {
    it.each(['dc+sd-jwt', 'jwt_vc_json'] as const)('with %s', async (format) => {
      const asked = await ask(service, { profile, responseMode, dcqlQuery: dcql(service, format) })
      const answer = await answerWithLibrary(wallet, asked.authorizationRequestUri, Object.values(held))
      expect(answer).toMatchObject({ status: 200, body: {}, answered: ['purchase'] })
      expect(VERSIONS[profile]).toContain(answer.version)
      expect(await sessionOf(service, asked)).toMatchObject({ state: 'ResponseVerified' })
      const result = await resultOf(service, asked.verificationSessionId)
      expect(result.credentials).toMatchObject([
        { credentialQueryId: 'purchase', format, claims: { product: 'Espresso machine' } },
      ])
      // An SD-JWT VC discloses only the requested claims.
      expect('email' in result.credentials[0].claims).toBe(format === 'jwt_vc_json')
    })

    it('in its own format, for items of a VP query', async () => {
      for (const format of ['dc+sd-jwt', 'jwt_vc_json'] as const) {
        const asked = await ask(service, { profile, responseMode, query: [ITEM] })
        const answer = await answerWithLibrary(wallet, asked.authorizationRequestUri, [held[format]])
        expect(answer.status).toBe(200)
        expect(await resultOf(service, asked.verificationSessionId)).toMatchObject({
          credentials: [{ queryItem: 0, format }],
        })
      }
    })
  })

  it('with several credentials, one of alternatives, and one of alternative sets of claims', async () => {
    const sdJwt = { format: 'dc+sd-jwt', meta: { vct_values: [vct(service)] } }
    const claims = [
      { id: 'colour', path: ['colour'] },
      { id: 'product', path: ['product'] },
      { id: 'price', path: ['price'], values: [1, 249] },
    ]
    const dcqlQuery = {
      credentials: [
        { id: 'none', ...sdJwt, claims: [{ path: ['product'], values: ['Toaster'] }] },
        { id: 'some', ...sdJwt, claims, claim_sets: [['colour'], ['price', 'product']] },
        { ...dcql(service, 'jwt_vc_json').credentials[0], id: 'jwt' },
        { id: 'optional', ...sdJwt, claims: [{ path: ['nothing'] }] },
      ],
      credential_sets: [{ options: [['none'], ['some', 'jwt']] }, { options: [['optional']], required: false }],
    }
    const asked = await ask(service, { profile, dcqlQuery })
    const answer = await answerWithLibrary(wallet, asked.authorizationRequestUri, Object.values(held))
    expect([answer.status, answer.body]).toEqual([200, {}])
    const { credentials } = await resultOf(service, asked.verificationSessionId)
    expect(credentials).toMatchObject([
      { credentialQueryId: 'some', claims: { product: 'Espresso machine', price: 249 } },
      { credentialQueryId: 'jwt' },
    ])
    expect(credentials[0].claims).not.toHaveProperty('email')
  })

  it('without selectively disclosable claims if no claims are requested', async () => {
    const dcqlQuery = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: [vct(service)] } }] }
    const asked = await ask(service, { profile, dcqlQuery })
    expect((await answerWithLibrary(wallet, asked.authorizationRequestUri, Object.values(held))).status).toBe(200)
    const { credentials } = await resultOf(service, asked.verificationSessionId)
    expect(credentials[0].claims).toEqual({})
  })

  it('whose request is inside its address (redirect_uri)', async () => {
    const asked = await ask(service, {
      profile,
      clientIdPrefix: 'redirect_uri',
      dcqlQuery: dcql(service, 'dc+sd-jwt'),
    })
    const answer = await answerWithLibrary(wallet, asked.authorizationRequestUri, Object.values(held))
    expect(answer.status).toBe(200)
    expect(await sessionOf(service, asked)).toMatchObject({ state: 'ResponseVerified' })
  })

  it('whose verifier is named by the host in its certificate, unless the request says otherwise', async () => {
    const body = { profile, dcqlQuery: dcql(service, 'dc+sd-jwt'), trustedIssuers: ['*'] }
    const asked = await ask(certified, body)
    const answer = await answerWithLibrary(wallet, asked.authorizationRequestUri, Object.values(held), byCertificate)
    expect(answer.payload.client_id).toBe(profile === 'draft24' ? 'x509_san_dns:127.0.0.1' : '127.0.0.1')
    expect([answer.status, answer.body]).toEqual([200, {}])
    const byDid = await ask(certified, { ...body, clientIdPrefix: 'decentralized_identifier' })
    expect((await answerWithLibrary(wallet, byDid.authorizationRequestUri, Object.values(held))).status).toBe(200)
  })
})

describe('a wallet of a library', () => {
  it('authorizes transaction data under draft24', async () => {
    const transactionData = [{ type: 'payment', credential_ids: ['purchase'], amount: '10' }]
    const dcqlQuery = dcql(service, 'dc+sd-jwt')
    const asked = await ask(service, { profile: 'draft24', dcqlQuery, transactionData })
    expect((await answerWithLibrary(wallet, asked.authorizationRequestUri, Object.values(held))).status).toBe(200)
    expect(await resultOf(service, asked.verificationSessionId)).toMatchObject({
      credentials: [{ transactionData: [0] }],
    })
  })
})
