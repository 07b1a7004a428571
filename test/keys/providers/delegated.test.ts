import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { SDJwtInstance } from '@sd-jwt/core'
import { digest } from '@sd-jwt/crypto-nodejs'
import { compactVerify, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pemOf } from '../../agent/authority.js'
import { HTTPS, root } from '../../agent/certified.js'
import { authorityOf, chainOfCwt, chainOfMdoc, opensslVerify, partsOf, signedByLeaf } from '../../agent/delegated.js'
import { credentialOf, type Issuer, movingClock, startIssuer } from '../../issuer/openid4vci/actors.js'
import {
  ALL,
  DOCTYPE,
  failedChecks,
  LICENCE,
  licenceSchema,
  MDOC,
  NAMESPACE,
  offerOf,
  postSchema,
} from '../../issuer/openid4vci/mdoc-actors.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { ELEMENTS } from '../../protocol/mdoc/actors.js'
import { query } from '../../support/postgres.js'
import { type Answer, startService } from '../../support/service.js'
import { LOOPBACK, newWallet as newHostedWallet } from '../../support/wallet.js'
import { newWallet } from '../../support/wallet-actor.js'
import { makeToken, type Token, WITHOUT_TOKEN } from './softhsm.js'

const skipped = WITHOUT_TOKEN === undefined ? '' : ` (left out: ${WITHOUT_TOKEN})`
const HOUR = 3_600
const run = promisify(execFile)

