import { createHash, createPublicKey } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { certificateFor, pemOf, readRequest } from '../../agent/authority.js'
import { certificateFiles, HTTPS, intermediate, leafOf, root } from '../../agent/certified.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  movingClock,
  payloadOf,
  SD_JWT,
  startIssuer,
} from '../../issuer/openid4vci/actors.js'
import {
  ALL,
  failedChecks,
  LICENCE,
  licenceSchema,
  MDOC,
  NAMESPACE,
  offerOf,
  postSchema,
} from '../../issuer/openid4vci/mdoc-actors.js'
import { ELEMENTS } from '../../protocol/mdoc/actors.js'
import { createTestDatabase, everyRow, query } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { environmentOf } from '../environment.js'
import { verifiedByJose } from './foreign.js'
import { makeToken, PIN, type Token, WITHOUT_TOKEN } from './softhsm.js'

const BOTH = { ISSUER_KEY_PROVIDER: 'hsm', VERIFIER_KEY_PROVIDER: 'hsm' }

let token: Token

const skipped = WITHOUT_TOKEN === undefined ? '' : ` (left out: ${WITHOUT_TOKEN})`
const describeToken = describe.skipIf(WITHOUT_TOKEN !== undefined)

if (WITHOUT_TOKEN === undefined) {
  beforeAll(async () => {
    token = await makeToken()
  })
  afterAll(() => token.remove())
}

const jwkOfDid = (did: string) =>
  JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString()) as Record<string, string>

/** The status lists that a credential names: a Token Status List, or a Bitstring Status List. */
function listsOf(payload: Awaited<ReturnType<typeof verifiedByJose>>['payload']): string[] {
  const { status, vc } = payload as Record<string, Record<string, never>>
  const { status_list: token } = (status ?? {}) as { status_list?: { uri: string } }
  const { credentialStatus = [] } = (vc ?? {}) as { credentialStatus?: { statusListCredential: string }[] }
  const lists = [token?.uri ?? [], [credentialStatus].flat().map((entry) => entry.statusListCredential)].flat()
  expect(lists.length).toBeGreaterThan(0)
  return lists
}

