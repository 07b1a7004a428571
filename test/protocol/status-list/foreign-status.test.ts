import { beforeAll, describe, expect, it } from 'vitest'
import type {
  BitstringStatusListEntry,
  IssuerKey,
  StatusReference,
} from '../../../server/protocol/credential/verification.js'
import { IssuerKeyError } from '../../../server/protocol/issuer-keys/issuer-key-error.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { createBitstringStatusListCredential } from '../../../server/protocol/status-list/bitstring.js'
import { zlibBase64url } from '../../../server/protocol/status-list/compression.js'
import { checkForeignStatus, type StatusSource } from '../../../server/protocol/status-list/foreign-status.js'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { Work, WorkExceededError } from '../../../server/protocol/work.js'
import { type Actor, actor, decode, later, NOW, NOW_SECONDS, tampered } from '../sd-jwt-vc/actors.js'

const URI = 'https://issuer.example/lists/1'
const TOKEN = { uri: URI, idx: 5 }
const ENTRY: BitstringStatusListEntry = {
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: 5,
  statusListCredential: URI,
}

let issuer: Actor
let other: Actor
let tokenList: string
let bitstringList: string

const common = (by: Actor, revokedIndices: number[]) => ({
  signer: by.signer,
  issuer: by.id,
  revokedIndices,
  size: 131_072,
  issuedAt: NOW,
  ttlSeconds: 60,
})
const tokenListOf = (by: Actor, revoked: number[]) =>
  createTokenStatusList({ ...common(by, revoked), uri: URI, expiresAt: later(600) })
const bitstringListOf = (by: Actor, revoked: number[]) =>
  createBitstringStatusListCredential({ ...common(by, revoked), setIndices: revoked, url: URI, validUntil: later(600) })

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  other = await actor('did:example:other')
  tokenList = await tokenListOf(issuer, [])
  bitstringList = await bitstringListOf(issuer, [])
})

/** Checks the status of a credential of `issuer`, when the address of its list gives the given answer. */
function check(list: string, reference: StatusReference, source: Partial<StatusSource> = {}, key?: IssuerKey) {
  return checkForeignStatus(
    { fetchText: async () => list, resolveIssuerKey: issuer.resolveIssuerKey, now: NOW, ...source },
    reference,
    key ?? { issuer: issuer.id, jwk: issuer.publicJwk, kid: `${issuer.id}#0` },
  )
}

const refusal = (message: string) => expect.objectContaining({ name: 'CredentialError', message })

/** Makes a list that the issuer has signed, but whose header or payload differs from a valid list. */
function forged(list: string, claims: JsonObject, header: JsonObject = {}, by = issuer): Promise<string> {
  const good = decode(list)
  return by.sign({ ...good.header, ...header }, { ...good.payload, ...claims })
}

const bits = (width: number, ...bytes: number[]) => ({
  status_list: { bits: width, lst: zlibBase64url(Uint8Array.from(bytes)) },
})

