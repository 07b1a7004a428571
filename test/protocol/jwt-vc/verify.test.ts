import { importJWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { IssuerKeyError } from '../../../server/protocol/issuer-keys/issuer-key-error.js'
import { createSigner, generateKeyPair } from '../../../server/protocol/jose/jws.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { issueJwtVc } from '../../../server/protocol/jwt-vc/issue.js'
import { verifyJwtVc } from '../../../server/protocol/jwt-vc/verify.js'
import { createBitstringStatusListCredential } from '../../../server/protocol/status-list/bitstring.js'
import { type Actor, actor, later, NOW, NOW_SECONDS, tampered } from '../sd-jwt-vc/actors.js'

const LIST = 'https://issuer.example/status-lists/1'
const ENTRY = {
  id: `${LIST}#5`,
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: 5,
  statusListCredential: LIST,
} as const

let issuer: Actor
let stranger: Actor
let compact: string

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  stranger = await actor('did:example:stranger')
  const issued = await issueJwtVc({
    signer: issuer.signer,
    issuer: { id: issuer.id, name: 'Example Shop' },
    id: 'urn:uuid:1',
    types: ['ProofOfPurchase'],
    claims: { product: 'Lamp' },
    subjectId: 'did:example:subject',
    status: [ENTRY],
    issuedAt: NOW,
    expiresAt: later(3600),
  })
  compact = issued.compact
})

const verify = (text: string, now = NOW, by = issuer) =>
  verifyJwtVc(text, { resolveIssuerKey: by.resolveIssuerKey, now })

/** Signs arbitrary content with the issuer's own key. */
const forge = (vc: unknown, claims: JsonObject = {}, header: JsonObject = { typ: 'JWT' }) =>
  issuer.sign(header, { iss: issuer.id, vc, ...claims })

const VC = { type: ['VerifiableCredential'], credentialSubject: { product: 'Lamp' } }

const refusal = (message: string) => expect.objectContaining({ name: 'CredentialError', message })

