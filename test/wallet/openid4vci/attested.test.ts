import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, certify, intermediate, leafOf, root } from '../../agent/certified.js'
import { newProviderRoot, trusting } from '../../issuer/openid4vci/attestation-actors.js'
import { postSchema, SUBJECT } from '../../issuer/purchase.js'
import { query } from '../../support/postgres.js'
import { DIPLOMA_SD_JWT, type RemoteIssuerOptions } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { newRemoteDeferral } from '../../support/wallet-remote-deferral.js'
import { askDue } from '../deferred-actors.js'
import { requestsTo, taking } from '../taking.js'

const walletRoot = newProviderRoot()
const provider = certify({ subject: 'Wallet Provider', issuer: walletRoot, keyUsage: 0x80 })

let files: Awaited<ReturnType<typeof certificateFiles>>
/** The installation whose hosted wallets have attestations. */
let service: TestService
/** The installation whose hosted wallets have no attestations. */
let plain: TestService
/** The issuing installation, which trusts the wallet provider. */
let elsewhere: TestService

beforeAll(async () => {
  files = await certificateFiles()
  const WALLET_PROVIDER_X509 = await files.fileOf([provider, walletRoot])
  const TRUST_ANCHORS = join(files.directory, 'roots.pem')
  await writeFile(TRUST_ANCHORS, String(root.certificate))
  service = await startService({ env: { ...LOOPBACK, WALLET_PROVIDER_X509, TRUST_ANCHORS }, maintenance: false })
  plain = await startService({ env: LOOPBACK })
  elsewhere = await startService({
    env: {
      ...LOOPBACK,
      ...(await trusting([], [walletRoot, root])),
      ISSUER_X509: await files.fileOf([leafOf({ dns: ['127.0.0.1'] }), intermediate, root]),
    },
  })
})
afterAll(async () => {
  await service.close()
  await plain.close()
  await elsewhere.close()
  await files.remove()
})

const CHALLENGE = { '/challenge': () => ({ body: { attestation_challenge: 'a-challenge' } }) }

const ATTESTED_ONLY = { token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'] }

/** A server that accepts only attested wallets. */
const demanding = (options: RemoteIssuerOptions = {}): RemoteIssuerOptions => ({
  anonymous: false,
  serverMetadata: ATTESTED_ONLY,
  ...options,
})

function attestationOf(headers: Headers | undefined) {
  const jwt = headers?.get('oauth-client-attestation') ?? ''
  const pop = headers?.get('oauth-client-attestation-pop') ?? ''
  const { jwk } = (decodeJwt(jwt).cnf ?? {}) as { jwk: JWK }
  return {
    header: decodeProtectedHeader(jwt),
    payload: decodeJwt(jwt),
    instance: jwk,
    proof: { header: decodeProtectedHeader(pop), payload: decodeJwt(pop) },
  }
}

describe('a wallet attestation (OpenID4VCI 1.0 Appendix E)', () => {
  it('is sent to PAR and token endpoint if the server accepts attestations, each time with a new proof', async () => {
    await using taken = await taking(service, demanding({ authorization: 'immediate', dpop: true }))
    expect(taken.answer.status, taken.answer.text).toBe(200)
    const [par, token] = ['/par', '/token'].map((path) => attestationOf(requestsTo(taken.issuer, path).at(-1)?.headers))
    expect(par?.header).toEqual({ typ: 'oauth-client-attestation+jwt', alg: 'ES256', x5c: [provider.x5c] })
    expect(par?.payload).toMatchObject({ sub: service.url, exp: expect.any(Number) })
    expect(par?.proof).toMatchObject({
      header: { typ: 'oauth-client-attestation-pop+jwt', alg: 'ES256' },
      payload: { iss: service.url, aud: taken.issuer.url, jti: expect.any(String) },
    })
    expect(par?.proof.payload).not.toHaveProperty('challenge')
    expect(token?.instance).toEqual(par?.instance)
    expect(token?.proof.payload.jti).not.toBe(par?.proof.payload.jti)
    // The instance key is neither the DPoP key of the tokens nor the key of another issuance.
    const dpop = decodeProtectedHeader(requestsTo(taken.issuer, '/token').at(-1)?.headers.get('dpop') ?? '').jwk
    expect(dpop?.x).not.toBe(par?.instance.x)
    await using other = await taking(service, demanding())
    expect(attestationOf(requestsTo(other.issuer, '/token')[0]?.headers).instance.x).not.toBe(par?.instance.x)
  })

  it('has a challenge in its proof if the server gives challenges', async () => {
    const options = demanding({ replace: CHALLENGE })
    await using issuer = await taking(service, options)
    expect(attestationOf(requestsTo(issuer.issuer, '/token')[0]?.headers).proof.payload).not.toHaveProperty('challenge')
    await using taken = await taking(service, {
      ...options,
      serverMetadata: (url) => ({ ...ATTESTED_ONLY, challenge_endpoint: `${url}/challenge` }),
    })
    expect(taken.answer.status, taken.answer.text).toBe(200)
    expect(attestationOf(requestsTo(taken.issuer, '/token')[0]?.headers).proof.payload.challenge).toBe('a-challenge')
  })

  it('is sent only to issuers that ask for it', async () => {
    await using taken = await taking(service)
    expect(taken.answer.status).toBe(200)
    expect(requestsTo(taken.issuer, '/token')[0]?.headers.get('oauth-client-attestation')).toBeNull()
  })

  it('is for the same instance when tokens are renewed for deferred credentials', async () => {
    const deferral = newRemoteDeferral()
    await using taken = await taking(service, demanding({ deferral, refresh: true }))
    taken.issuer.endAccessTokens()
    deferral.decision = 'approved'
    await askDue(service)
    expect((await taken.wallet.get('/credentials')).json).toHaveLength(2)
    const [first, renewed] = requestsTo(taken.issuer, '/token').map(({ headers }) => attestationOf(headers))
    expect(renewed?.instance).toEqual(first?.instance)
  })

  it('without WALLET_PROVIDER_X509, an offer of a server that demands an attestation is refused, and the error names the variable', async () => {
    await using taken = await taking(plain, demanding())
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'The authorization server accepts attested wallets only: WALLET_PROVIDER_X509 is not set.',
    ])
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })
})