describeToken(`a default issuer and verifier whose keys are in a PKCS#11 token${skipped}`, () => {
  let issuer: Issuer

  beforeAll(async () => {
    issuer = await startIssuer({ env: { ...token.env, ...BOTH } })
  })
  afterAll(() => issuer.service.close())

  const request = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    issuer.service.request('GET', path, { headers })

  it('sign credentials of both JWT formats, their status lists and metadata, which jose verifies', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const access = await issuer.token(id)
    for (const configuration of [JWT_VC, SD_JWT]) {
      const credential = credentialOf(await issuer.take(access, configuration))
      const { payload } = await verifiedByJose(credential)
      for (const uri of listsOf(payload)) await verifiedByJose((await request(new URL(uri).pathname)).text)
    }
    const metadata = await request('/.well-known/openid-credential-issuer', { accept: 'application/jwt' })
    const header = decodeProtectedHeader(metadata.text)
    await jwtVerify(metadata.text, await importJWK(header.jwk ?? {}, 'ES256'))
  })

  it('sign requests for presentations', async () => {
    const authorization = await issuer.authorization()
    const body = { dcqlQuery: { credentials: [{ id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['x'] } }] } }
    const made = await issuer.service.request('POST', '/authorization-requests', { authorization, body })
    expect(made.status, made.text).toBe(201)
    const { pathname } = new URL(made.json.request_uri)
    expect((await verifiedByJose((await request(pathname)).text)).payload.response_type).toBe('vp_token')
  })

  it('have keys that were made in the token and cannot leave it', async () => {
    const objects = await token.tool('--list-objects', '--type', 'privkey')
    expect(objects.match(/sensitive, always sensitive, never extractable, local/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it('have keys that can only sign', async () => {
    const objects = await token.tool('--list-objects', '--type', 'privkey')
    const ofService = objects.split('Private Key Object').filter((object) => object.includes('credence-'))
    expect(ofService.length).toBeGreaterThanOrEqual(2)
    for (const object of ofService) expect(object).toMatch(/Usage: +sign\n/)
  })

  it('leave no private key and no PIN in the database', async () => {
    const { databaseUrl } = issuer.service
    const rows = await query<{ provider: string | null; private_jwk: string | null; alg: string }>(
      databaseUrl,
      'SELECT provider, private_jwk, alg FROM keys',
    )
    expect(rows.filter(({ alg }) => alg === 'ES256')).toEqual([
      { provider: 'hsm', private_jwk: null, alg: 'ES256' },
      { provider: 'hsm', private_jwk: null, alg: 'ES256' },
    ])
    expect((await everyRow(databaseUrl)).filter((row) => row.includes(PIN))).toEqual([])
  })

  it('give the PIN to a process that shows it in no list of processes and has no settings of the service', async () => {
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const texts = await Promise.all(
      processes.map(async (pid) => {
        const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
        return { line: await read('cmdline'), environment: await read('environ') }
      }),
    )
    const ours = texts.filter(
      ({ line, environment }) => line.includes('pkcs11/child') && environment.includes(token.directory),
    )
    expect(ours.length).toBeGreaterThan(0)
    for (const { line, environment } of ours) {
      expect(`${line}${environment}`).not.toContain(PIN)
      expect(environment).not.toContain('DATABASE_URL')
    }
  })

  it('count calls to the provider, and readiness knows the provider', async () => {
    const metrics = await issuer.service.service.operated.metrics.registry.metrics()
    expect(metrics).toMatch(/credence_key_provider_calls_total\{provider="hsm",operation="sign",outcome="ok"\} [1-9]/)
    expect((await request('/health/readiness')).json.info.keyProviders).toEqual({ status: 'up' })
  })

  it('get a certificate request for the issuer that the token signs', async () => {
    const [line, request = ''] = await keysCommand(['--certificate-request'], environmentOf(issuer.service, token.env))
    expect(line).toMatch(/^key: hsm:id=[0-9a-f]{32}$/)
    const read = readRequest(`${request}\n`)
    expect(read.signed).toBe(true)
    const [row] = await query<{ public_jwk: { x: string } }>(
      issuer.service.databaseUrl,
      'SELECT public_jwk FROM issuers i JOIN keys k ON k.key_set_id = i.key_set_id WHERE i.is_default',
    )
    expect(read.publicKey.export({ format: 'jwk' }).x).toBe(row?.public_jwk.x)
  })

  it('stay in the token when keys:rotate runs, and lists of the former key stay signed by it', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const before = credentialOf(await issuer.take(await issuer.token(id), SD_JWT))
    const environment = environmentOf(issuer.service, { ...token.env })
    const lines = await keysCommand(['--provider', 'hsm'], environment)
    expect(lines.at(-1)).toBe('2 records have a new key.')
    const { credentialOfferSessionId: next } = await issuer.makeOffer()
    const after = credentialOf(await issuer.take(await issuer.token(next), SD_JWT))
    const kidOf = (credential: string) => decodeProtectedHeader(credential.split('~')[0] ?? '').kid
    expect(kidOf(after)).not.toBe(kidOf(before))
    await verifiedByJose(after)
    const { uri } = payloadOf(before).status.status_list
    const list = await request(new URL(uri).pathname, { accept: 'application/statuslist+jwt' })
    expect(kidOf(list.text)).toBe(kidOf(before))
    await verifiedByJose(list.text)
  })
})

describeToken(`a token that is taken away while the service runs${skipped}`, () => {
  let issuer: Issuer
  let own: Token
  const clock = movingClock()

  beforeAll(async () => {
    own = await makeToken()
    issuer = await startIssuer({ clock: clock.now, env: { ...own.env, ISSUER_KEY_PROVIDER: 'hsm' } })
  })
  afterAll(async () => {
    await issuer.service.close()
    await own.remove()
  })

  it('makes issuance a 503 that uses no nonce, no redemption and no status index, and issuance goes on when it is back', async () => {
    const { databaseUrl, config } = issuer.service
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const access = await issuer.token(id)
    const wallet = await newWallet()
    const nonce = await issuer.nonce()
    const body = {
      credential_configuration_id: SD_JWT,
      proofs: { jwt: [await wallet.proof(config.issuerBaseUrl, nonce)] },
    }
    const { credentialOfferSessionId: other } = await issuer.makeOffer()
    const first = credentialOf(await issuer.take(await issuer.token(other), SD_JWT))
    const counts = async () => {
      const [row] = await query<Record<string, number>>(
        databaseUrl,
        `SELECT (SELECT count(*)::int FROM used_nonces) AS nonces, (SELECT count(*)::int FROM credentials) AS credentials,
          (SELECT coalesce(sum(allotted), 0)::int FROM status_lists) AS reserved,
          (SELECT count(*)::int FROM redemptions) AS redemptions`,
      )
      return row
    }
    const before = await counts()
    await own.takeAway()
    // More requests than a process has reserved indices: indices that are not given back would run out.
    const signDirectly = async () =>
      issuer.service.request('POST', '/credentials/sign', {
        authorization: await issuer.authorization(),
        body: { type: JWT_VC, credential_subject: { product: 'Mill' }, format: 'dc+sd-jwt' },
      })
    for (let round = 0; round < 10; round += 1) {
      const refused = await Promise.all(Array.from({ length: 4 }, () => issuer.requestCredential(access, body)))
      for (const { status, json, headers } of refused) {
        expect([status, json.error, json.error_description, headers.get('retry-after')]).toEqual([
          503,
          'temporarily_unavailable',
          'Signing is not available at the moment.',
          '5',
        ])
      }
      for (const { status, json, headers } of await Promise.all(Array.from({ length: 4 }, signDirectly))) {
        expect([status, json.message, headers.get('retry-after')]).toEqual([
          503,
          'Signing is not available at the moment.',
          '5',
        ])
      }
    }
    expect(await counts()).toEqual(before)
    expect((await issuer.service.request('GET', '/health/readiness')).json.details.keyProviders).toEqual({
      status: 'degraded',
      reason: 'hsm cannot be used',
    })
    await own.bringBack()
    await expect
      .poll(async () => (await issuer.requestCredential(access, body)).status, { timeout: 60_000, interval: 500 })
      .toBe(200)
    // The next index of the block: none was lost.
    expect((await counts())?.reserved).toBe(before?.reserved)
    await verifiedByJose(first)
  })

  it('leaves no credential without an answer and no index twice, under load', async () => {
    const { service } = issuer
    const authorization = await issuer.authorization()
    const body = { type: JWT_VC, credential_subject: { product: 'Mill' }, format: 'dc+sd-jwt' }
    const before = await query<{ n: number }>(service.databaseUrl, 'SELECT count(*)::int AS n FROM credentials')
    const credentials: string[] = []
    const statuses = new Set<number>()
    let over = false
    const wallet = async () => {
      while (!over) {
        const answer = await service.request('POST', '/credentials/sign', { authorization, body })
        statuses.add(answer.status)
        if (answer.status === 201) credentials.push(answer.json.credential)
      }
    }
    const wallets = Promise.all(Array.from({ length: 8 }, wallet))
    try {
      await expect.poll(() => credentials.length, { timeout: 60_000 }).toBeGreaterThan(0)
      await own.takeAway()
      try {
        await expect.poll(() => statuses.has(503), { timeout: 60_000 }).toBe(true)
      } finally {
        await own.bringBack()
      }
      const soFar = credentials.length
      await expect.poll(() => credentials.length, { timeout: 60_000 }).toBeGreaterThan(soFar + 20)
    } finally {
      over = true
      await wallets
    }
    expect([...statuses].sort()).toEqual([201, 503])
    const after = await query<{ n: number }>(service.databaseUrl, 'SELECT count(*)::int AS n FROM credentials')
    expect((after[0]?.n ?? 0) - (before[0]?.n ?? 0)).toBe(credentials.length)
    const indices = credentials.map((credential) => JSON.stringify(payloadOf(credential).status))
    expect(new Set(indices).size).toBe(indices.length)
  })

  it('names the reason to admins, however often the token is asked', async () => {
    const { service } = issuer
    const authorization = await service.bearer('alice', { roles: ['admin'] })
    const shown = async () => (await service.request('GET', '/api/v1/key-providers', { authorization })).json.items[0]
    const make = () => service.platform.keyProviders.generate('hsm', 'credence-x', 'ES256').catch(() => {})
    await service.platform.keyProviders.states()
    await own.takeAway()
    // The token may have been opened or tried a moment ago, so the service does not try it for each call.
    for (let call = 0; call < 5; call += 1) await make()
    expect(await shown()).toMatchObject({
      status: 'away',
      message: expect.stringMatching(
        /^(the token answered CKR_GENERAL_ERROR|there is no token with the label credence)\.$/,
      ),
    })
    await own.bringBack()
    await expect.poll(async () => (await make()) !== undefined, { timeout: 60_000, interval: 500 }).toBe(true)
    expect((await shown()).status).toBe('up')
  })

  it('leaves a status list as it is until it expires', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const credential = credentialOf(await issuer.take(await issuer.token(id), SD_JWT))
    const { pathname } = new URL(payloadOf(credential).status.status_list.uri)
    const list = () => issuer.service.request('GET', pathname, { headers: { accept: 'application/statuslist+jwt' } })
    const signed = await list()
    expect(signed.status).toBe(200)
    await own.takeAway()
    // A list is signed again after half of its validity (STATUS_LIST_EXPIRY_SECONDS, a day).
    clock.ahead = 13 * 3_600
    expect((await list()).text).toBe(signed.text)
    clock.ahead = 25 * 3_600
    expect((await list()).status).toBe(503)
    await own.bringBack()
    await expect.poll(async () => (await list()).status, { timeout: 60_000, interval: 500 }).toBe(200)
  })
})

