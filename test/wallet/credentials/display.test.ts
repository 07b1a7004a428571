import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { DIPLOMA_JWT, DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../../support/remote-issuer.js'
import { type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { startService, type TestService } from '../../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'

let service: TestService
let issuer: RemoteIssuer
let verifier: RemoteVerifier
let wallet: HostedWallet

const LOGO = { uri: 'https://university.example/logo.png', alt_text: 'University' }

const DESCRIBED = {
  display: [
    { name: 'Diploma', locale: 'en', background_color: '#1d4fc4', text_color: 'red; x', logo: LOGO },
    { name: 'Urkunde', locale: 'de', description: 'Abschluss', logo: { uri: 'javascript:alert(1)' } },
    { locale: 'fr' },
  ],
  claims: [
    {
      path: ['university'],
      display: [
        { name: 'University', locale: 'en' },
        { name: 'Hochschule', locale: 'de' },
      ],
    },
    { path: ['degree'], display: [{ name: 'Degree', locale: 'en' }] },
    { path: 'none' },
  ],
}

/** The metadata of an independent issuer with a description of its SD-JWT VC. */
async function describing(metadata: unknown) {
  const plain = await startRemoteIssuer()
  const answer = await fetch(`${plain.url}/.well-known/openid-credential-issuer`)
  const known = (await answer.json()) as { credential_configurations_supported: Record<string, object> }
  await plain.close()
  const { [DIPLOMA_SD_JWT]: sdJwt, ...others } = known.credential_configurations_supported
  return (url: string) => ({
    display: [{ name: 'University', locale: 'en' }, { name: 'Hochschule', locale: 'de' }, { name: 7 }],
    credential_configurations_supported: {
      ...others,
      [DIPLOMA_SD_JWT]: { ...sdJwt, vct: `${url}/vct/diploma`, credential_metadata: metadata },
    },
  })
}

beforeAll(async () => {
  issuer = await startRemoteIssuer({ metadata: await describing(DESCRIBED) })
  verifier = await startRemoteVerifier()
  service = await startService({ env: { ...LOOPBACK, VERIFIER_TRUST_ANCHORS: verifier.anchorFile } })
  wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT, DIPLOMA_JWT]))
  if (taken.status !== 200) throw new Error(taken.text)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await verifier.close()
})

const credentialOf = async (configurationId: string, language = '') =>
  (await wallet.get(`/credentials${language}`)).json.find(
    (credential: { configurationId: string }) => credential.configurationId === configurationId,
  )

describe('a credential in a hosted wallet', () => {
  it('has the display of its issuer in the reader’s language, without members that are malformed or dangerous', async () => {
    expect((await credentialOf(DIPLOMA_SD_JWT)).display).toEqual({
      name: 'Diploma',
      locale: 'en',
      background_color: '#1d4fc4',
      logo: LOGO,
    })
    expect((await credentialOf(DIPLOMA_SD_JWT, '?locale=de-AT')).display).toEqual({
      name: 'Urkunde',
      locale: 'de',
      description: 'Abschluss',
    })
    expect((await wallet.get('/credentials?locale=no%20tag')).status).toBe(400)
  })

  it('has the name of its issuer in the reader’s language, if the issuer has one', async () => {
    expect((await credentialOf(DIPLOMA_SD_JWT)).issuerName).toBe('University')
    expect((await credentialOf(DIPLOMA_SD_JWT, '?locale=de')).issuerName).toBe('Hochschule')
  })

  it('has the names of its claims in the order of the issuer', async () => {
    const { id } = await credentialOf(DIPLOMA_SD_JWT)
    expect((await wallet.get(`/credentials/${id}?locale=de`)).json.claimNames).toEqual([
      { path: ['university'], name: 'Hochschule' },
      { path: ['degree'], name: 'Degree' },
    ])
  })

  it('of an issuer that names no claims has no names of claims', async () => {
    const { id, display } = await credentialOf(DIPLOMA_JWT)
    expect(display).toEqual({ name: 'Diploma', locale: 'en' })
    expect((await wallet.get(`/credentials/${id}`)).json.claimNames).toEqual([])
  })

  it('of an issuer that describes too much is taken without the description', async () => {
    const names = Array.from({ length: 30 }, () => ({ name: 'x'.repeat(200) }))
    const claims = Array.from({ length: 200 }, (_, at) => ({ path: [`c${at}`], display: names }))
    await using other = await startRemoteIssuer({ metadata: await describing({ claims }) })
    const holder = await newWallet(service)
    expect((await holder.process(await other.offer([DIPLOMA_SD_JWT]))).status).toBe(200)
    const [held] = (await holder.get('/credentials')).json
    expect(held.display).toBeUndefined()
    expect((await holder.get(`/credentials/${held.id}`)).json.claimNames).toEqual([])
  })
})

describe('GET /holders/{holderId}/presentations', () => {
  it('says which claims of a credential were shown to whom, without their values, for one credential too', async () => {
    const { id } = await credentialOf(DIPLOMA_SD_JWT)
    const asked = (format: string, meta: object, claims: object) => ({
      credentials: [{ id: 'diploma', format, meta, ...claims }],
    })
    const vct = { vct_values: [`${issuer.url}/vct/diploma`] }
    await wallet.process(await verifier.request(asked('dc+sd-jwt', vct, { claims: [{ path: ['degree'] }] })))
    await wallet.process(await verifier.request(asked('jwt_vc_json', { type_values: [['Diploma']] }, {})))
    const all = (await wallet.get('/presentations')).json
    expect(all).toHaveLength(2)
    const ofOne = (await wallet.get(`/presentations?credentialId=${id}`)).json
    expect(ofOne).toEqual([all[1]])
    expect(ofOne[0]).toMatchObject({
      state: 'accepted',
      credentials: [{ queryId: 'diploma', credentialId: id, claims: [['degree']] }],
    })
    expect((await wallet.get(`/presentations?credentialId=${crypto.randomUUID()}`)).json).toEqual([])
    // Another holder of the same user does not see the presentations.
    const other = await newWallet(service)
    expect((await other.get(`/presentations?credentialId=${id}`)).json).toEqual([])
    const stored = await query(
      service.databaseUrl,
      'SELECT credential_ids FROM wallet_presentations WHERE $1 = ANY(credential_ids)',
      [id],
    )
    expect(stored).toHaveLength(1)
  })
})
