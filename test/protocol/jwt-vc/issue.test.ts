import { compactVerify, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { issueJwtVc, type JwtVcInput } from '../../../server/protocol/jwt-vc/issue.js'
import { vcObjectOf } from '../../../server/protocol/jwt-vc/vc.js'
import { type Actor, actor, decode, later, NOW, NOW_SECONDS } from '../sd-jwt-vc/actors.js'

const ID = 'urn:uuid:0190f5a2-0000-7000-8000-000000000001'
const LIST = 'https://issuer.example/status-lists/1'
const STATUS = {
  id: `${LIST}#94567`,
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: 94567,
  statusListCredential: LIST,
} as const

let issuer: Actor
let holder: Actor

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  holder = await actor('did:example:holder')
})

const issue = (options: Partial<JwtVcInput> = {}) =>
  issueJwtVc({
    signer: issuer.signer,
    issuer: issuer.id,
    id: ID,
    types: ['ProofOfPurchase'],
    claims: { product: 'Lamp' },
    issuedAt: NOW,
    ...options,
  })

describe('Issuing a JWT VC (VCDM 1.1 §6.3.1)', () => {
  it('has JWT claims that agree with the credential, to the second', async () => {
    const { compact } = await issue({
      issuer: { id: issuer.id, name: 'Example Shop' },
      types: ['VerifiableCredential', 'ProofOfPurchase'],
      subjectId: 'did:example:subject',
      schema: { id: 'https://issuer.example/api/v1/schemas/1', type: 'JsonSchemaValidator2018' },
      status: [STATUS],
      issuedAt: new Date('2026-03-01T12:00:00.987Z'),
      expiresAt: later(3600.5),
    })
    expect(decode(compact)).toEqual({
      header: { alg: 'ES256', typ: 'JWT', kid: 'did:example:issuer#0' },
      payload: {
        iss: 'did:example:issuer',
        sub: 'did:example:subject',
        jti: ID,
        iat: NOW_SECONDS,
        nbf: NOW_SECONDS,
        exp: NOW_SECONDS + 3600,
        vc: {
          '@context': ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/status/v1'],
          id: ID,
          type: ['VerifiableCredential', 'ProofOfPurchase'],
          issuer: { id: 'did:example:issuer', name: 'Example Shop' },
          issuanceDate: '2026-03-01T12:00:00Z',
          expirationDate: '2026-03-01T13:00:00Z',
          credentialSubject: { id: 'did:example:subject', product: 'Lamp' },
          credentialSchema: { id: 'https://issuer.example/api/v1/schemas/1', type: 'JsonSchemaValidator2018' },
          // A single entry is an object, and its index is a string in base 10 (Bitstring Status List v1.0 §2.1).
          credentialStatus: { ...STATUS, statusListIndex: '94567' },
        },
      },
    })
  })

  it('leaves out members that a credential lacks', async () => {
    const { payload } = decode((await issue()).compact)
    expect(Object.keys(payload)).toEqual(['iss', 'jti', 'iat', 'nbf', 'vc'])
    expect(payload.vc).toMatchObject({ credentialSubject: { product: 'Lamp' } })
    expect(Object.keys(payload.vc as object)).toEqual([
      '@context',
      'id',
      'type',
      'issuer',
      'issuanceDate',
      'credentialSubject',
    ])
  })

  it('returns the credential object of the API: the status is an array with numbers as indices, and the JWT is in the proof', async () => {
    const { compact, vc } = await issue({ status: [STATUS], subjectId: 'did:example:subject', expiresAt: later(60) })
    expect(vc).toEqual({
      '@context': ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/status/v1'],
      id: ID,
      type: ['VerifiableCredential', 'ProofOfPurchase'],
      issuer: 'did:example:issuer',
      issuanceDate: '2026-03-01T12:00:00Z',
      expirationDate: '2026-03-01T12:01:00Z',
      credentialSubject: { id: 'did:example:subject', product: 'Lamp' },
      credentialStatus: [STATUS],
      proof: {
        type: 'JwtProof2020',
        created: '2026-03-01T12:00:00Z',
        proofPurpose: 'assertionMethod',
        verificationMethod: 'did:example:issuer#0',
        jws: compact,
      },
    })
    expect(vcObjectOf(compact)).toEqual(vc)
  })

  it('binds a holder with a key but without a DID by cnf, with public members only', async () => {
    const { compact } = await issue({ holderKey: { ...holder.publicJwk, d: 'c2VjcmV0' } })
    expect(decode(compact).payload.cnf).toEqual({
      jwk: { kty: 'EC', crv: 'P-256', x: holder.publicJwk.x, y: holder.publicJwk.y },
    })
  })

  it('takes the id of the subject from its claims, and refuses claims about another subject', async () => {
    const { payload } = decode((await issue({ claims: { id: 'did:example:subject', product: 'Lamp' } })).compact)
    expect(payload.sub).toBe('did:example:subject')
    const message = 'Subject claim id does not name the subject of the credential.'
    await expect(issue({ claims: { id: 'did:example:a' }, subjectId: 'did:example:b' })).rejects.toThrow(
      new CredentialError(message),
    )
    await expect(issue({ claims: { id: 7 } })).rejects.toThrow(new CredentialError(message))
  })

  it('is verified by jose alone', async () => {
    const { compact } = await issue({ expiresAt: later(60), issuerKid: 'key-1' })
    const key = await importJWK(issuer.publicJwk, 'ES256')
    await expect(compactVerify(compact, key)).resolves.toHaveProperty('payload')
    const { payload } = await jwtVerify(compact, key, { issuer: issuer.id, currentDate: NOW, typ: 'JWT' })
    expect(payload.jti).toBe(ID)
    expect(decodeProtectedHeader(compact).kid).toBe('key-1')
  })
})

