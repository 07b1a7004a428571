import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { compactVerify, importJWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Jwk } from '../../../server/protocol/jose/jws.js'
import { issueSdJwtVc } from '../../../server/protocol/sd-jwt-vc/issue.js'
import { createKeyBinding, verifyKeyBinding } from '../../../server/protocol/sd-jwt-vc/key-binding.js'
import { presentSdJwtVc } from '../../../server/protocol/sd-jwt-vc/present.js'
import { verifySdJwtVc } from '../../../server/protocol/sd-jwt-vc/verify.js'
import { checkForeignStatus } from '../../../server/protocol/status-list/foreign-status.js'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { type Actor, actor, countingBytes, later, NOW, NOW_SECONDS, VCT } from './actors.js'

const LIST = 'https://issuer.example/token-status-lists/1'
const CLAIMS = {
  product: 'Lämp',
  address: { city: 'Turin', street: 'Via Po' },
  nationalities: ['IT', 'CH'],
  price: 12.5,
}

let issuer: Actor
let holder: Actor

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  holder = await actor('did:example:holder')
})

const signWith = (by: Actor) => async (data: string) =>
  Buffer.from(await by.signer.sign(Buffer.from(data))).toString('base64url')

const verifyWith = (jwk: Jwk) => async (data: string, signature: string) => {
  await compactVerify(`${data}.${signature}`, await importJWK(jwk, 'ES256'))
  return true
}

/** `@sd-jwt/sd-jwt-vc`, an independent implementation of the same standards. */
const library = (revokedIndices: number[] = []) =>
  new SDJwtVcInstance({
    signer: signWith(issuer),
    signAlg: 'ES256',
    verifier: verifyWith(issuer.publicJwk),
    kbSigner: signWith(holder),
    kbSignAlg: 'ES256',
    kbVerifier: async (data, signature, payload) => verifyWith(payload.cnf?.jwk as Jwk)(data, signature),
    hasher: digest,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
    statusVerifier: verifyWith(issuer.publicJwk),
    statusListFetcher: () => statusList(revokedIndices),
  })

const statusList = (revokedIndices: number[]) =>
  createTokenStatusList({
    signer: issuer.signer,
    issuer: issuer.id,
    uri: LIST,
    revokedIndices,
    size: 131_072,
    issuedAt: NOW,
    expiresAt: later(600),
    ttlSeconds: 60,
  })

const issue = () =>
  issueSdJwtVc({
    signer: issuer.signer,
    issuer: issuer.id,
    vct: VCT,
    claims: CLAIMS,
    selectivelyDisclosable: ['product', 'address', 'address.street', 'nationalities.*'],
    decoys: 2,
    holderKey: holder.publicJwk,
    status: { uri: LIST, idx: 4711 },
    issuedAt: NOW,
    expiresAt: later(600),
    randomBytes: countingBytes(),
  })

describe('@sd-jwt/sd-jwt-vc verifies credentials of this service', () => {
  it('with every claim', async () => {
    const { payload, header } = await library().verify(await issue(), { currentDate: NOW_SECONDS })
    expect(payload).toMatchObject({ ...CLAIMS, iss: issuer.id, vct: VCT })
    expect(header).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', kid: 'did:example:issuer#0' })
  })

  it('and sees a revocation in the status list of this service', async () => {
    const verified = library([4710, 4712]).verify(await issue(), { currentDate: NOW_SECONDS })
    await expect(verified).resolves.toHaveProperty('payload')
    const revoked = library([4711]).verify(await issue(), { currentDate: NOW_SECONDS })
    await expect(revoked).rejects.toThrow('Status is not valid')
  })

  it('as a presentation with key binding of this service', async () => {
    const shown = presentSdJwtVc(await issue(), [
      ['address', 'street'],
      ['nationalities', 1],
    ])
    const presentation = await createKeyBinding({
      signer: holder.signer,
      sdJwt: shown,
      nonce: 'nonce',
      audience: 'verifier',
      issuedAt: NOW,
    })
    const { payload, kb } = await library().verify(presentation, { currentDate: NOW_SECONDS, keyBindingNonce: 'nonce' })
    expect(payload).toMatchObject({ address: { city: 'Turin', street: 'Via Po' }, nationalities: ['CH'], price: 12.5 })
    expect(payload).not.toHaveProperty('product')
    expect(kb?.payload.aud).toBe('verifier')
  })
})

describe('this service verifies credentials of @sd-jwt/sd-jwt-vc', () => {
  const issuedElsewhere = async () =>
    library().issue(
      {
        iss: issuer.id,
        vct: VCT,
        iat: NOW_SECONDS,
        cnf: { jwk: holder.publicJwk },
        status: { status_list: { uri: LIST, idx: 9 } },
        ...CLAIMS,
      },
      { _sd: ['product', 'address'], address: { _sd: ['city'] }, nationalities: { _sd: [0, 1] }, _sd_decoy: 1 },
      { header: { kid: 'did:example:issuer#0' } },
    )

  it('with every claim, and its status', async () => {
    const options = { resolveIssuerKey: issuer.resolveIssuerKey, now: NOW }
    const { prettyClaims, status, issuerKey } = await verifySdJwtVc(await issuedElsewhere(), options)
    expect(prettyClaims).toMatchObject(CLAIMS)
    const fetchText = () => statusList([9])
    await expect(checkForeignStatus({ ...options, fetchText }, status ?? { uri: '', idx: 0 }, issuerKey)).resolves.toBe(
      'revoked',
    )
  })

  it('as a presentation with key binding', async () => {
    const presentation = await library().present(
      await issuedElsewhere(),
      { address: { city: true }, nationalities: { 1: true } },
      { kb: { payload: { iat: NOW_SECONDS, aud: 'verifier', nonce: 'nonce' } } },
    )
    const verified = await verifySdJwtVc(presentation, { resolveIssuerKey: issuer.resolveIssuerKey, now: NOW })
    expect(verified.prettyClaims).toMatchObject({ address: CLAIMS.address, nationalities: ['CH'] })
    expect(verified.prettyClaims).not.toHaveProperty('product')
    const binding = await verifyKeyBinding(verified, { nonce: 'nonce', audience: 'verifier', now: NOW, notBefore: NOW })
    expect(binding.payload.aud).toBe('verifier')
  })
})
