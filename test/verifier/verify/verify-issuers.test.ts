import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSigner, signCompact } from '../../../server/protocol/jose/jws.js'
import { CERTIFICATE, PRIVATE_KEY } from '../../outbound/wallet-example-certificate.js'
import { makeCertificate, type TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { startService, type TestService } from '../../support/service.js'
import { ForeignIssuer } from '../foreign-issuer.js'
import { startWebServer, type WebServer } from '../web-server.js'

/** The host in the TLS server's certificate. */
const HOST = 'wallet.example'
const SELF = 'https://credence.example'

let web: WebServer
let directory: string
let root: TestCertificate
let service: TestService
let authorization: string

beforeAll(async () => {
  web = await startWebServer({ cert: CERTIFICATE, key: PRIVATE_KEY })
  directory = await mkdtemp(join(tmpdir(), 'credence-anchors-'))
  const years = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }
  root = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...years })
  await writeFile(join(directory, 'roots.pem'), root.certificate.toString())
  service = await startService({
    env: {
      ISSUER_BASE_URL: SELF,
      VERIFIER_BASE_URL: SELF,
      ALLOW_INSECURE_HTTP: '',
      OUTBOUND_ALLOWED_HOSTS: HOST,
      TRUST_ANCHORS: join(directory, 'roots.pem'),
    },
    outbound: { lookup: async () => [{ address: '127.0.0.1', family: 4 }], ca: CERTIFICATE },
  })
  authorization = await service.bearer('alice')
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

async function verify(credential: string) {
  const answer = await service.request('POST', '/credentials/verify', { authorization, body: { credential } })
  expect(answer.status).toBe(200)
  return answer.json
}

const origin = () => `https://${HOST}:${web.port}`
const didWeb = (name: string) => `did:web:${HOST}%3A${web.port}:${name}`
const unresolvable = (reason: unknown) => ({ isValid: false, error: reason })

describe('an issuer’s key is found', () => {
  it.each(['didKey', 'didJwk'] as const)('in the DID itself: %s', async (method) => {
    const issuer = await ForeignIssuer[method]()
    const jwt = await verify(await issuer.jwtVc())
    expect(jwt).toMatchObject({ isValid: true, format: 'jwt_vc', payload: { iss: issuer.id } })
    const sdJwt = await verify(await issuer.sdJwtVc())
    expect(sdJwt).toMatchObject({ isValid: true, format: 'dc+sd-jwt', prettyClaims: { level: 'gold', since: 2019 } })
  })

  it('in the document of a did:web, which is fetched over https', async () => {
    const issuer = await ForeignIssuer.named(didWeb('club'))
    web.documents.set('/club/did.json', { body: issuer.didDocument() })
    expect((await verify(await issuer.jwtVc())).isValid).toBe(true)
    expect((await verify(await issuer.sdJwtVc())).isValid).toBe(true)
    expect(web.requests).toContain('/club/did.json')
  })

  it('in the issuer metadata of an https issuer, with the well-known string before its path', async () => {
    const issuer = await ForeignIssuer.named(`${origin()}/tenant`, 'key-1')
    const keys = [{ ...issuer.publicJwk, kid: 'key-1' }]
    web.documents.set('/.well-known/jwt-vc-issuer/tenant', { body: { issuer: issuer.id, jwks: { keys } } })
    expect((await verify(await issuer.sdJwtVc())).isValid).toBe(true)
    expect((await verify(await issuer.jwtVc())).isValid).toBe(true)
  })

  it('at the `jwks_uri` of that metadata', async () => {
    const issuer = await ForeignIssuer.named(`${origin()}/other`, 'key-1')
    web.documents.set('/.well-known/jwt-vc-issuer/other', { body: { issuer: issuer.id, jwks_uri: `${origin()}/jwks` } })
    web.documents.set('/jwks', { body: { keys: [{ ...issuer.publicJwk, kid: 'key-1' }] } })
    expect((await verify(await issuer.sdJwtVc())).isValid).toBe(true)
  })

  it.each([
    ['has no subjectAltName', {}, 'https://issuer.eudiw.example'],
    ['names another host', { dns: ['club.example'] }, 'https://bank.example/tenant'],
    ['has a certificate without the host of this installation', { uri: ['https://club.example'] }, SELF],
    ['has no subjectAltName, with a URN as iss', {}, 'urn:pid-provider:eu'],
  ])('in the `x5c` chain of a certificate that %s (SD-JWT VC; HAIP 1.0 §6.1.1)', async (_, names, iss) => {
    const years = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }
    const leaf = makeCertificate({ subject: 'C=EU/PID DS', issuer: root, keyUsage: 0x80, ...years, ...names })
    const signer = await createSigner(leaf.privateKey.export({ format: 'jwk' }), 'unused')
    const issuer = await ForeignIssuer.named(iss)
    const credential = await issuer.sdJwtVc({ signer, x5c: [leaf.x5c] })
    expect(await verify(credential)).toMatchObject({ isValid: true, format: 'dc+sd-jwt', payload: { iss } })
    const jwt = { alg: 'ES256', typ: 'JWT', kid: undefined, x5c: [leaf.x5c] }
    const vc = { type: ['VerifiableCredential'], issuer: iss, credentialSubject: {} }
    expect(await verify(await signCompact(signer, jwt, { iss, vc }))).toMatchObject({ isValid: true, format: 'jwt_vc' })
  })

  it('in an `x5c` chain that leads to one of TRUST_ANCHORS and names the issuer', async () => {
    const years = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }
    const leaf = makeCertificate({ subject: 'Club', issuer: root, dns: ['club.example'], keyUsage: 0x80, ...years })
    const signer = await createSigner(leaf.privateKey.export({ format: 'jwk' }), 'unused')
    const issuer = await ForeignIssuer.named('https://club.example')
    const credential = await issuer.sdJwtVc({ signer, x5c: [leaf.x5c] })
    expect((await verify(credential)).isValid).toBe(true)

    const stranger = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...years })
    const untrusted = makeCertificate({
      subject: 'Club',
      issuer: stranger,
      dns: ['club.example'],
      keyUsage: 0x80,
      ...years,
    })
    const forger = await createSigner(untrusted.privateKey.export({ format: 'jwk' }), 'unused')
    const { isValid, error } = await verify(await issuer.sdJwtVc({ signer: forger, x5c: [untrusted.x5c] }))
    expect([isValid, error]).toEqual([
      false,
      expect.stringMatching(/^Issuer key cannot be resolved: The certificate chain/),
    ])
  })
})