describe('Verifying a JWT VC (VCDM 1.1 §6.3.1)', () => {
  it('returns header, payload, credential, issuer, subject and status entries', async () => {
    const verified = await verify(compact)
    expect(verified.header).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'did:example:issuer#0' })
    expect(verified.payload.jti).toBe('urn:uuid:1')
    expect(verified.vc.credentialSubject).toEqual({ id: 'did:example:subject', product: 'Lamp' })
    expect(verified.issuer).toBe('did:example:issuer')
    expect(verified.issuerKey).toEqual({
      issuer: 'did:example:issuer',
      jwk: issuer.publicJwk,
      kid: 'did:example:issuer#0',
    })
    expect(verified.subjectId).toBe('did:example:subject')
    expect(verified.status).toEqual([ENTRY])
    expect(verified.cnf).toBeUndefined()
  })

  it('verifies a JWT that only jose has signed', async () => {
    const { privateJwk, publicJwk } = await generateKeyPair('EdDSA')
    const signed = await new SignJWT({ vc: VC })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer('did:example:other')
      .setSubject('did:example:s')
      .setNotBefore(NOW)
      .sign(await importJWK(privateJwk, 'EdDSA'))
    const resolveIssuerKey = async () => ({ jwk: publicJwk, issuer: 'did:example:other' })
    const verified = await verifyJwtVc(signed, { resolveIssuerKey, now: NOW })
    expect(verified.subjectId).toBe('did:example:s')
    expect(verified.status).toBeUndefined()
  })

  it('verifies ES256K, which jose does not know', async () => {
    const { privateJwk, publicJwk } = await generateKeyPair('ES256K')
    const signer = await createSigner(privateJwk, 'did:example:k#0')
    const issued = await issueJwtVc({
      signer,
      issuer: 'did:example:k',
      id: 'urn:uuid:2',
      types: [],
      claims: {},
      issuedAt: NOW,
    })
    const resolveIssuerKey = async () => ({ jwk: publicJwk, issuer: 'did:example:k' })
    await expect(verifyJwtVc(issued.compact, { resolveIssuerKey, now: NOW })).resolves.toHaveProperty(
      'issuer',
      'did:example:k',
    )
  })

  it.each([undefined, 'JWT', 'jwt', 'vc+jwt', 'application/vc+jwt'])('takes typ %s', async (typ) => {
    await expect(verify(await forge(VC, {}, { typ }))).resolves.toHaveProperty('issuer')
  })

  describe('refuses a JWT that is not a credential', () => {
    it.each(['oauth-authz-req+jwt', 'kb+jwt', 'statuslist+jwt', 'openid4vci-proof+jwt', 'dc+sd-jwt', 'at+jwt', 7])(
      'a JWT of typ %s (RFC 8725 §3.11)',
      async (typ) => {
        await expect(verify(await forge(VC, {}, { typ }))).rejects.toThrow(
          refusal('Credential typ is neither JWT nor vc+jwt.'),
        )
      },
    )

    it('a status list of the same key, with the typ of a credential', async () => {
      const list = await createBitstringStatusListCredential({
        signer: issuer.signer,
        issuer: issuer.id,
        url: LIST,
        setIndices: [],
        size: 131_072,
        issuedAt: NOW,
        validUntil: later(60),
        ttlSeconds: 60,
      })
      await expect(verify(list)).rejects.toThrow(refusal('Credential has no vc object.'))
    })

    it.each([
      [undefined, 'Credential has no vc object.'],
      ['vc', 'Credential has no vc object.'],
      [[VC], 'Credential has no vc object.'],
      [{ credentialSubject: {} }, 'Credential is not of type VerifiableCredential.'],
      [{ ...VC, type: ['VerifiablePresentation'] }, 'Credential is not of type VerifiableCredential.'],
      [{ ...VC, type: ['VerifiableCredential', 'BitstringStatusListCredential'] }, 'Credential is a status list.'],
      [{ ...VC, type: ['VerifiableCredential', 'StatusList2021Credential'] }, 'Credential is a status list.'],
      [{ type: 'VerifiableCredential' }, 'Credential has no credentialSubject.'],
      [{ type: 'VerifiableCredential', credentialSubject: [] }, 'Credential has no credentialSubject.'],
      [{ type: 'VerifiableCredential', credentialSubject: 'x' }, 'Credential has no credentialSubject.'],
    ])('a JWT whose vc is %j', async (vc, message) => {
      await expect(verify(await forge(vc))).rejects.toThrow(refusal(message))
    })

    it('a credential with so many levels that writing it again would exhaust the stack', async () => {
      let deep: unknown = 'x'
      for (let depth = 0; depth < 70; depth++) deep = [deep]
      await expect(verify(await forge({ ...VC, evidence: deep }))).rejects.toThrow(
        refusal('Credential is nested deeper than 64 levels.'),
      )
    })

    it.each([
      ['a.b', 'Credential is not a well-formed JWT: A JWT consists of three segments separated by dots.'],
      ['e30.e30.!', 'Credential is not a well-formed JWT: The JWT signature is not base64url.'],
      ['e30=.e30.AA', 'Credential is not a well-formed JWT: The JWT header is not base64url.'],
    ])('%s', async (text, message) => {
      await expect(verify(text)).rejects.toThrow(refusal(message))
    })
  })

  describe('signature', () => {
    it('refuses another key and a changed credential', async () => {
      await expect(verify(compact, NOW, stranger)).rejects.toThrow(refusal('Credential signature is invalid.'))
      await expect(verify(tampered(compact, 1, { exp: NOW_SECONDS + 7200 }))).rejects.toThrow(
        refusal('Credential signature is invalid.'),
      )
      await expect(verify(tampered(compact, 0, { typ: 'vc+jwt' }))).rejects.toThrow(
        refusal('Credential signature is invalid.'),
      )
    })

    it.each(['none', 'HS256'])('refuses alg %s', async (alg) => {
      await expect(verify(tampered(compact, 0, { alg }))).rejects.toThrow(
        refusal(`Credential signature cannot be verified: Signature algorithm ${alg} is not allowed.`),
      )
    })

    it('names the reason why the issuer key is not available', async () => {
      const resolveIssuerKey = async () => Promise.reject(new IssuerKeyError('The issuer is missing.'))
      await expect(verifyJwtVc(compact, { resolveIssuerKey, now: NOW })).rejects.toThrow(
        refusal('Credential issuer key could not be resolved: The issuer is missing.'),
      )
    })
  })

  describe('agreement of JWT and credential', () => {
    it.each([
      [{ ...VC, issuer: 'did:example:other' }, {}, 'Credential iss and vc.issuer disagree.'],
      [{ ...VC, issuer: { id: 'did:example:other' } }, {}, 'Credential iss and vc.issuer disagree.'],
      [{ ...VC, issuer: { name: 'Shop' } }, {}, 'Credential iss and vc.issuer disagree.'],
      [VC, { iss: undefined }, 'Credential has no iss.'],
      [VC, { iss: { id: 'did:example:issuer' } }, 'Credential has no iss.'],
      [{ ...VC, id: 'urn:uuid:1' }, { jti: 'urn:uuid:2' }, 'Credential jti and vc.id disagree.'],
      [
        { ...VC, credentialSubject: { id: 'did:example:a' } },
        { sub: 'did:example:b' },
        'Credential sub and vc.credentialSubject.id disagree.',
      ],
      [
        { ...VC, credentialSubject: [{ id: 'did:example:a' }, { id: 'did:example:b' }] },
        { sub: 'did:example:a' },
        'Credential sub and vc.credentialSubject.id disagree.',
      ],
      [{ ...VC, credentialSubject: { id: 7 } }, {}, 'Credential credentialSubject.id is not a string.'],
      [VC, { sub: 7 }, 'Credential claim sub is not a string.'],
      [VC, { cnf: 'key' }, 'Credential claim cnf is not an object.'],
    ])('refuses vc %j with %j', async (vc, claims, message) => {
      await expect(verify(await forge(vc, claims))).rejects.toThrow(refusal(message))
    })

    it('finds the subject if only one of the two names it', async () => {
      await expect(verify(await forge(VC, { sub: 'did:example:s' }))).resolves.toHaveProperty(
        'subjectId',
        'did:example:s',
      )
      const named = { ...VC, credentialSubject: { id: 'did:example:s' } }
      await expect(verify(await forge(named))).resolves.toHaveProperty('subjectId', 'did:example:s')
      expect((await verify(await forge(VC))).subjectId).toBeUndefined()
    })
  })

  describe('times', () => {
    it('a credential is expired exactly from the second of exp and of expirationDate', async () => {
      await expect(verify(compact, later(3599.999))).resolves.toHaveProperty('issuer')
      await expect(verify(compact, later(3600))).rejects.toThrow(refusal('Credential has expired.'))
      for (const name of ['expirationDate', 'validUntil']) {
        const text = await forge({ ...VC, [name]: '2026-03-01T13:00:00+01:00' })
        await expect(verify(text, later(-1))).resolves.toHaveProperty('issuer')
        await expect(verify(text)).rejects.toThrow(refusal('Credential has expired.'))
      }
    })

    it.each(['nbf', 'iat'])('gives %s a leeway of 60 seconds', async (name) => {
      const text = await forge(VC, { [name]: NOW_SECONDS + 60 })
      await expect(verify(text)).resolves.toHaveProperty('issuer')
      await expect(verify(text, later(-1))).rejects.toThrow(
        refusal(`Credential is not valid yet: ${name} lies in the future.`),
      )
    })

    it.each(['issuanceDate', 'validFrom'])('gives %s a leeway of 60 seconds', async (name) => {
      const text = await forge({ ...VC, [name]: '2026-03-01T12:01:00' })
      await expect(verify(text)).resolves.toHaveProperty('issuer')
      await expect(verify(text, later(-1))).rejects.toThrow(
        refusal(`Credential is not valid yet: ${name} lies in the future.`),
      )
    })

    it.each(['2026-03-01', 'yesterday', 1772366400, '2026-13-01T00:00:00Z', null])(
      'refuses expirationDate %j, which is not a date-time',
      async (expirationDate) => {
        await expect(verify(await forge({ ...VC, expirationDate }))).rejects.toThrow(
          refusal('Credential member expirationDate is not a date-time.'),
        )
      },
    )

    it('refuses an exp that is not a number', async () => {
      await expect(verify(await forge(VC, { exp: '9999999999' }))).rejects.toThrow(
        refusal('Credential claim exp is not a number.'),
      )
    })
  })

  describe('status entries (Bitstring Status List v1.0 §2.1)', () => {
    it('reads one or several, with indices as strings or numbers', async () => {
      const suspension = { ...ENTRY, id: undefined, statusPurpose: 'suspension', statusListIndex: '6', statusSize: 2 }
      const { status } = await verify(await forge({ ...VC, credentialStatus: [ENTRY, suspension] }))
      const { id, ...withoutId } = ENTRY
      expect(status).toEqual([ENTRY, { ...withoutId, statusPurpose: 'suspension', statusListIndex: 6, statusSize: 2 }])
    })

    it('refuses more entries than a verifier should fetch', async () => {
      await expect(verify(await forge({ ...VC, credentialStatus: Array(8).fill(ENTRY) }))).resolves.toHaveProperty(
        'status',
      )
      await expect(verify(await forge({ ...VC, credentialStatus: Array(9).fill(ENTRY) }))).rejects.toThrow(
        refusal('Credential has more than 8 status entries.'),
      )
    })

    it.each([
      ['revoked', 'Credential member credentialStatus is not an object.'],
      [
        { ...ENTRY, type: 'StatusList2021Entry' },
        'Credential status is of a type other than BitstringStatusListEntry.',
      ],
      [{ ...ENTRY, statusPurpose: undefined }, 'Credential status has no statusPurpose or no statusListCredential.'],
      [{ ...ENTRY, statusListCredential: 7 }, 'Credential status has no statusPurpose or no statusListCredential.'],
      [{ ...ENTRY, statusListIndex: '-1' }, 'Credential status has no statusListIndex.'],
      [{ ...ENTRY, statusListIndex: '0x5' }, 'Credential status has no statusListIndex.'],
      [{ ...ENTRY, statusListIndex: 1.5 }, 'Credential status has no statusListIndex.'],
      [{ ...ENTRY, statusSize: 0 }, 'Credential status has a statusSize that is not supported.'],
      [{ ...ENTRY, statusSize: '1' }, 'Credential status has a statusSize that is not supported.'],
    ])('refuses %j, because it could not be checked', async (credentialStatus, message) => {
      await expect(verify(await forge({ ...VC, credentialStatus }))).rejects.toThrow(refusal(message))
    })
  })
})