it.skipIf(WITHOUT_TOKEN !== undefined)(
  `a PIN that is changed while the service runs is tried once, and never again${skipped}`,
  async () => {
    const own = await makeToken()
    onTestFinished(() => own.remove())
    await using service = await startService({ env: { ...own.env, ISSUER_KEY_PROVIDER: 'hsm' } })
    const authorization = await service.bearer('alice', { roles: ['admin'] })
    const make = () => service.platform.keyProviders.generate('hsm', 'credence-x', 'ES256').catch(() => undefined)
    const message = async () =>
      (await service.request('GET', '/api/v1/key-providers', { authorization })).json.items[0]?.message
    expect(await make()).toBeDefined()
    await own.tool('--change-pin', '--new-pin', '111111')
    await own.takeAway()
    await make()
    await own.bringBack()
    await expect
      .poll(async () => [await make(), await message()], { timeout: 60_000, interval: 500 })
      .toEqual([undefined, 'the PIN is wrong. It was tried once.'])
    await own.util('--init-token', '--token', 'credence', '--label', 'credence', '--so-pin', '5678', '--pin', PIN)
    // The PIN is right again, but only a start tries it.
    await setTimeout(1_500)
    expect([await make(), await message()]).toEqual([undefined, 'the PIN is wrong. It was tried once.'])
  },
)