describe('The status of a credential of another issuer', () => {
  it('is valid or revoked according to a Status List Token (Token Status List §8.3)', async () => {
    await expect(check(tokenList, TOKEN)).resolves.toBe('valid')
    await expect(check(await tokenListOf(issuer, [4, 6]), TOKEN)).resolves.toBe('valid')
    await expect(check(await tokenListOf(issuer, [5]), TOKEN)).resolves.toBe('revoked')
  })

  it('is valid or revoked according to a Bitstring Status List (v1.0 §3.2)', async () => {
    await expect(check(bitstringList, ENTRY)).resolves.toBe('valid')
    await expect(check(await bitstringListOf(issuer, [4, 6]), ENTRY)).resolves.toBe('valid')
    await expect(check(await bitstringListOf(issuer, [5]), ENTRY)).resolves.toBe('revoked')
  })

  it('may be suspended', async () => {
    await expect(check(await forged(tokenList, bits(2, 0, 0b10_00)), TOKEN)).resolves.toBe('suspended')
    const { payload } = decode(await bitstringListOf(issuer, [5]))
    const subject = { ...(payload.credentialSubject as JsonObject), statusPurpose: ['revocation', 'suspension'] }
    const list = await forged(bitstringList, { credentialSubject: subject })
    await expect(check(list, { ...ENTRY, statusPurpose: 'suspension' })).resolves.toBe('suspended')
  })

  it.each([3, 11, 15])('of type %i does not count as valid (Token Status List §7.1)', async (value) => {
    const list = await forged(tokenList, bits(4, 0, 0, value << 4))
    await expect(check(list, TOKEN)).rejects.toThrow(
      refusal(`Credential has status ${value}, which does not say that it is valid.`),
    )
  })

  it('is fetched with the media type of the standard; white space around the answer is allowed', async () => {
    const asked: string[][] = []
    const fetchText = (list: string) => async (url: string, accept: string) => {
      asked.push([url, accept])
      return `${list}\n`
    }
    await check('', TOKEN, { fetchText: fetchText(tokenList) })
    await check('', ENTRY, { fetchText: fetchText(bitstringList) })
    expect(asked).toEqual([
      [URI, 'application/statuslist+jwt'],
      [URI, 'application/vc+jwt'],
    ])
  })

  it.each(['refresh', 'message'])(
    'is not fetched if the purpose is %s, which says nothing about validity',
    async (statusPurpose) => {
      const fetchText = async () => Promise.reject(new Error('must not be called'))
      await expect(check('', { ...ENTRY, statusPurpose }, { fetchText })).resolves.toBe('valid')
    },
  )

  it('is unknown if the list is not available, and the error names the cause', async () => {
    const fetchText = async () => Promise.reject(new Error('404 Not Found'))
    for (const reference of [TOKEN, ENTRY]) {
      await expect(check('', reference, { fetchText })).rejects.toThrow(
        refusal('Status list could not be fetched: 404 Not Found'),
      )
    }
    await expect(check('<html></html>', TOKEN)).rejects.toThrow(
      refusal('Status list is not a well-formed JWT: A JWT consists of three segments separated by dots.'),
    )
  })
})

describe('Reading a status list', () => {
  it('is charged by its length and by its expanded size', async () => {
    const zeros = { status_list: { bits: 8, lst: zlibBase64url(new Uint8Array(2 * 1024 * 1024)) } }
    const bomb = await forged(tokenList, zeros)
    await expect(check(bomb, TOKEN, { work: new Work(1_000_000) })).resolves.toBe('valid')
    await expect(check(bomb, TOKEN, { work: new Work(100_000) })).rejects.toThrow(WorkExceededError)
    await expect(check(tokenList, TOKEN, { work: new Work(100) })).rejects.toThrow(WorkExceededError)
    await expect(check(bitstringList, ENTRY, { work: new Work(1_000) })).rejects.toThrow(WorkExceededError)
  })
})

