import { describe, expect, onTestFinished, test } from 'vitest'
import { type Issuer, JWT_VC, SUBJECT as PURCHASE, payloadOf, startIssuer } from '../../issuer/openid4vci/actors.js'
import { LICENCE, MDOC, offerOf } from '../../issuer/openid4vci/mdoc-actors.js'
import { grown, startOperations } from '../../metrics/scrape.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { remotePlace, startCertified } from './places.js'
import { SUBJECTS } from './subjects.js'

const CALLS = 'credence_key_provider_calls_total'
const SECONDS = 'credence_key_provider_call_duration_seconds'
/** Long enough for a busy machine, and short enough for a test that waits for it. */
const TIMEOUT_SECONDS = 6

const series = (outcome: string) => `{provider="hsm",operation="sign",outcome="${outcome}"}`

const signDirectly = async ({ service, authorization }: Issuer, format = 'dc+sd-jwt') =>
  service.request('POST', '/credentials/sign', {
    authorization: await authorization(),
    body: { type: JWT_VC, credential_subject: PURCHASE, format },
  })

/** The parts of an answer that say that signing is unavailable, in the API and at the endpoints for wallets. */
const saidOf = ({ status, headers, json }: Answer) => [
  status,
  headers.get('retry-after'),
  json?.error_description ?? json?.message,
]
const UNAVAILABLE = [503, '5', 'Signing is not available at the moment.']

