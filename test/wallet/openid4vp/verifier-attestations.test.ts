import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../../support/remote-issuer.js'
import { type RemoteRequestOptions, type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { startService, type TestService } from '../../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { newRemoteKey, type RemoteKey, signJwt } from '../../support/wallet-callbacks.js'

const CLIENT_ID = 'verifier_attestation:shop.example'
const LATE = Date.parse('2099-01-01T00:00:00Z') / 1000
const PAST = Date.parse('2020-01-01T00:00:00Z') / 1000

let issuer: RemoteIssuer
let verifier: RemoteVerifier
let service: TestService
let wallet: HostedWallet
let attester: RemoteKey
let otherAttester: RemoteKey
let directory: string

beforeAll(async () => {
  issuer = await startRemoteIssuer()
  verifier = await startRemoteVerifier()
  attester = await newRemoteKey()
  otherAttester = await newRemoteKey()
  directory = await mkdtemp(join(tmpdir(), 'credence-attesters-'))
  const file = join(directory, 'attesters.json')
  const keys = [
    { ...attester.publicJwk, iss: 'https://attester.example', kid: '1' },
    { ...otherAttester.publicJwk, iss: 'https://other.example' },
  ]
  await writeFile(file, JSON.stringify({ keys }))
  service = await startService({ env: { ...LOOPBACK, VERIFIER_ATTESTATION_ISSUERS: file } })
  wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
  if (taken.status !== 200) throw new Error(taken.text)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await verifier.close()
  await rm(directory, { recursive: true })
})

const diploma = () => ({
  credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${issuer.url}/vct/diploma`] } }],
})

interface Attestation {
  readonly header?: Record<string, unknown>
  readonly payload?: Record<string, unknown>
  readonly signer?: RemoteKey
}

const attest = ({ header, payload, signer = attester }: Attestation = {}) =>
  signJwt(
    signer,
    { typ: 'verifier-attestation+jwt', kid: '1', ...header },
    {
      iss: 'https://attester.example',
      sub: 'shop.example',
      exp: LATE,
      cnf: { jwk: verifier.key.publicJwk },
      ...payload,
    },
  )

/** The wallet's answer to a request with an attestation in its JOSE header. */
async function asked(jwt: unknown, { payload, ...options }: RemoteRequestOptions = {}, holder = wallet) {
  const before = verifier.responses.length
  const uri = await verifier.request(diploma(), {
    clientId: CLIENT_ID,
    ...options,
    header: { kid: undefined, jwt },
    payload: { client_id: CLIENT_ID, ...payload },
  })
  const answer = await holder.process(uri)
  return { status: answer.status, message: answer.json.message, presented: verifier.responses.length - before }
}

const refused = (reason: string) => ({
  status: 500,
  message: expect.stringContaining(`The verifier attestation is refused: ${reason}`),
  presented: 0,
})

describe('a verifier with an attestation (OpenID4VP 1.0 §5.9.3 verifier_attestation, §12)', () => {
  it('is answered, with its full client identifier as the audience', async () => {
    expect(await asked(await attest())).toMatchObject({ status: 200, presented: 1 })
    const [presentation] = verifier.responses.at(-1)?.presentations.diploma ?? []
    expect(decodeJwt(String(presentation).split('~').at(-1) ?? '').aud).toBe(CLIENT_ID)
  })

  it('also by POST, where the metadata of the wallet name the prefix (§10.1)', async () => {
    expect(await asked(await attest(), { method: 'post' })).toMatchObject({ status: 200, presented: 1 })
    const posted = verifier.seen.findLast(({ path, method }) => path === '/request' && method === 'POST')
    const metadata = JSON.parse(new URLSearchParams(posted?.text).get('wallet_metadata') ?? '{}')
    expect(metadata.client_id_prefixes_supported).toContain('verifier_attestation')
  })

  it('with redirect_uris that contain its response_uri', async () => {
    const responseUri = `${verifier.url}/response?id=none`
    const jwt = await attest({ payload: { redirect_uris: ['https://shop.example/other', responseUri] } })
    // No server listens at that address. The error shows that the wallet sent its answer there.
    const answer = await asked(jwt, { payload: { response_uri: responseUri } })
    expect(answer.message).toContain('The verifier refused the presentation')
  })

  it('is unknown if no attester is trusted', async () => {
    await using plain = await startService({ env: LOOPBACK })
    const holder = await newWallet(plain)
    expect(await asked(await attest(), {}, holder)).toEqual({
      status: 500,
      message: 'Verifiers of the kind verifier_attestation are not known to this wallet.',
      presented: 0,
    })
  })
})

describe('an attestation is refused', () => {
  it.each([
    ['of an issuer that is not trusted', { payload: { iss: 'https://attacker.example' } }, 'its issuer is not trusted'],
    ['that has expired', { payload: { exp: PAST } }, 'it has expired'],
    ['without exp', { payload: { exp: undefined } }, 'it has no exp'],
    ['that is not valid yet', { payload: { nbf: LATE - 60 } }, 'it is not valid yet'],
    ['of another verifier', { payload: { sub: 'bank.example' } }, 'its sub is not the client identifier'],
    ['of the prefixed name', { payload: { sub: CLIENT_ID } }, 'its sub is not the client identifier'],
    ['without a key', { payload: { cnf: {} } }, 'its cnf has no jwk'],
    ['of another typ', { header: { typ: 'JWT' } }, 'its typ is not verifier-attestation+jwt'],
    [
      'whose redirect_uris are others',
      { payload: { redirect_uris: ['https://shop.example/response'] } },
      'its redirect_uris do not hold the response_uri',
    ],
    ['whose redirect_uris are empty', { payload: { redirect_uris: [] } }, 'its redirect_uris do not hold'],
    ['whose kid names no key of its issuer', { header: { kid: '2' } }, 'it is signed with no key of its issuer'],
  ] satisfies [string, Attestation, string][])('%s', async (_what, attestation, reason) => {
    expect(await asked(await attest(attestation))).toEqual(refused(reason))
  })

  it('signed by another trusted attester than it names', async () => {
    expect(await asked(await attest({ signer: otherAttester, header: { kid: undefined } }))).toEqual(
      refused('it is signed with no key of its issuer'),
    )
  })

  it('signed with a key in its own header', async () => {
    const own = await newRemoteKey()
    const jwt = await attest({ signer: own, header: { kid: undefined, jwk: own.publicJwk } })
    expect(await asked(jwt)).toEqual(refused('it is signed with no key of its issuer'))
  })

  it('of alg none', async () => {
    const [, payload] = (await attest()).split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'verifier-attestation+jwt' })).toString('base64url')
    expect(await asked(`${header}.${payload}.`)).toEqual(refused('it is not signed with a supported algorithm'))
  })

  it.each([
    ['is missing', undefined, 'the request has none'],
    ['is no JWT', 'x', 'it is not a well-formed JWT'],
    ['is an object', { iss: 'https://attester.example' }, 'the request has none'],
    ['is too large', `${'a'.repeat(17_000)}.a.a`, 'it is longer than 16 KiB'],
  ])('if it %s', async (_what, jwt, reason) => {
    expect(await asked(jwt)).toEqual(refused(reason))
  })

  it('if the request is signed with another key than the attested key', async () => {
    expect(await asked(await attest(), { signer: await newRemoteKey() })).toEqual({
      status: 500,
      message: "The authorization request's signature is refused: The signature is not valid.",
      presented: 0,
    })
  })

  it('if it was copied from another verifier', async () => {
    const copied = await attest({ payload: { cnf: { jwk: (await newRemoteKey()).publicJwk } } })
    expect(await asked(copied)).toMatchObject({ status: 500, presented: 0 })
  })

  it('if the request is not signed', async () => {
    const uri = await verifier.request(diploma(), { prefix: 'redirect_uri', payload: { client_id: CLIENT_ID } })
    const answer = await wallet.process(uri)
    expect([answer.status, answer.json.message]).toEqual([
      500,
      'A verifier of the kind verifier_attestation must sign its requests.',
    ])
  })
})