describeToken(`a start with a token${skipped}`, () => {
  const startWith = async (env: Readonly<Record<string, string>>) => {
    const service = await startService({ env: { ...token.env, ...env } })
    await service.close()
  }

  it('fails with a wrong PIN after one try', async () => {
    const own = await makeToken()
    try {
      const wrong = { ...own.hsm, pinFile: undefined, pinVariable: 'TOKEN_PIN' }
      const env = { ...own.env, KEY_PROVIDERS: await own.providersFile(wrong), TOKEN_PIN: '000000' }
      const refused = await startService({ env }).catch((error: Error) => error)
      expect(refused).toMatchObject({
        name: 'ConfigurationError',
        message: 'Invalid environment variables:\n- KEY_PROVIDERS (hsm): the PIN is wrong. It was tried once.',
      })
      // The right PIN still works.
      const right = await startService({ env: { ...env, TOKEN_PIN: PIN } })
      await right.close()
    } finally {
      await own.remove()
    }
  })

  it.each([
    [{ tokenLabel: 'other' }, 'there is no token with the label other.'],
    [{ module: '/nowhere.so' }, /nowhere/],
    [{ pinFile: '/nowhere' }, 'the file of pinFile cannot be read.'],
    [{ pinFile: undefined, pinCommand: ['false'] }, 'the command of pinCommand failed.'],
    [{ pinFile: undefined }, 'must have exactly one of pinFile, pinVariable and pinCommand'],
    [{ tokenSerial: 'abc' }, 'must have either tokenLabel or tokenSerial'],
    [{ sessions: 0 }, /sessions/],
    [{ slots: 1 }, /slots/],
  ])('fails by name with %j', async (members, reason) => {
    const file = await token.providersFile({ ...token.hsm, ...members })
    await expect(startWith({ KEY_PROVIDERS: file })).rejects.toThrow(reason)
  })

  it('reads the PIN from a command', async () => {
    const file = await token.providersFile({ ...token.hsm, pinFile: undefined, pinCommand: ['/bin/echo', PIN] })
    await startWith({ KEY_PROVIDERS: file })
  })

  const idOf = (label: string) => createHash('sha256').update(label).digest('hex').slice(0, 8)

  const byTool =
    (type: string) =>
    (label: string): Promise<unknown> =>
      token.tool('--keypairgen', '--key-type', type, '--label', label, '--id', idOf(label))

  it.each<[string, (label: string) => Promise<unknown>, string]>([
    ['an RSA key', byTool('rsa:2048'), 'is on no supported curve: P-256, P-384 or Ed25519'],
    ['a key of another curve', byTool('EC:secp521r1'), 'is on no supported curve: P-256, P-384 or Ed25519'],
    ['a key that can be exported', (label) => token.makeKey(label, { 354: true }), 'can be exported'],
    ['a key that can be read', (label) => token.makeKey(label, { 259: false }), 'can be read'],
    ['a key that must not sign', (label) => token.makeKey(label, { 264: false }), 'must not sign'],
    ['a key that asks for the PIN', (label) => token.makeKey(label, { 514: true }), 'asks for the PIN'],
  ])('refuses %s in ISSUER_X509 by name', async (name, make, reason) => {
    const label = name.replaceAll(' ', '-')
    await make(label)
    const files = await certificateFiles()
    const path = await files.fileOf([leafOf(), intermediate])
    const pem = (await readFile(path, 'utf8')).replace(
      /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/,
      `key: hsm:${label}`,
    )
    await writeFile(path, pem)
    await expect(startWith({ ...HTTPS, ISSUER_X509: path })).rejects.toThrow(
      new RegExp(`ISSUER_X509 names a key that cannot be used: the key ${label} ${reason}`),
    )
    await files.remove()
  })

  it('fails while the key of the default issuer is in the database, until keys:rotate --provider has moved it', async () => {
    const database = await createTestDatabase()
    const first = await startService({ databaseUrl: database.url })
    await first.close()
    const env = { ...token.env, ISSUER_KEY_PROVIDER: 'hsm' }
    await expect(startService({ databaseUrl: database.url, env })).rejects.toThrow(
      'ISSUER_KEY_PROVIDER is hsm, but the key of the default issuer is in the database. Run npm run keys:rotate -- --provider hsm',
    )
    await keysCommand(['--provider', 'hsm'], environmentOf(first, token.env))
    const moved = await startService({ databaseUrl: database.url, env })
    await moved.close()
    await expect(startService({ databaseUrl: database.url })).rejects.toThrow(
      'KEY_PROVIDERS (hsm): is missing, and a record signs with a key of it.',
    )
    await database.drop()
  })
})