describe('A status list is refused', () => {
  it('when it is of another type', async () => {
    await expect(check(await forged(tokenList, {}, { typ: 'JWT' }), TOKEN)).rejects.toThrow(
      refusal('Status list is not of type statuslist+jwt.'),
    )
    await expect(check(bitstringList, TOKEN)).rejects.toThrow(refusal('Status list is not of type statuslist+jwt.'))
    await expect(check(tokenList, ENTRY)).rejects.toThrow(refusal('Status list is not of type vc+jwt.'))
    await expect(check(await forged(bitstringList, { type: ['VerifiableCredential'] }), ENTRY)).rejects.toThrow(
      refusal('Status list is no BitstringStatusListCredential.'),
    )
  })

  it('when it is not the list that the credential names', async () => {
    const message = 'Status list is not the one that the credential names.'
    await expect(check(await forged(tokenList, { sub: `${URI}/other` }), TOKEN)).rejects.toThrow(refusal(message))
    await expect(check(await forged(bitstringList, { id: `${URI}/other` }), ENTRY)).rejects.toThrow(refusal(message))
  })

  it('when it has expired, is not valid yet, or has no time (Token Status List §5.1, §8.3)', async () => {
    await expect(check(tokenList, TOKEN, { now: later(599) })).resolves.toBe('valid')
    await expect(check(bitstringList, ENTRY, { now: later(599) })).resolves.toBe('valid')
    for (const [list, reference] of [
      [tokenList, TOKEN],
      [bitstringList, ENTRY],
    ] as const) {
      await expect(check(list, reference, { now: later(600) })).rejects.toThrow(refusal('Status list has expired.'))
      await expect(check(list, reference, { now: later(-61) })).rejects.toThrow(/^Status list is not valid yet/)
    }
    await expect(check(await forged(tokenList, { iat: undefined }), TOKEN)).rejects.toThrow(
      refusal('Status list has no iat.'),
    )
    await expect(check(await forged(bitstringList, { exp: NOW_SECONDS }), ENTRY)).rejects.toThrow(
      refusal('Status list has expired.'),
    )
    await expect(check(await forged(bitstringList, { validFrom: 'now' }), ENTRY)).rejects.toThrow(
      refusal('Status list member validFrom is not a date-time.'),
    )
  })

  it('when it was changed, or is unsigned', async () => {
    for (const [list, reference] of [
      [tokenList, TOKEN],
      [bitstringList, ENTRY],
    ] as const) {
      await expect(check(tampered(list, 1, { ttl: 1 }), reference)).rejects.toThrow(
        refusal('Status list signature is invalid.'),
      )
      await expect(check(tampered(list, 0, { alg: 'none' }), reference)).rejects.toThrow(
        refusal('Status list signature cannot be verified: Signature algorithm none is not allowed.'),
      )
    }
  })

  it('when it ends before the index', async () => {
    await expect(check(tokenList, { ...TOKEN, idx: 131_072 })).rejects.toThrow(
      refusal('Status list ends before the index of the credential.'),
    )
  })

  it('when its key is not available', async () => {
    const resolveIssuerKey = async () => Promise.reject(new IssuerKeyError('The issuer publishes no such key.'))
    await expect(check(await tokenListOf(other, []), TOKEN, { resolveIssuerKey })).rejects.toThrow(
      refusal('Status list issuer key could not be resolved: The issuer publishes no such key.'),
    )
  })
})

describe('The signer of a status list', () => {
  it('may be the key of the credential: it needs no resolution, with any kid in the list', async () => {
    const resolveIssuerKey = async () => Promise.reject(new Error('must not be called'))
    const renamed = await forged(tokenList, { iss: undefined }, { kid: 'other' })
    await expect(check(tokenList, TOKEN, { resolveIssuerKey })).resolves.toBe('valid')
    await expect(check(renamed, TOKEN, { resolveIssuerKey })).resolves.toBe('valid')
    await expect(check(bitstringList, ENTRY, { resolveIssuerKey })).resolves.toBe('valid')
  })

  it('may be another key of the same issuer; if the list names no issuer, the issuer of the credential counts', async () => {
    const asked: unknown[] = []
    const resolveIssuerKey = async (header: JsonObject, payload: JsonObject) => {
      asked.push([header.kid, payload.iss])
      return { jwk: other.publicJwk, issuer: issuer.id }
    }
    const source = { resolveIssuerKey }
    await expect(check(await forged(tokenList, { iss: undefined }, {}, other), TOKEN, source)).resolves.toBe('valid')
    const list = await forged(bitstringList, { iss: undefined, issuer: { id: issuer.id } }, {}, other)
    await expect(check(list, ENTRY, source)).resolves.toBe('valid')
    expect(asked).toEqual([
      ['did:example:issuer#0', 'did:example:issuer'],
      ['did:example:issuer#0', 'did:example:issuer'],
    ])
  })

  it('must not be another issuer, even with a valid signature', async () => {
    const source = { resolveIssuerKey: other.resolveIssuerKey }
    const message = 'Status list is of another issuer than the credential.'
    await expect(check(await tokenListOf(other, []), TOKEN, source)).rejects.toThrow(refusal(message))
    await expect(check(await bitstringListOf(other, []), ENTRY, source)).rejects.toThrow(refusal(message))
  })

  it('must not be a party that only writes the name of the issuer into the list', async () => {
    const forgedByOther = await forged(tokenList, { iss: issuer.id }, {}, other)
    await expect(check(forgedByOther, TOKEN)).rejects.toThrow(refusal('Status list signature is invalid.'))
  })
})
