import { gunzipSync, inflateSync } from 'node:zlib'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import {
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  FlattenedSign,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { startWebServer } from '../verifier/web-server.js'
import { postSchema, SUBJECT } from './purchase.js'

let service: TestService
let authorization: string
let type: string

beforeAll(async () => {
  service = await startService({ env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
  authorization = await service.bearer('alice')
  type = (await postSchema(service, authorization)).name
})
afterAll(() => service.close())

const sign = async (format: string): Promise<{ id: string; credential: string }> => {
  const body = { type, credential_subject: SUBJECT, format }
  return (await service.request('POST', '/credentials/sign', { authorization, body })).json
}

const revoke = (id: string) => service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })

const verifyHere = async (credential: string) =>
  (await service.request('POST', '/credentials/verify', { authorization, body: { credential } })).json

/** Returns the key of a did:jwk: the DID itself contains the key (did:jwk specification, "Read"). */
const keyOfDidJwk = (kid: string | undefined): JWK => {
  const [, encoded = '', fragment] = /^did:jwk:([\w-]+)#(\w+)$/.exec(kid ?? '') ?? []
  expect(fragment).toBe('0')
  return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
}

/** Returns a key from the document of a hosted did:web. The document is fetched from the address in the DID. */
async function keyInHostedDocument(by: TestService, kid: string | undefined): Promise<JWK> {
  const [did = ''] = (kid ?? '').split('#')
  const { json } = await by.request('GET', `/${did.split(':').at(-1)}/did.json`)
  const method = json.verificationMethod.find((entry: { id: string }) => entry.id === kid)
  expect(json.assertionMethod).toContain(kid)
  return method.publicKeyJwk
}

const verifySignature = async (data: string, signature: string) => {
  const jwt = `${data}.${signature}`
  await compactVerify(jwt, await importJWK(keyOfDidJwk(decodeProtectedHeader(jwt).kid), 'ES256'))
  return true
}

/** An independent implementation of SD-JWT VC, Token Status List and type metadata. */
const library = () =>
  new SDJwtVcInstance({
    hasher: digest,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
    verifier: verifySignature,
    statusVerifier: verifySignature,
    loadTypeMetadataFormat: true,
  })

describe('other libraries verify credentials of this service', () => {
  it('an SD-JWT VC in @sd-jwt/sd-jwt-vc, its status list and type metadata fetched, until it is revoked', async () => {
    const { id, credential } = await sign('dc+sd-jwt')
    const verified = await library().verify(credential)
    expect(verified.payload).toMatchObject({ ...SUBJECT, vct: `${service.url}/vct/${type}` })
    expect(verified.typeMetadata?.mergedTypeMetadata).toMatchObject({ vct: `${service.url}/vct/${type}`, name: type })
    await revoke(id)
    await expect(library().verify(credential)).rejects.toThrow('Status is not valid')
  })

  it('a JWT VC in jose with the key of its did:jwk', async () => {
    const { credential } = await sign('jwt_vc_json')
    const key = await importJWK(keyOfDidJwk(decodeProtectedHeader(credential).kid), 'ES256')
    const { payload } = await jwtVerify(credential, key, { typ: 'JWT', requiredClaims: ['iss', 'jti', 'nbf', 'vc'] })
    expect(payload.vc).toMatchObject({ type: ['VerifiableCredential', type], credentialSubject: SUBJECT })
  })

  it('both formats with a key of the hosted did:web, if the issuer has https', async () => {
    await using secure = await startService({
      identityProvider: service.identityProvider,
      env: { ISSUER_BASE_URL: 'https://credence.example', VERIFIER_BASE_URL: 'https://credence.example' },
    })
    const { name } = await postSchema(secure, authorization)
    for (const format of ['jwt_vc_json', 'dc+sd-jwt']) {
      const body = { type: name, credential_subject: SUBJECT, format }
      const { json } = await secure.request('POST', '/credentials/sign', { authorization, body })
      const jwt = json.credential.split('~', 1)[0]
      const { kid } = decodeProtectedHeader(jwt)
      const { payload } = await jwtVerify(jwt, await importJWK(await keyInHostedDocument(secure, kid), 'ES256'))
      expect(payload.iss).toMatch(/^did:web:credence\.example:[0-9a-f-]{36}$/)
      expect(kid?.startsWith(`${payload.iss}#`)).toBe(true)
    }
  })

  it('the Bitstring status list in jose and zlib: bits are counted from the left, the most significant bit first', async () => {
    const { id, credential } = await sign('jwt_vc_json')
    const { json } = await service.request('GET', `/api/v1/credentials/${id}`, { authorization })
    const [{ statusListCredential, statusListIndex }] = json.vc.credentialStatus
    const key = await importJWK(keyOfDidJwk(decodeProtectedHeader(credential).kid), 'ES256')
    const bit = async () => {
      const answer = await fetch(statusListCredential, { headers: { accept: 'application/vc+jwt' } })
      expect(answer.headers.get('content-type')).toBe('application/vc+jwt')
      const { payload } = await jwtVerify<{ credentialSubject: { encodedList: string } }>(await answer.text(), key, {
        typ: 'vc+jwt',
      })
      expect(payload).toMatchObject({
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        id: statusListCredential,
        type: ['VerifiableCredential', 'BitstringStatusListCredential'],
        issuer: json.vc.issuer,
        credentialSubject: { type: 'BitstringStatusList', statusPurpose: 'revocation' },
      })
      const { encodedList } = payload.credentialSubject
      expect(encodedList[0]).toBe('u')
      const bytes = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'))
      expect(bytes).toHaveLength(16_384)
      return ((bytes[statusListIndex >> 3] ?? 0) >> (7 - (statusListIndex & 7))) & 1
    }
    expect(await bit()).toBe(0)
    await revoke(id)
    expect(await bit()).toBe(1)
  })

  it('the Token Status List in jose and zlib: the least significant bit first', async () => {
    const { id, credential } = await sign('dc+sd-jwt')
    const [jwt = ''] = credential.split('~')
    const key = await importJWK(keyOfDidJwk(decodeProtectedHeader(jwt).kid), 'ES256')
    const { payload } = await jwtVerify<{ status: { status_list: { uri: string; idx: number } } }>(jwt, key)
    const { uri, idx } = payload.status.status_list
    const bit = async () => {
      const answer = await fetch(uri)
      expect(answer.headers.get('content-type')).toBe('application/statuslist+jwt')
      const { payload: list } = await jwtVerify<{ status_list: { bits: number; lst: string }; ttl: number }>(
        await answer.text(),
        key,
        { typ: 'statuslist+jwt', subject: uri, requiredClaims: ['iat', 'exp', 'ttl'] },
      )
      expect(list.status_list.bits).toBe(1)
      const bytes = inflateSync(Buffer.from(list.status_list.lst, 'base64url'))
      return ((bytes[idx >> 3] ?? 0) >> (idx & 7)) & 1
    }
    expect(await bit()).toBe(0)
    await revoke(id)
    expect(await bit()).toBe(1)
  })
})

describe('this service verifies credentials of other libraries', () => {
  it('an SD-JWT VC of @sd-jwt/sd-jwt-vc with nested disclosures and decoys, its status list made with jose', async () => {
    await using web = await startWebServer()
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const did = `did:jwk:${Buffer.from(JSON.stringify(await exportJWK(publicKey))).toString('base64url')}`
    const kid = `${did}#0`
    const uri = `http://127.0.0.1:${web.port}/list`
    const list = await new SignJWT({ status_list: { bits: 1, lst: 'eNrbuRgAAhcBXQ' } })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'statuslist+jwt' })
      .setSubject(uri)
      .setIssuedAt()
      .sign(privateKey)
    web.documents.set('/list', { body: list, type: 'application/statuslist+jwt' })
    const issuer = new SDJwtVcInstance({
      hasher: digest,
      hashAlg: 'sha-256',
      saltGenerator: generateSalt,
      signAlg: 'ES256',
      signer: async (data) => {
        const [header = '', payload = ''] = data.split('.')
        const jws = await new FlattenedSign(Buffer.from(payload, 'base64url'))
          .setProtectedHeader(JSON.parse(Buffer.from(header, 'base64url').toString()))
          .sign(privateKey)
        expect(jws.protected).toBe(header)
        return jws.signature
      },
    })
    // The list is the example of the standard (Token Status List §4.1): 1, 0, 0, 1, 1, 1, 0, 1 …
    const credentialWith = (idx: number) =>
      issuer.issue(
        {
          iss: did,
          iat: Math.floor(Date.now() / 1000),
          vct: 'https://club.example/membership',
          status: { status_list: { uri, idx } },
          level: 'gold',
          address: { city: 'Turin', street: 'Via Po' },
          nationalities: ['IT', 'CH'],
        },
        { _sd: ['level', 'address'], _sd_decoy: 2, address: { _sd: ['street'] }, nationalities: { _sd: [0] } },
        { header: { kid } },
      )
    expect(await verifyHere(await credentialWith(1))).toMatchObject({
      isValid: true,
      format: 'dc+sd-jwt',
      prettyClaims: {
        level: 'gold',
        address: { city: 'Turin', street: 'Via Po' },
        nationalities: ['IT', 'CH'],
      },
    })
    expect(await verifyHere(await credentialWith(0))).toEqual({
      isValid: false,
      error: 'Credential has been revoked.',
    })
  })

  it.each(['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'])('a JWT VC signed with %s by jose', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const did = `did:jwk:${Buffer.from(JSON.stringify(await exportJWK(publicKey))).toString('base64url')}`
    const vc = {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential', 'Membership'],
      issuer: { id: did, name: 'Club' },
      credentialSubject: { id: 'did:example:member', level: 'gold' },
    }
    const credential = await new SignJWT({ vc })
      .setProtectedHeader({ alg, kid: `${did}#0` })
      .setIssuer(did)
      .setSubject('did:example:member')
      .setNotBefore(new Date())
      .setExpirationTime('1h')
      .sign(privateKey)
    expect(await verifyHere(credential)).toMatchObject({ isValid: true, format: 'jwt_vc', payload: { iss: did, vc } })
  })
})