describeToken(`records of their own in a token${skipped}`, () => {
  it('choose provider and algorithm, and their certificate request is signed by the token', async () => {
    await using service = await startService({ env: token.env })
    const authorization = await service.bearer('alice', { roles: ['admin'] })
    const create = (kind: string, members: Readonly<Record<string, unknown>>) =>
      service.request('POST', `/agent/${kind}`, { authorization, body: { method: 'web', ...members } })
    const verifier = await create('verifier', { keyProvider: 'hsm', display: [{ name: 'Shop' }] })
    expect(verifier.status, verifier.text).toBe(201)
    const path = `/agent/verifier/${verifier.json.id}`
    const { certificateRequest } = (await service.request('GET', `${path}/certificate-request`, { authorization })).json
    const read = readRequest(certificateRequest)
    expect(read.signed).toBe(true)
    expect(read.publicKey.export({ format: 'jwk' })).toMatchObject({ x: jwkOfDid(verifier.json.did).x })
    const chain = pemOf(certificateFor(certificateRequest), intermediate)
    const taken = await service.request('POST', `${path}/certificate`, { authorization, body: { chain } })
    expect(taken.status, taken.text).toBe(200)

    const edwards = await create('issuer', { keyProvider: 'hsm', algorithm: 'EdDSA' })
    expect(edwards.status, edwards.text).toBe(201)
    expect(jwkOfDid(edwards.json.did)).toMatchObject({ crv: 'Ed25519' })

    const unknown = await create('issuer', { keyProvider: 'other' })
    expect([unknown.status, unknown.json.message]).toEqual([
      400,
      ['keyProvider must be database or the name of a provider of KEY_PROVIDERS'],
    ])
  })
})

