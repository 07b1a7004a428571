import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { credentialOf, type Issuer, JWT_VC, payloadOf, SD_JWT, startIssuer } from './actors.js'
import { newHolderKey, takeOffer } from './library-wallet.js'

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.service.close())

const verified = async (credential: string) => {
  const authorization = await issuer.authorization()
  const answer = await issuer.service.request('POST', '/credentials/verify', { authorization, body: { credential } })
  return answer.json
}

describe('@openid4vc/openid4vci takes credentials', () => {
  it.each(['by jwk', 'by did'] as const)('in both formats, with its key named %s', async (named) => {
    const made = await issuer.makeOffer()
    const key = await newHolderKey()
    const taken = await takeOffer({ offer: made.credentialOfferUri, keys: [key], named })
    expect(taken).toEqual({
      [JWT_VC]: { format: 'jwt_vc_json', credentials: [expect.any(String)] },
      [SD_JWT]: { format: 'dc+sd-jwt', credentials: [expect.stringMatching(/~$/)] },
    })
    const jwtVc = taken[JWT_VC]?.credentials[0] ?? ''
    const sdJwt = taken[SD_JWT]?.credentials[0] ?? ''
    expect(await verified(jwtVc)).toMatchObject({ isValid: true, format: 'jwt_vc' })
    expect(await verified(sdJwt)).toMatchObject({
      isValid: true,
      format: 'dc+sd-jwt',
      prettyClaims: { product: 'Espresso machine', price: 249 },
    })
    const { sub } = payloadOf(jwtVc)
    if (named === 'by did') expect(sub).toBe(key.did)
    // If the wallet's proof has only a `jwk`, the service makes the did:jwk and may order the JWK's members
    // differently. So the test compares the decoded JWK.
    expect(JSON.parse(Buffer.from(sub.slice('did:jwk:'.length), 'base64url').toString())).toEqual(key.publicJwk)
    expect(payloadOf(sdJwt).cnf).toEqual(named === 'by did' ? { kid: `${key.did}#0` } : { jwk: key.publicJwk })
    expect((await issuer.session(made.credentialOfferSessionId)).state).toBe('Accepted')
  })

  it('with a transaction code, and not without', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const keys = [await newHolderKey()]
    const offer = made.credentialOfferUri
    await expect(takeOffer({ offer, keys, named: 'by jwk' })).rejects.toThrow()
    await expect(takeOffer({ offer, keys, named: 'by jwk', txCode: 'wrong!' })).rejects.toThrow()
    const taken = await takeOffer({ offer, keys, named: 'by jwk', txCode: made.txCode })
    expect(Object.keys(taken)).toEqual([JWT_VC, SD_JWT])
  })

  it('in a batch of five, each copy bound to another key', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, newHolderKey))
    const made = await issuer.makeOffer()
    const taken = await takeOffer({ offer: made.credentialOfferUri, keys, named: 'by jwk' })
    for (const configuration of [JWT_VC, SD_JWT]) {
      const copies = taken[configuration]?.credentials ?? []
      expect(copies.map((copy) => payloadOf(copy).cnf.jwk)).toEqual(keys.map(({ publicJwk }) => publicJwk))
      for (const copy of copies) expect(await verified(copy)).toMatchObject({ isValid: true })
    }
  })

  it('from an offering of the interface, with authorization_details and signed metadata', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const taken = await takeOffer({
      offer: offering.offering_full_url,
      keys: [await newHolderKey()],
      named: 'by did',
      authorizationDetails: true,
      signedMetadata: true,
    })
    expect(Object.keys(taken)).toEqual([JWT_VC, SD_JWT])
  })

  it('of a deferred offer: it waits, must wait again, and succeeds after the approval', async () => {
    const made = await issuer.makeOffer({ deferred: true })
    const key = await newHolderKey()
    const intervals: unknown[] = []
    const taken = await takeOffer({
      offer: made.credentialOfferUri,
      keys: [key],
      named: 'by jwk',
      // The second configuration is issued at once, because the offer has already been approved.
      whileWaiting: async ({ interval }) => {
        intervals.push(interval)
        expect((await issuer.decide(made.credentialOfferSessionId, 'approve')).status).toBe(200)
      },
    })
    expect(intervals).toEqual([5])
    for (const configuration of [JWT_VC, SD_JWT])
      expect(await verified(taken[configuration]?.credentials[0] ?? '')).toMatchObject({ isValid: true })
    expect(await issuer.session(made.credentialOfferSessionId)).toMatchObject({
      state: 'Accepted',
      deferred: 'approved',
    })
  })

  it('of a deferred offer that is rejected: it gets nothing', async () => {
    const made = await issuer.makeOffer({ deferred: true })
    const taking = takeOffer({
      offer: made.credentialOfferUri,
      keys: [await newHolderKey()],
      named: 'by did',
      whileWaiting: () => issuer.decide(made.credentialOfferSessionId, 'reject'),
    })
    await expect(taking).rejects.toThrow('credential_request_denied')
  })

  it('by value', async () => {
    const { credentialOffer } = await issuer.makeOffer({ credentialConfigurationIds: [SD_JWT] })
    const offer = `openid-credential-offer://?credential_offer=${encodeURIComponent(JSON.stringify(credentialOffer))}`
    const taken = await takeOffer({ offer, keys: [await newHolderKey()], named: 'by jwk' })
    expect(Object.keys(taken)).toEqual([SD_JWT])
  })
})

