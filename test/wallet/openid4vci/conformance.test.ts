import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, certify } from '../../agent/certified.js'
import { newProviderRoot } from '../../issuer/openid4vci/attestation-actors.js'
import {
  DIPLOMA_JWT,
  DIPLOMA_SD_JWT,
  type RemoteIssuer,
  type RemoteIssuerOptions,
  startRemoteIssuer,
} from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import type { RemoteAnswer, RemoteHandler } from '../../support/wallet-http.js'
import { newRemoteDeferral } from '../../support/wallet-remote-deferral.js'
import { newRemoteEncryption, type RemoteEncryption } from '../../support/wallet-remote-encryption.js'
import { askDue } from '../deferred-actors.js'
import { compactOf, lastProofs, requestsTo } from '../taking.js'

const PATH = '/test/a/credence/'

let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService

beforeAll(async () => {
  files = await certificateFiles()
  const providerRoot = newProviderRoot()
  const provider = certify({ subject: 'Wallet Provider', issuer: providerRoot, keyUsage: 0x80 })
  const TRUST_ANCHORS = join(files.directory, 'roots.pem')
  await writeFile(TRUST_ANCHORS, String(providerRoot.certificate))
  const WALLET_PROVIDER_X509 = await files.fileOf([provider, providerRoot])
  service = await startService({ env: { ...LOOPBACK, WALLET_PROVIDER_X509, TRUST_ANCHORS }, maintenance: false })
})
afterAll(async () => {
  await service.close()
  await files.remove()
})

