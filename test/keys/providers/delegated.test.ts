import { writeFile } from 'node:fs/promises'
import { SDJwtInstance } from '@sd-jwt/core'
import { digest } from '@sd-jwt/crypto-nodejs'
import { compactVerify, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pemOf } from '../../agent/authority.js'
import { HTTPS, root } from '../../agent/certified.js'
import { authorityOf, chainOfCwt, chainOfMdoc, opensslVerify, partsOf, signedByLeaf } from '../../agent/delegated.js'
import { credentialOf, type Issuer, movingClock, startIssuer } from '../../issuer/openid4vci/actors.js'
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
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { ELEMENTS } from '../../protocol/mdoc/actors.js'
import { query } from '../../support/postgres.js'
import { newWallet } from '../../support/wallet-actor.js'
import { makeToken, type Token, WITHOUT_TOKEN } from './softhsm.js'

const skipped = WITHOUT_TOKEN === undefined ? '' : ` (left out: ${WITHOUT_TOKEN})`
const HOUR = 3_600

describe.skipIf(WITHOUT_TOKEN !== undefined)(
  `delegated signing with the key of a PKCS#11 token${skipped}`,
  { timeout: 120_000 },
  () => {
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
      const line = /credence_key_provider_calls_total\{provider="hsm",operation="sign",outcome="ok"\} (\d+)/.exec(
        metrics,
      )
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
  },
)