/** Makes an offer of the issuing installation. */
async function offered(members: Record<string, unknown> = {}, schema: Record<string, unknown> = {}) {
  const authorization = await elsewhere.bearer('issuer')
  const { name } = await postSchema(elsewhere, authorization, schema)
  const answer = await elsewhere.request('POST', '/credential-offers', {
    authorization,
    body: { credentialConfigurationIds: [`${name}-sd-jwt`], credentialSubject: SUBJECT, ...members },
  })
  expect(answer.status, answer.text).toBe(201)
  return { uri: answer.json.credentialOfferUri as string, name }
}

describe('another installation that trusts the provider', () => {
  it('gives an attested wallet its credential', async () => {
    const taken = await (await newWallet(service)).process((await offered()).uri)
    expect([taken.status, taken.json.credentials?.length], taken.text).toEqual([200, 1])
  })

  it('gives a credential for each attested key if it demands key attestations', async () => {
    const { uri } = await offered({}, { keyAttestation: {} })
    const wallet = await newWallet(service)
    const taken = await wallet.process(uri, { copies: 3 })
    expect([taken.status, taken.json.credentials?.length], taken.text).toEqual([200, 1])
    const copies = await query<{ kid: string }>(
      service.databaseUrl,
      `SELECT c.kid FROM wallet_credential_copies c JOIN wallet_credentials w ON w.id = c.credential_id
       WHERE w.holder_id = $1`,
      [wallet.id],
    )
    expect(new Set(copies.map(({ kid }) => kid)).size).toBe(3)
  })

  it('is refused by a wallet without an attestation, with the name of the missing part', async () => {
    const { uri } = await offered({}, { keyAttestation: {} })
    const refused = await (await newWallet(plain)).process(uri)
    expect([refused.status, refused.json.message]).toEqual([
      500,
      'The issuer demands a key attestation: WALLET_PROVIDER_X509 is not set.',
    ])
  })

  it('is refused if it demands attestations that the wallet lacks', async () => {
    const { uri } = await offered({}, { keyAttestation: { keyStorage: ['iso_18045_high'] } })
    const refused = await (await newWallet(service)).process(uri)
    expect([refused.status, refused.json.message]).toEqual([
      500,
      'The issuer demands a level of key storage or user authentication, which nobody has attested to hosted wallets.',
    ])
  })

  it.each(['final', 'haip'])(
    'whose page asks a user for consent is refused with a clear reason (profile %s)',
    async (profile) => {
      const { uri } = await offered({ grant: 'authorization_code', profile })
      const refused = await (await newWallet(service)).process(uri)
      expect([refused.status, refused.json.message]).toEqual([
        500,
        'The authorization server requires a login, which a hosted wallet cannot do.',
      ])
    },
  )
})

describe('proof types', () => {
  const configuration = (proofTypes: unknown) => (url: string) => ({
    credential_configurations_supported: {
      [DIPLOMA_SD_JWT]: {
        format: 'dc+sd-jwt',
        vct: `${url}/vct/diploma`,
        cryptographic_binding_methods_supported: ['jwk'],
        proof_types_supported: proofTypes,
      },
    },
  })

  it('an issuer that accepts only attestations gets an attestation with its nonce and no proof', async () => {
    const metadata = configuration({ attestation: { proof_signing_alg_values_supported: ['ES256'] } })
    await using taken = await taking(service, {
      metadata,
      replace: { '/credential': () => ({ status: 400, body: { error: 'invalid_proof' } }) },
    })
    expect(taken.answer.json.message).toContain('invalid_proof')
    const { proofs } = JSON.parse(requestsTo(taken.issuer, '/credential')[0]?.text ?? '{}')
    expect(Object.keys(proofs)).toEqual(['attestation'])
    expect(decodeProtectedHeader(proofs.attestation[0])).toMatchObject({
      typ: 'key-attestation+jwt',
      x5c: [provider.x5c],
    })
    expect(decodeJwt(proofs.attestation[0])).toMatchObject({
      nonce: expect.any(String),
      attested_keys: [{ kty: 'EC' }],
    })
  })
})

it.each([
  ['another key', () => files.fileOf([provider], certify({ subject: 'Other', keyUsage: 0x80 })), 'must hold the key'],
  ['a self-signed certificate', () => files.fileOf([walletRoot]), 'must not begin with a self-signed certificate'],
])('the start fails for %s in WALLET_PROVIDER_X509, and names the variable', async (_, file, reason) => {
  const WALLET_PROVIDER_X509 = await file()
  await expect(startService({ env: { WALLET_PROVIDER_X509 } })).rejects.toThrow(`WALLET_PROVIDER_X509 ${reason}`)
})