describe.skipIf(WITHOUT_TOKEN !== undefined)(`delegated signing with the key of a PKCS#11 token${skipped}`, () => {
  const clock = movingClock()
  let token: Token
  let authority: TestCertificate
  let issuer: Issuer

  beforeAll(async () => {
    token = await makeToken()
    const publicKey = await token.newKey('authority', '0c0d')
    authority = authorityOf({
      subject: 'C=DE/Issuing authority',
      keyPair: { publicKey, privateKey: root.privateKey },
    })
    const path = `${token.directory}/issuer.pem`
    await writeFile(path, `key: hsm:authority\n${pemOf(authority)}`)
    issuer = await startIssuer({
      clock: clock.now,
      // The clock moves by days, and the job would remove the rows that are counted.
      maintenance: false,
      env: { ...HTTPS, ...token.env, ISSUER_KEY_PROVIDER: 'hsm', ISSUER_X509: path, ISSUER_SIGNING: 'delegated' },
    })
    expect((await postSchema(issuer, licenceSchema())).status).toBe(201)
  })
  afterAll(async () => {
    await issuer.service.close()
    await token.remove()
  })

  const sign = async () =>
    issuer.service.request('POST', '/credentials/sign', {
      authorization: await issuer.authorization(),
      body: { type: 'ProofOfPurchase', credential_subject: { product: 'Mill' }, format: 'dc+sd-jwt' },
    })
  const leafNow = async () => partsOf((await sign()).json.credential).chain[0]?.fingerprint256
  const signatures = async (): Promise<number> => {
    const metrics = await issuer.service.service.operated.metrics.registry.metrics()
    const line = /credence_key_provider_calls_total\{provider="hsm",operation="sign",outcome="ok"\} (\d+)/.exec(metrics)
    return Number(line?.[1] ?? 0)
  }
  const readiness = async () => (await issuer.service.request('GET', '/health/readiness')).json

  it('issues all three formats, which @sd-jwt/core, jose, @auth0/mdl and OpenSSL verify', async () => {
    const { credentialOfferSessionId: id } = await offerOf(issuer)
    const access = await issuer.token(id)
    const wallet = await newWallet()
    const taken = new Map<string, string>()
    for (const configuration of ALL)
      taken.set(configuration, credentialOf(await issuer.take(access, configuration, wallet)))
    const mdoc = taken.get(MDOC) ?? ''
    const elements = Object.keys(ELEMENTS[NAMESPACE]).map((element) => [NAMESPACE, element] as const)
    expect(await failedChecks(mdoc, wallet.signer, elements)).toEqual([])
    const ofMdoc = chainOfMdoc(mdoc)
    expect(await opensslVerify(ofMdoc, root.certificate)).toContain('OK')
    expect(ofMdoc[0]?.keyUsage).toEqual(['1.0.18013.5.1.2'])

    const sdJwt = taken.get(`${LICENCE}-sd-jwt`) ?? ''
    const leaf = await signedByLeaf(sdJwt)
    const key = await importX509(String(leaf), 'ES256')
    const instance = new SDJwtInstance({
      hasher: digest,
      hashAlg: 'sha-256',
      verifier: async (data: string, signature: string) =>
        compactVerify(`${data}.${signature}`, key).then(
          () => true,
          () => false,
        ),
    })
    expect((await instance.verify(sdJwt)).payload).toMatchObject({ iss: 'https://credence.example' })
    expect(leaf.fingerprint256).not.toBe(ofMdoc[0]?.fingerprint256)

    const { pathname } = new URL(
      (partsOf(sdJwt).payload as { status: { status_list: { uri: string } } }).status.status_list.uri,
    )
    const list = await issuer.service.request('GET', pathname, { headers: { accept: 'application/statuslist+jwt' } })
    expect((await signedByLeaf(list.text)).fingerprint256).toBe(leaf.fingerprint256)
    const cwt = await fetch(`${issuer.service.url}${pathname}`, { headers: { accept: 'application/statuslist+cwt' } })
    const chain = chainOfCwt(new Uint8Array(await cwt.arrayBuffer()))
    expect(chain[0]?.fingerprint256).toBe(leaf.fingerprint256)
    for (const each of [chain, partsOf(sdJwt).chain])
      expect(await opensslVerify(each, root.certificate)).toContain('OK')

    // The token signs the JWT VC, which carries no chain.
    const jwt = partsOf(taken.get(LICENCE) ?? '')
    expect(jwt.header.x5c).toBeUndefined()
    await compactVerify(jwt.jwt, authority.certificate.publicKey)
    const metadata = await issuer.service.request('GET', '/.well-known/openid-credential-issuer', {
      headers: { accept: 'application/jwt' },
    })
    expect((await signedByLeaf(metadata.text)).fingerprint256).toBe(leaf.fingerprint256)
  })

  it('asks the token for no signature of a further credential', async () => {
    await sign()
    const before = await signatures()
    for (let round = 0; round < 20; round += 1) expect((await sign()).status).toBe(201)
    expect(await signatures()).toBe(before)
  })

  it('goes on until its 24 hours end while the token is away, then is a 503 that uses nothing, and recovers', async () => {
    const { documentSigners } = issuer.service.platform
    const first = await leafNow()
    await token.takeAway()
    clock.ahead += 13.1 * HOUR
    await documentSigners.look()
    expect(await leafNow()).toBe(first)
    const late = await readiness()
    expect([late.status, late.details.documentSigners]).toEqual([
      'ok',
      {
        status: 'degraded',
        reason: expect.stringMatching(/of the document signers cannot be renewed: the first signs until 20/),
      },
    ])
    clock.ahead += 11 * HOUR
    const { credentialOfferSessionId: id } = await offerOf(issuer)
    const access = await issuer.token(id)
    const wallet = await newWallet()
    const requests = await Promise.all(
      ALL.map(async (configuration) => ({
        credential_configuration_id: configuration,
        proofs: {
          jwt: [
            await wallet.proof(issuer.service.config.issuerBaseUrl, await issuer.nonce(), {
              payload: { iat: Math.floor(clock.now().getTime() / 1000) },
            }),
          ],
        },
      })),
    )
    const counts = async () =>
      (
        await query(
          issuer.service.databaseUrl,
          `SELECT (SELECT count(*)::int FROM credentials) AS credentials, (SELECT count(*)::int FROM used_nonces) AS nonces,
              (SELECT count(*)::int FROM redemptions) AS redemptions, (SELECT count(*)::int FROM credential_instances) AS places`,
        )
      )[0]
    const before = await counts()
    for (const request of requests) {
      const { status, headers, json } = await issuer.requestCredential(access, request)
      expect([status, headers.get('retry-after'), json.error_description]).toEqual([
        503,
        '5',
        'Signing is not available at the moment.',
      ])
    }
    for (let round = 0; round < 3; round += 1) {
      const refused = await sign()
      expect([refused.status, refused.json.message]).toEqual([503, 'Signing is not available at the moment.'])
    }
    expect(await counts()).toEqual(before)
    await token.bringBack()
    await expect.poll(async () => (await sign()).status, { timeout: 60_000, interval: 500 }).toBe(201)
    expect(await leafNow()).not.toBe(first)
    // The same requests with the same proofs, because none was spent.
    for (const request of requests) credentialOf(await issuer.requestCredential(access, request))
    await documentSigners.look()
    expect((await readiness()).status).toBe('ok')
  })

  it('a record of its own: from the certificate request to a wallet, a rotation, and to every and back', async () => {
    const own = await makeToken()
    onTestFinished(() => own.remove())
    const openssl = (...args: readonly string[]) => run('openssl', [...args], { cwd: own.directory })
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'root.key']
    const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign', '-days', '3650', '-out', 'root.pem']
    await openssl('req', '-x509', ...newKey, '-subj', '/C=DE/CN=Root', ...usage)
    const anchor = `${own.directory}/root.pem`
    const trust = { ...LOOPBACK, TRUSTED_ISSUERS: 'self,x5c', TRUST_ANCHORS: anchor }
    const there = await startIssuer({ env: { ...own.env, ...trust } })
    onTestFinished(() => there.service.close())
    const wallets = await startService({ env: trust })
    onTestFinished(() => wallets.close())
    expect((await postSchema(there, licenceSchema())).status).toBe(201)
    const authorization = await there.service.bearer('issuer', { roles: ['admin'], expiresIn: 86_400 })
    const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await there.service.request(method, path, {
        authorization,
        ...(body === undefined ? {} : { body }),
      })
      expect([200, 201], answer.text).toContain(answer.status)
      return answer
    }
    const { id } = (await call('POST', '/agent/issuer', { method: 'web', keyProvider: 'hsm', signing: 'delegated' }))
      .json
    /** OpenSSL makes a certificate from the request of the record, with the extensions that the request asks for. */
    const certified = async (signing: 'delegated' | 'every') => {
      const path = `/agent/issuer/${id}/certificate-request?signing=${signing}&country=DE&organization=Club`
      await writeFile(`${own.directory}/request.pem`, (await call('GET', path)).json.certificateRequest)
      const names = signing === 'every' ? `subjectAltName=URI:${there.service.url}\n` : ''
      await writeFile(
        `${own.directory}/own.cnf`,
        `subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid:always\n${names}`,
      )
      const from = ['-in', 'request.pem', '-CA', 'root.pem', '-CAkey', 'root.key', '-days', '3650']
      const copied = ['-copy_extensions', 'copy', '-extfile', 'own.cnf']
      const { stdout: chain } = await openssl('x509', '-req', ...from, ...copied)
      await call('POST', `/agent/issuer/${id}/certificate`, { chain, signing })
      return new X509Certificate(chain)
    }
    const rootOfOpenssl = async () => new X509Certificate(await readFile(anchor))
    const taken = async () => {
      const wallet = await newHostedWallet(wallets)
      const { credentialOfferUri } = await offerOf(there, { issuerId: id, credentialConfigurationIds: ALL })
      const answer = await wallet.process(credentialOfferUri)
      expect([answer.status, answer.json.credentials?.length], answer.text).toEqual([200, ALL.length])
      const of = async (configuration: string): Promise<string> => {
        const found = answer.json.credentials.find(
          ({ configurationId }: { configurationId: string }) => configurationId === configuration,
        )
        return (await wallet.get(`/credentials/${found.id}`)).json.credential
      }
      return { wallet, sdJwt: await of(`${LICENCE}-sd-jwt`), mdoc: await of(MDOC) }
    }
    type Taken = Awaited<ReturnType<typeof taken>>
    const fingerprints = (chain: readonly X509Certificate[]) => chain.map(({ fingerprint256 }) => fingerprint256)
    const chainsOf = ({ sdJwt, mdoc }: Taken) => [partsOf(sdJwt).chain, chainOfMdoc(mdoc)] as const
    /** A wallet presents all three formats to the verifier of the installation. */
    const presents = async ({ wallet, sdJwt }: Taken) => {
      const { vct } = partsOf(sdJwt).payload
      const credentials = [
        { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['birthDate'] }] },
        {
          id: 'b',
          format: 'jwt_vc_json',
          meta: { type_values: [[LICENCE]] },
          claims: [{ path: ['credentialSubject', 'birthDate'] }],
        },
        {
          id: 'c',
          format: 'mso_mdoc',
          meta: { doctype_value: DOCTYPE },
          claims: [{ path: [NAMESPACE, 'birth_date'] }],
        },
      ]
      const asked = await call('POST', '/authorization-requests', {
        dcqlQuery: { credentials },
        responseMode: 'direct_post',
      })
      const answer = await wallet.process(asked.json.authorizationRequestUri)
      expect(answer.status, answer.text).toBe(200)
    }

    const authority = await certified('delegated')
    const first = await taken()
    for (const chain of chainsOf(first)) {
      expect(chain[1]?.fingerprint256).toBe(authority.fingerprint256)
      expect(await opensslVerify(chain, await rootOfOpenssl(), ['-x509_strict'])).toContain('OK')
    }
    await signedByLeaf(first.sdJwt)
    await presents(first)

    await call('POST', `/api/v1/issuers/${id}/rotate`, { provider: 'hsm' })
    const { status } = partsOf(first.sdJwt).payload as { status: { status_list: { uri: string } } }
    const { text } = await there.service.request('GET', new URL(status.status_list.uri).pathname, {
      headers: { accept: 'application/statuslist+jwt' },
    })
    const leaf = await signedByLeaf(text)
    expect(leaf.verify(authority.publicKey)).toBe(true)
    const later = await certified('delegated')
    expect(later.publicKey.equals(authority.publicKey)).toBe(false)
    const second = await taken()
    for (const chain of chainsOf(second)) expect(chain[1]?.fingerprint256).toBe(later.fingerprint256)

    const signer = await certified('every')
    const third = await taken()
    for (const chain of chainsOf(third)) expect(fingerprints(chain)).toEqual([signer.fingerprint256])
    const last = await certified('delegated')
    const fourth = await taken()
    for (const chain of chainsOf(fourth)) expect(chain[1]?.fingerprint256).toBe(last.fingerprint256)
    for (const each of [first, second, third, fourth]) await presents(each)
  })
})