const ATTESTED = { token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'] }

/**
 * Starts an issuer like the issuer of the suite. Its address has a path with a slash at the end. It demands attested
 * wallets and DPoP, and its metadata contain its keys.
 */
const suiteIssuer = (options: RemoteIssuerOptions = {}): RemoteIssuerOptions => ({
  path: PATH,
  authorization: 'immediate',
  dpop: true,
  anonymous: false,
  bindingMethods: ['jwk'],
  serverMetadata: ATTESTED,
  ...options,
})

/** A pre-authorized code with a transaction code, instead of the authorization code. */
const preAuthorized = (options: RemoteIssuerOptions = {}): RemoteIssuerOptions => {
  const { authorization: _, ...others } = suiteIssuer(options)
  return { ...others, txCode: '123456' }
}

interface Taken extends AsyncDisposable {
  readonly issuer: RemoteIssuer
  readonly wallet: HostedWallet
  readonly status: number
  readonly json: { readonly credentials?: readonly { readonly id: string }[]; readonly message?: string }
}

const BY_VALUE = (issuer: RemoteIssuer) => issuer.offer([DIPLOMA_SD_JWT])
const BY_REFERENCE = (issuer: RemoteIssuer) => issuer.offerByReference([DIPLOMA_SD_JWT])
/** The wallet begins the flow. It knows only the issuer and the configuration (OpenID4VCI 1.0 §4.1.1). */
const BY_ITSELF = async (issuer: RemoteIssuer) => {
  const offer = { credential_issuer: `${issuer.url}${PATH}`, credential_configuration_ids: [DIPLOMA_SD_JWT] }
  return `openid-credential-offer://?${new URLSearchParams({ credential_offer: JSON.stringify(offer) })}`
}

async function take(
  options: RemoteIssuerOptions,
  offer: (issuer: RemoteIssuer) => Promise<string> = BY_VALUE,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Taken> {
  const issuer = await startRemoteIssuer(options)
  const wallet = await newWallet(service)
  const { status, json } = await wallet.process(await offer(issuer), more)
  return { issuer, wallet, status, json, [Symbol.asyncDispose]: () => issuer.close() }
}

/**
 * Returns the parts of a flow's requests that the suite examines. Checks that the credential is bound to the key of the
 * proof.
 */
async function expectTaken({ issuer, wallet, status, json }: Taken): Promise<void> {
  expect([status, json.message, json.credentials?.length]).toEqual([200, undefined, 1])
  const identifier = `${issuer.url}${PATH}`
  for (const path of ['/par', '/token']) {
    for (const { headers } of requestsTo(issuer, path)) {
      const attestation = headers.get('oauth-client-attestation') ?? ''
      const pop = headers.get('oauth-client-attestation-pop') ?? ''
      expect(decodeJwt(attestation)).toMatchObject({ sub: service.url, cnf: { jwk: { crv: 'P-256' } } })
      expect(decodeJwt(pop)).toMatchObject({ iss: service.url, aud: identifier })
    }
  }
  for (const { headers } of requestsTo(issuer, '/credential')) {
    expect(headers.get('authorization')).toMatch(/^DPoP \S+$/)
    expect(decodeProtectedHeader(headers.get('dpop') ?? '')).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' })
  }
  const [proof = ''] = lastProofs(issuer)
  const { jwk, kid, typ } = decodeProtectedHeader(proof)
  expect([typ, kid, decodeJwt(proof).aud]).toEqual(['openid4vci-proof+jwt', undefined, identifier])
  const [credential] = json.credentials ?? []
  const compact = await compactOf(wallet, credential ?? { id: '' })
  const { cnf } = decodeJwt(compact.split('~')[0] ?? '') as { cnf: { jwk: JWK } }
  expect([cnf.jwk.x, cnf.jwk.y]).toEqual([jwk?.x, jwk?.y])
}

/** The parameters of the pushed request. */
const pushed = (issuer: RemoteIssuer) => new URLSearchParams(requestsTo(issuer, '/par').at(-1)?.text)

/** Checks that the wallet stops after a wrong message and requests no token. */
async function expectStopped(options: RemoteIssuerOptions, message: string): Promise<void> {
  await using taken = await take(suiteIssuer(options))
  expect([taken.status, taken.json.message]).toEqual([500, expect.stringContaining(message)])
  expect(requestsTo(taken.issuer, '/token')).toEqual([])
}

const FLOWS = [
  ['by offer, by value', suiteIssuer(), BY_VALUE, {}],
  ['by offer, by reference', suiteIssuer(), BY_REFERENCE, {}],
  ['begun by the wallet', suiteIssuer(), BY_ITSELF, {}],
  ['pre-authorized, by value', preAuthorized(), BY_VALUE, { txCode: '123456' }],
  ['pre-authorized, by reference', preAuthorized(), BY_REFERENCE, { txCode: '123456' }],
] as const

describe.each(FLOWS)('modules in which a hosted wallet takes a credential: %s', (_name, options, offer, more) => {
  it('oid4vci-1_0-wallet-test-credential-issuance', async () => {
    await using taken = await take(options, offer, more)
    await expectTaken(taken)
  })

  it('oid4vci-1_0-wallet-test-credential-issuance, deferred', async () => {
    const deferral = newRemoteDeferral()
    await using taken = await take({ ...options, deferral }, offer, more)
    expect([taken.status, taken.json.credentials]).toEqual([200, []])
    deferral.decision = 'approved'
    await askDue(service)
    expect((await taken.wallet.get('/credentials')).json).toHaveLength(1)
    expect(deferral.asked).toHaveLength(1)
  })

  it('oid4vci-1_0-wallet-test-credential-issuance-notification', async () => {
    await using taken = await take(options, offer, more)
    expect(taken.status).toBe(200)
    expect(taken.issuer.notifications).toEqual([`${DIPLOMA_SD_JWT} credential_accepted`])
  })

  it('oid4vci-1_0-wallet-happy-path-with-scopes-without-authorization-details-in-token-response', async () => {
    await using taken = await take(options, offer, more)
    await expectTaken(taken)
    if (requestsTo(taken.issuer, '/par').length > 0) expect(pushed(taken.issuer).get('scope')).toBe('diploma')
    // §8.2: the token response has no identifier, so the request names the configuration.
    const request = JSON.parse(requestsTo(taken.issuer, '/credential').at(-1)?.text ?? '{}')
    expect([request.credential_configuration_id, request.credential_identifier]).toEqual([DIPLOMA_SD_JWT, undefined])
  })

  it('oid4vci-1_0-wallet-test-client-attestation-challenge', async () => {
    let challenges = 0
    const challenge: RemoteHandler = () => {
      challenges += 1
      return { body: { attestation_challenge: `challenge-${challenges}` } }
    }
    const serverMetadata = (url: string) => ({ ...ATTESTED, challenge_endpoint: `${url}/challenge` })
    await using taken = await take({ ...options, serverMetadata, replace: { '/challenge': challenge } }, offer, more)
    await expectTaken(taken)
    const asked = requestsTo(taken.issuer, '/challenge')
    expect(asked.map(({ method, url, text }) => [method, url, text])).toEqual(
      asked.map(() => ['POST', '/challenge', '']),
    )
    const attested = [...requestsTo(taken.issuer, '/par'), ...requestsTo(taken.issuer, '/token')]
    const used = attested.map(({ headers }) => decodeJwt(headers.get('oauth-client-attestation-pop') ?? '').challenge)
    expect([...used].sort()).toEqual(used.map((_, at) => `challenge-${at + 1}`))
  })

  it('oid4vci-1_0-wallet-test-batch-credential-issuance', async () => {
    await using taken = await take({ ...options, batchSize: 10, encryption: reversing() }, offer, {
      ...more,
      copies: 3,
    })
    expect([taken.status, taken.json.credentials?.length]).toEqual([200, 1])
    const keys = lastProofs(taken.issuer).map((proof) => decodeProtectedHeader(proof).jwk?.x)
    expect([keys.length, new Set(keys).size]).toEqual([3, 3])
  })
})

/** Returns the credentials of a batch in the reverse order of the proven keys. */
function reversing(): RemoteEncryption {
  const around =
    (handler: RemoteHandler): RemoteHandler =>
    async (request) => {
      const answer: RemoteAnswer = await handler(request)
      const body = answer.body as { readonly credentials?: readonly object[] }
      return body.credentials === undefined
        ? answer
        : { ...answer, body: { ...body, credentials: [...body.credentials].reverse() } }
    }
  return { metadata: {}, requests: [], asked: [], around }
}

it('oid4vci-1_0-wallet-test-credential-issuance, encrypted', async () => {
  // These are the settings of the suite. With them, the suite skips the module if the wallet does not encrypt.
  const encryption = await newRemoteEncryption({ required: 'nothing' })
  await using taken = await take(suiteIssuer({ encryption }))
  expect([taken.status, taken.json.credentials?.length]).toEqual([200, 1])
  expect(encryption.requests.length).toBeGreaterThan(0)
  expect(encryption.asked).toHaveLength(encryption.requests.length)
})

describe('modules of the FAPI 2.0 Security Profile that the wallet answers', () => {
  it('fapi2-security-profile-final-client-test-happy-path', async () => {
    await using taken = await take(suiteIssuer())
    await expectTaken(taken)
    const request = pushed(taken.issuer)
    expect(Object.fromEntries(request)).toMatchObject({
      response_type: 'code',
      client_id: service.url,
      redirect_uri: `${service.url}/openid4vci/wallet`,
      code_challenge_method: 'S256',
      issuer_state: 'state-of-the-issuer',
    })
    // RFC 9126 §4: all other parameters were pushed.
    const { url = '' } = requestsTo(taken.issuer, '/authorize').at(-1) ?? {}
    const opened = new URL(url, taken.issuer.url).searchParams
    expect([...opened.keys()].sort()).toEqual(['client_id', 'request_uri'])
  })

  it('fapi2-security-profile-final-client-test-happy-path-no-dpop-nonce', async () => {
    await using taken = await take(suiteIssuer({ dpopNonce: false }))
    await expectTaken(taken)
    const proof = decodeJwt(requestsTo(taken.issuer, '/token').at(-1)?.headers.get('dpop') ?? '')
    expect(proof.nonce).toBeUndefined()
  })

  it('fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in', async () => {
    await using taken = await take(suiteIssuer())
    await expectTaken(taken)
    await using limited = await take(suiteIssuer({ expiresIn: 60 }))
    await expectTaken(limited)
  })

  it.each(['dPOp', 'dpop', 'DPOP'])(
    'fapi2-security-profile-final-client-test-token-type-case-insensitivity (%s)',
    async (dpopScheme) => {
      await using taken = await take(suiteIssuer({ dpopScheme, dpopNonce: false }))
      await expectTaken(taken)
    },
  )
})

describe('modules about the scheme of a challenge (RFC 9110 §11.1)', () => {
  const NONCE = 'error="use_dpop_nonce"'

  it.each([
    `dPOp ${NONCE}`,
    `dpop ${NONCE}`,
    `DPOP ${NONCE}`,
    `DPoP ${NONCE}`,
    `dpop realm="a, DPOP b", ${NONCE}, algs="ES256"`,
    `Bearer error="invalid_token", dpop ${NONCE}`,
    `BEARER realm="a", dPoP algs="ES256", ${NONCE}`,
    `bearer realm="dpop \\" x", dpop ${NONCE}`,
    // RFC 9110 §11.2, §11.6.1: challenges may have white space around "=", unquoted values, names in upper or lower
    // case, and schemes without parameters.
    'dpop error = "use_dpop_nonce"',
    'DPoP\terror=use_dpop_nonce',
    'DPoP Error="use_dpop_nonce"',
    `Bearer,dpop ${NONCE}`,
    `Negotiate, DPoP ${NONCE}`,
    `Negotiate YWJj==,DPoP ${NONCE}`,
    `Newauth realm="a, DPoP b", type=1 , dpop error_description="first, DPoP second", ${NONCE}, Basic`,
  ])('fapi2-security-profile-final-client-test-rs-dpop-auth-scheme-case-insensitivity (%s)', async (challenge) => {
    await using taken = await take(suiteIssuer({ challenge, dpopNonce: 'with access tokens' }))
    await expectTaken(taken)
    const proofs = requestsTo(taken.issuer, '/credential').map(({ headers }) => decodeJwt(headers.get('dpop') ?? ''))
    expect(proofs.map(({ nonce }) => nonce)).toEqual([undefined, 'a-nonce-of-the-server'])
  })
})

describe('modules of the FAPI 2.0 Security Profile in which the wallet stops', () => {
  it.each(['https://attacker.example', 'https://attacker.example/test/a/credence/', ''])(
    'fapi2-security-profile-final-client-test-discovery-issuer-mismatch (%s)',
    async (issuer) => {
      await using taken = await take(suiteIssuer({ serverMetadata: { ...ATTESTED, issuer } }))
      expect(taken.status).toBe(500)
      for (const path of ['/par', '/authorize', '/token']) expect(requestsTo(taken.issuer, path)).toEqual([])
    },
  )

  /** Changes the parameters of the redirect. */
  const redirecting = (redirected: (parameters: URLSearchParams) => void): RemoteIssuerOptions => ({ redirected })

  it.each(['https://attacker.example', 'https://attacker.example/test/a/credence/'])(
    'fapi2-security-profile-final-client-test-invalid-authorization-response-iss (%s)',
    (iss) =>
      expectStopped(
        redirecting((sent) => sent.set('iss', iss)),
        'iss',
      ),
  )

  it('fapi2-security-profile-final-client-test-remove-authorization-response-iss', () =>
    expectStopped(
      redirecting((sent) => sent.delete('iss')),
      'iss',
    ))

  it.each(['1', 'another state', 'x'.repeat(43)])(
    'fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails (%s)',
    (state) =>
      expectStopped(
        redirecting((sent) => sent.set('state', state)),
        'state',
      ),
  )

  it('fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-missing-state-fails', () =>
    expectStopped(
      redirecting((sent) => sent.delete('state')),
      'state',
    ))
})

it('the issuers of this file have other types beside the offered type', async () => {
  await using taken = await take(suiteIssuer(), (issuer) => issuer.offer([DIPLOMA_JWT, DIPLOMA_SD_JWT]))
  expect([taken.status, taken.json.credentials?.length]).toEqual([200, 2])
})
