import { decodeJwt, decodeProtectedHeader, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { certificateFiles, intermediate, leafOf } from '../../agent/certified.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet } from '../../support/wallet.js'
import {
  type Asked,
  answer,
  ask,
  dcql,
  type Format,
  ITEM,
  makeWorld,
  postForm,
  present,
  type RequestPayload,
  type ResponseMode,
  sessionOf,
} from '../actors.js'
import { ATTESTER, type AttestationChanges, SUBJECT, startAttester } from '../attestations.js'
import { answerWithLibrary } from '../library-wallet.js'

const CLIENT_ID = `verifier_attestation:${SUBJECT}`
const ATTESTED = { clientIdPrefix: 'verifier_attestation' }

let attester: Awaited<ReturnType<typeof startAttester>>
let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>
/** The key that the service made for the default verifier. */
let jwk: JWK
let attestation: string

/** Starts the same installation with an attestation. */
const startWith = async (changes: AttestationChanges, clock?: () => Date, of = service) => {
  const { databaseUrl, identityProvider } = of
  const env = { VERIFIER_ATTESTATION: await attester.fileFor(jwk, changes) }
  return startService({
    databaseUrl,
    identityProvider,
    env,
    ...(clock === undefined ? {} : { clock, maintenance: false }),
  })
}

let plain: TestService
beforeAll(async () => {
  attester = await startAttester()
  plain = await startService()
  const [row] = await query<{ jwk: JWK }>(
    plain.databaseUrl,
    'SELECT k.public_jwk AS jwk FROM verifiers v JOIN keys k USING (key_set_id) WHERE v.is_default',
  )
  jwk = row?.jwk ?? {}
  attestation = await attester.attest(jwk)
  const { databaseUrl, identityProvider } = plain
  const env = { VERIFIER_ATTESTATION: await attester.write(attestation) }
  service = await startService({ databaseUrl, identityProvider, env })
  world = await makeWorld(service)
})
afterAll(async () => {
  await service.close()
  await plain.close()
  await attester.remove()
})

const asked = (body: Record<string, unknown> = {}, by = service) =>
  ask(by, { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post', ...ATTESTED, ...body })

async function requestObject({ request_uri: uri }: Asked) {
  const compact = await (await fetch(uri)).text()
  return {
    compact,
    header: decodeProtectedHeader(compact) as { jwt?: string },
    payload: decodeJwt<RequestPayload>(compact),
  }
}

async function refused(by: TestService, body: Record<string, unknown> = {}) {
  const reply = await by.request('POST', '/authorization-requests', {
    authorization: await by.bearer('verifier', { roles: ['admin'] }),
    body: { query: [ITEM], ...ATTESTED, ...body },
  })
  return [reply.status, [reply.json.message].flat()[0]]
}

const NEEDS = "clientIdPrefix verifier_attestation needs an attestation of the verifier's key"

/** A wallet of `@openid4vc/openid4vp` that trusts only the attester. */
const trusting = {
  verifyJwt: async (_signer: unknown, { compact }: { compact: string }) => ({
    verified: true as const,
    signerJwk: (await attester.verifyRequest(compact)) as never,
  }),
}

describe('a verifier with VERIFIER_ATTESTATION (OpenID4VP 1.0 §5.9.3, §12)', () => {
  it('identifies itself by its sub on demand, with the attestation in the header and without kid', async () => {
    const request = await asked()
    const { compact, header, payload } = await requestObject(request)
    expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', jwt: attestation })
    expect(payload.client_id).toBe(CLIENT_ID)
    expect(new URL(request.authorizationRequestUri).searchParams.get('client_id')).toBe(CLIENT_ID)
    expect(await attester.verifyRequest(compact)).toEqual(jwk)
    const other = await requestObject(await asked({ clientIdPrefix: undefined }))
    expect([other.payload.client_id, other.header.jwt]).toEqual([
      expect.stringMatching(/^decentralized_identifier:did:jwk:/),
      undefined,
    ])
  })

  it.each<[Format, ResponseMode]>([
    ['dc+sd-jwt', 'direct_post'],
    ['dc+sd-jwt', 'direct_post.jwt'],
    ['jwt_vc_json', 'direct_post.jwt'],
  ])('is answered by an independent wallet that trusts the attester: %s, %s', async (format, responseMode) => {
    const request = await asked({ dcqlQuery: dcql(service, format), responseMode })
    const { status, payload } = await answerWithLibrary(
      world.wallet,
      request.authorizationRequestUri,
      [world.held[format]],
      trusting,
    )
    expect([status, payload.client_id]).toEqual([200, CLIENT_ID])
    expect((await sessionOf(service, request)).state).toBe('ResponseVerified')
    const [stored] = await query<{ verifier_attestation: unknown }>(
      service.databaseUrl,
      'SELECT verifier_attestation FROM verification_sessions WHERE id = $1',
      [request.verificationSessionId],
    )
    expect(stored).toEqual({ verifier_attestation: null })
  })

  it('accepts only the full client identifier as the audience (§14.8)', async () => {
    for (const [audience, outcome] of [
      [undefined, [200, 'ResponseVerified']],
      [SUBJECT, [400, 'Error']],
    ] as const) {
      const request = await asked()
      const { payload } = await requestObject(request)
      const options = audience === undefined ? {} : { audience }
      const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload, options)]
      const reply = await answer(payload, { purchase })
      expect([reply.status, (await sessionOf(service, request)).state]).toEqual(outcome)
    }
  })

  it('is refused by a wallet that does not know the prefix (§5.10), and the session does not change', async () => {
    const request = await asked()
    const fetched = (prefixes: string[]) =>
      postForm(request.request_uri, { wallet_metadata: JSON.stringify({ client_id_prefixes_supported: prefixes }) })
    const reply = await fetched(['x509_hash', 'redirect_uri'])
    expect([reply.status, reply.json.error_description]).toEqual([
      400,
      'The wallet does not support the client identifier prefix verifier_attestation.',
    ])
    expect((await sessionOf(service, request)).state).toBe('RequestCreated')
    expect((await fetched(['verifier_attestation'])).status).toBe(200)
  })

  it('is accepted only by hosted wallets that trust the attester', async () => {
    const jwks = JSON.stringify({ keys: [{ ...attester.publicJwk, iss: ATTESTER, kid: 'attester-1' }] })
    const { databaseUrl, identityProvider } = service
    const env = { VERIFIER_ATTESTATION_ISSUERS: await attester.write(jwks), OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }
    await using trustingService = await startService({ databaseUrl, identityProvider, env })
    const messageBy = async (by: TestService) => {
      const { authorizationRequestUri } = await asked()
      const reply = await (await newWallet(by)).process(authorizationRequestUri)
      return [reply.status, reply.json.message]
    }
    const nothingHeld = [500, 'Could not find the required credentials for the presentation submission']
    expect(await messageBy(trustingService)).toEqual(nothingHeld)
    expect(await messageBy(service)).not.toEqual(nothingHeld)
  })

  it('continues with an unchanged request after a new attestation', async () => {
    const before = await asked()
    await using other = await startWith({ payload: { sub: 'renamed.example' } })
    const after = await requestObject(await asked({}, other))
    expect(after.payload.client_id).toBe('verifier_attestation:renamed.example')
    const { compact, header, payload } = await requestObject(before)
    expect([header.jwt, payload.client_id]).toEqual([attestation, CLIENT_ID])
    await attester.verifyRequest(compact)
    const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
    expect((await answer(payload, { purchase })).status).toBe(200)
  })

  it('keeps its key when keys are rotated', async () => {
    const env = {
      ISSUER_BASE_URL: service.url,
      VERIFIER_BASE_URL: service.url,
      ALLOW_INSECURE_HTTP: 'true',
      AUTH_DISABLED: 'true',
      DATABASE_URL: service.databaseUrl,
      VERIFIER_ATTESTATION: await attester.fileFor(jwk),
    }
    const lines = await keysCommand([], env)
    expect(lines).toContainEqual(expect.stringMatching(/^verifier .* keeps its key, which has a certificate or attest/))
    await attester.verifyRequest((await requestObject(await asked())).compact)
  })
})

describe('a verifier that cannot use this identifier', () => {
  it('is another verifier record, whose key has no attestation', async () => {
    const authorization = await service.bearer('verifier', { roles: ['admin'] })
    const { json } = await service.request('POST', '/agent/verifier', { authorization, body: { method: 'web' } })
    expect(await refused(service, { verifierId: json.id })).toEqual([400, NEEDS])
  })

  it('has no attestation', async () => {
    expect(await refused(plain)).toEqual([400, NEEDS])
  })

  it('has another key than the attestation after a rotation of keys', async () => {
    await using other = await startService()
    const env = { VERIFIER_ATTESTATION: '', DATABASE_URL: other.databaseUrl, AUTH_DISABLED: 'true' }
    const [row] = await query<{ jwk: JWK }>(
      other.databaseUrl,
      'SELECT k.public_jwk AS jwk FROM verifiers v JOIN keys k USING (key_set_id) WHERE v.is_default',
    )
    const { databaseUrl, identityProvider } = other
    await using attested = await startService({
      databaseUrl,
      identityProvider,
      env: { VERIFIER_ATTESTATION: await attester.fileFor(row?.jwk ?? {}) },
    })
    const before = await asked({}, attested)
    await keysCommand([], {
      ...env,
      ISSUER_BASE_URL: other.url,
      VERIFIER_BASE_URL: other.url,
      ALLOW_INSECURE_HTTP: 'true',
    })
    expect(await refused(attested)).toEqual([400, NEEDS])
    await attester.verifyRequest((await requestObject(before)).compact)
  })

  it('has an attestation with redirect_uris that match no response_uri (§5.9.3, §8.2); over a browser there is no response_uri', async () => {
    await using other = await startWith({ payload: { redirect_uris: [`${service.url}/openid4vp/responses`] } })
    expect(await refused(other)).toEqual([
      400,
      'clientIdPrefix verifier_attestation needs an attestation without redirect_uris, since each request has a response_uri of its own',
    ])
    const { digitalCredentialRequest } = (await asked(
      { responseMode: 'dc_api', expectedOrigins: ['https://shop.example'] },
      other,
    )) as unknown as { digitalCredentialRequest: { data: { request: string } } }
    await attester.verifyRequest(digitalCredentialRequest.data.request)
  })

  it('makes a request under profile haip, which allows only x509_hash', async () => {
    const files = await certificateFiles()
    const leaf = leafOf({ dns: [] })
    const anchors = await files.fileOf([intermediate])
    await using haip = await startService({
      env: {
        VERIFIER_X509: await files.fileOf([leaf, intermediate]),
        TRUST_ANCHORS: anchors,
        VERIFIER_ATTESTATION: await attester.fileFor(leaf.certificate.publicKey.export({ format: 'jwk' })),
      },
    })
    expect(await refused(haip, { profile: 'haip', redirectUri: 'https://shop.example/done' })).toEqual([
      400,
      'clientIdPrefix must be x509_hash with profile haip',
    ])
    const { header, payload } = await requestObject(await ask(haip, { query: [ITEM], ...ATTESTED }))
    expect([header, payload.client_id]).toEqual([
      { typ: 'oauth-authz-req+jwt', alg: 'ES256', jwt: expect.any(String) },
      CLIENT_ID,
    ])
    await files.remove()
  })

  it('has an attestation that has expired since the start: 409, and earlier requests continue', async () => {
    const start = Date.now()
    let now = new Date(start)
    await using other = await startWith({ payload: { exp: Math.floor(start / 1000) + 120 } }, () => now)
    const before = await asked({ validity: 600 }, other)
    now = new Date(start + 180_000)
    expect(await refused(other)).toEqual([409, 'Attestation of the verifier has expired.'])
    expect((await asked({ clientIdPrefix: 'decentralized_identifier' }, other)).state).toBeDefined()
    expect((await requestObject(before)).payload.client_id).toBe(CLIENT_ID)
  })
})