describe('the record of a wallet’s credentials', () => {
  const listed = async (offeringId: string) => {
    const { json } = await issuer.service.request('GET', '/api/v1/offerings', { client: true })
    return json.find(({ id }: { id: string }) => id === offeringId).redemptions
  }
  const read = async (id: string, did: string) =>
    issuer.service.request('GET', `/api/v1/credentials/${id}`, {
      authorization: await issuer.service.bearer('somebody', { did }),
    })

  it('is one redemption by the DID of the key in the proof, and the caller with this DID can read the credential', async () => {
    const offering = await issuer.makeOffering()
    const key = await newHolderKey()
    const taken = await takeOffer({ offer: offering.offering_full_url, keys: [key], named: 'by did' })
    const [redemption, ...others] = await listed(offering.id)
    expect(others).toEqual([])
    expect(redemption).toMatchObject({
      offering_id: offering.id,
      recipient_did: key.did,
      credential: { id: redemption.credential_id, configuration_id: JWT_VC, revoked: false },
    })
    const owned = await read(redemption.credential_id, key.did)
    const jwtVc = taken[JWT_VC]?.credentials[0] ?? ''
    expect([owned.status, owned.json.id]).toEqual([200, redemption.credential_id])
    expect(owned.json.vc).toMatchObject({
      id: `urn:uuid:${redemption.credential_id}`,
      type: ['VerifiableCredential', JWT_VC],
      credentialSubject: { id: key.did, product: 'Espresso machine' },
      credentialStatus: [{ type: 'BitstringStatusListEntry', statusListIndex: expect.any(Number) }],
      proof: { jws: jwtVc },
    })
    expect(await verified(owned.json.vc.proof.jws)).toMatchObject({ isValid: true })
    expect((await read(redemption.credential_id, (await newHolderKey()).did)).status).toBe(404)
  })

  it('of an SD-JWT VC alone has the same form without a proof, and gets a proof with the JWT VC', async () => {
    const offering = await issuer.makeOffering()
    const token = await issuer.token(offering.id)
    expect((await issuer.take(token, SD_JWT)).status).toBe(200)
    const [before] = await listed(offering.id)
    expect(before.credential).toMatchObject({
      configuration_id: SD_JWT,
      vc: { id: `urn:uuid:${before.credential_id}`, type: ['VerifiableCredential', JWT_VC] },
    })
    expect(before.credential.vc).not.toHaveProperty('proof')
    const jwtVc = credentialOf(await issuer.take(token, JWT_VC))
    const [after, ...others] = await listed(offering.id)
    expect(others).toEqual([])
    expect(after.credential).toMatchObject({ id: before.credential_id, configuration_id: JWT_VC })
    expect(after.credential.vc.proof.jws).toBe(jwtVc)
  })

  it('revokes every format and every copy', async () => {
    const offering = await issuer.makeOffering()
    const keys = await Promise.all([newHolderKey(), newHolderKey(), newHolderKey()])
    const taken = await takeOffer({ offer: offering.offering_full_url, keys, named: 'by jwk' })
    const copies = [...(taken[JWT_VC]?.credentials ?? []), ...(taken[SD_JWT]?.credentials ?? [])]
    expect(copies).toHaveLength(6)
    for (const copy of copies) expect((await verified(copy)).isValid).toBe(true)
    const [redemption] = await listed(offering.id)
    await issuer.service.request('POST', `/api/v1/credentials/${redemption.credential_id}/revoke`, { client: true })
    for (const copy of copies) {
      expect(await verified(copy)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
    }
    expect((await listed(offering.id))[0].credential.revoked).toBe(true)
  })
})