describe('The credential object of a JWT VC of another issuer', () => {
  const foreign = (payload: object, header: object = { typ: 'JWT', kid: undefined }) =>
    issuer.sign({ ...header }, { ...payload })

  it('is filled in from the JWT claims (VCDM 1.1 §6.3.1)', async () => {
    const vc = {
      '@context': 'https://www.w3.org/2018/credentials/v1',
      type: 'VerifiableCredential',
      credentialSubject: { a: 1 },
    }
    const compact = await foreign({
      iss: issuer.id,
      sub: 'did:example:s',
      jti: ID,
      nbf: NOW_SECONDS,
      exp: NOW_SECONDS + 60,
      vc,
    })
    expect(vcObjectOf(compact)).toEqual({
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential'],
      id: ID,
      issuer: issuer.id,
      issuanceDate: '2026-03-01T12:00:00Z',
      expirationDate: '2026-03-01T12:01:00Z',
      credentialSubject: { id: 'did:example:s', a: 1 },
      proof: expect.objectContaining({ verificationMethod: issuer.id, jws: compact }),
    })
  })

  it('keeps several subjects and entries', async () => {
    const subjects = [{ id: 'did:example:a' }, { id: 'did:example:b' }]
    const entries = [STATUS, { ...STATUS, statusPurpose: 'suspension', statusListIndex: '7' }]
    const vc = { type: ['VerifiableCredential'], credentialSubject: subjects, credentialStatus: entries }
    const object = vcObjectOf(await foreign({ iss: issuer.id, nbf: NOW_SECONDS, vc }))
    expect(object.credentialSubject).toEqual(subjects)
    expect(object.credentialStatus).toEqual([STATUS, { ...STATUS, statusPurpose: 'suspension', statusListIndex: 7 }])
  })

  it('is refused if the JWT has no credential', async () => {
    expect(() => vcObjectOf('a.b')).toThrow(CredentialError)
    const none = await foreign({ iss: issuer.id })
    expect(() => vcObjectOf(none)).toThrow(new CredentialError('Credential has no vc object.'))
    const undated = await foreign({ iss: issuer.id, vc: { type: ['VerifiableCredential'], credentialSubject: {} } })
    expect(() => vcObjectOf(undated)).toThrow(new CredentialError('Credential has no issuer or no issuanceDate.'))
  })
})