describe.each(Object.entries(SUBJECTS))('calls to a key provider of the kind %s', (_kind, begin) => {
  test('are counted and timed by their outcomes', async () => {
    const members = { timeoutSeconds: TIMEOUT_SECONDS, concurrency: 1, queue: 1 }
    const { env, subject } = await remotePlace(begin, members)
    const { double, isSign } = subject
    const issuer = await startIssuer({ env: { ...env, ISSUER_KEY_PROVIDER: 'hsm' }, clock: subject.clock.now })
    const operations = await startOperations(issuer.service)
    onTestFinished(async () => {
      await operations.close()
      await issuer.service.close()
    })
    /** Signs, some requests at once. @returns the growth of both metrics */
    const growth = async (atOnce: number, answers: unknown) => {
      const before = await operations.samples()
      const all = await Promise.all(Array.from({ length: atOnce }, () => signDirectly(issuer)))
      for (const answer of all) expect(answer.status === 201 ? 201 : saidOf(answer)).toEqual(answers)
      const after = await operations.samples()
      const of = (part: string) => grown(before, after, `${SECONDS}_${part}`)['{provider="hsm",operation="sign"}'] ?? 0
      return { calls: grown(before, after, CALLS), counted: of('count'), seconds: of('sum') }
    }

    const ok = await growth(1, 201)
    expect([ok.calls, ok.counted]).toEqual([{ [series('ok')]: 1 }, 1])
    expect(ok.seconds).toBeGreaterThan(0)

    double.faults.api = () => subject.forbidden
    expect((await growth(1, UNAVAILABLE)).calls).toEqual({ [series('refused')]: 1 })

    double.faults.api = () => ({ status: 503, body: {} })
    const asked = double.got.filter(isSign).length
    const away = await growth(1, UNAVAILABLE)
    expect([away.calls, away.counted]).toEqual([{ [series('unavailable')]: 1 }, 1])
    // The repetition belongs to the same call.
    expect(double.got.filter(isSign).length).toBe(asked + 2)

    double.faults.api = undefined
    double.chest.lying = true
    expect((await growth(1, UNAVAILABLE)).calls).toEqual({ [series('invalid-signature')]: 1 })
    double.chest.lying = false

    // One call hangs, one waits, and one finds the queue full.
    double.faults.api = () => 'handled'
    const hanging = await growth(3, UNAVAILABLE)
    expect(hanging.calls).toEqual({ [series('timeout')]: 2, [series('busy')]: 1 })
    expect(hanging.counted).toBe(3)
    expect(hanging.seconds).toBeGreaterThan(2 * TIMEOUT_SECONDS - 0.5)

    double.faults.api = undefined
    expect((await growth(1, 201)).calls).toEqual({ [series('ok')]: 1 })
  })

  test('attack: a provider whose signatures are wrong makes the service send no document, and spend nothing', async () => {
    const place = await remotePlace(begin)
    const { chest } = place.subject.double
    const issuer = await startCertified(place)
    const { service } = issuer
    const wallet = await newWallet()
    const { credentialOfferSessionId: id } = await offerOf(issuer)
    const access = await issuer.token(id)
    const request = async (configuration: string) => ({
      credential_configuration_id: configuration,
      proofs: { jwt: [await wallet.proof(service.config.issuerBaseUrl, await issuer.nonce())] },
    })
    const requests = await Promise.all([LICENCE, `${LICENCE}-sd-jwt`, MDOC].map(request))
    // Lists of two credentials, which nobody has read yet.
    const [jwtVc, sdJwt] = [await signDirectly(issuer, 'jwt_vc_json'), await signDirectly(issuer)]
    const lists = [
      [payloadOf(jwtVc.json.credential).vc.credentialStatus].flat()[0].statusListCredential,
      payloadOf(sdJwt.json.credential).status.status_list.uri,
    ]
    const authorization = await service.bearer('alice', { roles: ['admin'] })
    const verifier = await service.request('POST', '/agent/verifier', {
      authorization,
      body: { method: 'web', keyProvider: 'hsm', display: [{ name: 'Shop' }] },
    })
    expect(verifier.status, verifier.text).toBe(201)
    const offering = await issuer.makeOffering()
    const asked = await service.request('POST', '/authorization-requests', {
      authorization,
      body: { dcqlQuery: { credentials: [{ id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['x'] } }] } },
    })
    expect(asked.status, asked.text).toBe(201)
    const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
      service.request('GET', url.startsWith('http') ? new URL(url).pathname : url, { headers })

    const attempts: Readonly<Record<string, () => Promise<Answer>>> = {
      'a wallet asks for a JWT VC': () => issuer.requestCredential(access, requests[0]),
      'a wallet asks for an SD-JWT VC': () => issuer.requestCredential(access, requests[1]),
      'a wallet asks for a mobile document': () => issuer.requestCredential(access, requests[2]),
      'a backend signs a JWT VC': () => signDirectly(issuer, 'jwt_vc_json'),
      'a backend signs an SD-JWT VC': () => signDirectly(issuer),
      'a backend claims an offering': () =>
        service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization }),
      'a Bitstring Status List': () => get(lists[0]),
      'a Token Status List': () => get(lists[1], { accept: 'application/statuslist+jwt' }),
      'a request object': () => get(asked.json.request_uri),
      'signed metadata': () => get('/.well-known/openid-credential-issuer', { accept: 'application/jwt' }),
      'domain linkage': () => get('/.well-known/did-configuration.json'),
      'a certificate request': () =>
        service.request('GET', `/agent/verifier/${verifier.json.id}/certificate-request`, { authorization }),
    }
    const spent = async () => {
      const [row] = await query(
        service.databaseUrl,
        `SELECT (SELECT count(*)::int FROM used_nonces) AS nonces, (SELECT count(*)::int FROM credentials) AS credentials,
          (SELECT count(*)::int FROM redemptions) AS redemptions,
          (SELECT coalesce(sum(redemption_count), 0)::int FROM offerings) AS counted,
          (SELECT count(*)::int FROM credential_instances) AS places`,
      )
      return row
    }
    const before = await spent()
    chest.lying = true
    const lies = await Promise.all(
      Object.entries(attempts).map(async ([what, attempt]) => [what, ...saidOf(await attempt())]),
    )
    expect(lies).toEqual(Object.keys(attempts).map((what) => [what, ...UNAVAILABLE]))
    expect(await spent()).toEqual(before)

    chest.lying = false
    for (const [what, attempt] of Object.entries(attempts)) {
      const { status, text } = await attempt()
      expect([200, 201], `${what} ${text}`).toContain(status)
    }
  })
})