describeToken(`ISSUER_X509 with a key of a token${skipped}`, () => {
  it('issues all three formats with the chain of the key, and @auth0/mdl accepts the mobile document', async () => {
    await token.tool(
      '--keypairgen',
      '--key-type',
      'EC:prime256v1',
      '--label',
      'issuer-1',
      '--id',
      '0a0b',
      '--usage-sign',
    )
    const der = `${token.directory}/public.der`
    await token.tool('--read-object', '--type', 'pubkey', '--id', '0a0b', '--output-file', der)
    const publicKey = createPublicKey({ key: await readFile(der), format: 'der', type: 'spki' })
    const leaf = leafOf({
      issuer: root,
      subject: 'C=DE/Issuer',
      purposes: ['1.0.18013.5.1.2'],
      keyPair: { publicKey, privateKey: root.privateKey },
    })
    const elements = Object.keys(ELEMENTS[NAMESPACE]).map((element) => [NAMESPACE, element] as const)
    const path = `${token.directory}/issuer.pem`
    await writeFile(path, `key: hsm:issuer-1\n${pemOf(leaf)}`)
    const issuer = await startIssuer({ env: { ...HTTPS, ...token.env, ISSUER_KEY_PROVIDER: 'hsm', ISSUER_X509: path } })
    try {
      expect((await postSchema(issuer, licenceSchema())).status).toBe(201)
      const { credentialOfferSessionId: id } = await offerOf(issuer)
      const access = await issuer.token(id)
      const wallet = await newWallet()
      for (const configuration of ALL) {
        const credential = credentialOf(await issuer.take(access, configuration, wallet))
        if (configuration === MDOC) expect(await failedChecks(credential, wallet.signer, elements)).toEqual([])
        else if (configuration !== LICENCE) {
          const jwt = credential.split('~')[0] ?? ''
          expect(decodeProtectedHeader(jwt).x5c).toEqual([leaf.certificate.raw.toString('base64')])
          await jwtVerify(jwt, publicKey)
        }
      }
    } finally {
      await issuer.service.close()
    }
  })
})