describe('an issuer with a certificate for another purpose', () => {
  const years = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }

  it.each([
    ['a web server', '1.3.6.1.5.5.7.3.1', false],
    ['an OCSP responder', '1.3.6.1.5.5.7.3.9', false],
    ['documents', '1.3.6.1.5.5.7.3.36', true],
  ])('%s: %s', async (_, purpose, expected) => {
    const names = { subject: 'Club', issuer: root, dns: ['club.example'], purposes: [purpose] }
    const leaf = makeCertificate({ ...names, keyUsage: 0x80, ...years })
    const signer = await createSigner(leaf.privateKey.export({ format: 'jwk' }), 'unused')
    const issuer = await ForeignIssuer.named('https://club.example')
    const { isValid, error } = await verify(await issuer.sdJwtVc({ signer, x5c: [leaf.x5c] }))
    expect(isValid).toBe(expected)
    if (!expected) expect(error).toContain('A certificate of the chain is meant for another purpose.')
  })
})

describe('the key of an issuer is not found, and the answer has the reason', () => {
  it('if the did:web document does not exist', async () => {
    const issuer = await ForeignIssuer.named(didWeb('gone'))
    expect(await verify(await issuer.jwtVc())).toEqual(
      unresolvable(`Issuer key cannot be resolved: The DID document of ${issuer.id} could not be fetched.`),
    )
  })

  it('if the document belongs to another DID', async () => {
    const issuer = await ForeignIssuer.named(didWeb('borrowed'))
    const other = await ForeignIssuer.named(didWeb('owner'))
    web.documents.set('/borrowed/did.json', { body: other.didDocument() })
    expect((await verify(await issuer.jwtVc())).error).toContain('is that of another DID')
  })

  it('if `kid` is a key of another DID than `iss`: an issuer signs only in its own name', async () => {
    const victim = await ForeignIssuer.didKey()
    const attacker = await ForeignIssuer.didKey()
    for (const credential of [
      await attacker.jwtVc({ issuer: victim.id }),
      await attacker.sdJwtVc({ issuer: victim.id }),
    ]) {
      expect(await verify(credential)).toEqual(
        unresolvable(`Issuer key cannot be resolved: The kid does not belong to the issuer ${victim.id}.`),
      )
    }
  })

  it('if the only key is in the header (`jwk`), which is never trusted', async () => {
    const issuer = await ForeignIssuer.named('https://nobody.example')
    const credential = await issuer.sign(
      { typ: 'JWT', jwk: issuer.publicJwk },
      { iss: issuer.id, vc: { type: ['VerifiableCredential'], credentialSubject: {} } },
    )
    expect((await verify(credential)).isValid).toBe(false)
  })

  it('if the DID method is unknown, or if there is no issuer', async () => {
    const issuer = await ForeignIssuer.named('did:example:issuer')
    expect(await verify(await issuer.jwtVc())).toEqual(
      unresolvable('Issuer key cannot be resolved: DID method example is not supported.'),
    )
    const nobodys = await issuer.sign({ typ: 'dc+sd-jwt' }, { vct: 'https://club.example/membership', iat: 1 })
    expect(await verify(`${nobodys}~`)).toEqual(unresolvable('Issuer key cannot be resolved: The issuer is missing.'))
  })

  it('if the address is private and OUTBOUND_ALLOWED_HOSTS does not name it', async () => {
    const issuer = await ForeignIssuer.named(`did:web:intranet.example%3A${web.port}`)
    const asked = web.requests.length
    expect((await verify(await issuer.jwtVc())).error).toContain('could not be fetched')
    expect(web.requests).toHaveLength(asked)
  })

  it('if a credential names this service itself as its issuer', async () => {
    const issuer = await service.platform.stores.agents.defaultIssuer()
    expect(issuer?.did).toMatch(/^did:web:credence\.example:[0-9a-f-]{36}$/)
    const forger = await ForeignIssuer.named(issuer?.did ?? '')
    expect((await verify(await forger.jwtVc())).error).toContain('is no assertionMethod of the issuer')
    const impostor = await ForeignIssuer.named(SELF, `${issuer?.did}#key`)
    expect((await verify(await impostor.sdJwtVc())).error).toContain(`The issuer ${SELF} publishes no such key.`)
  })
})
