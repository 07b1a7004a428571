import { describe, expect, it, vi } from 'vitest'
import { standardFormats } from '../../../server/formats/registry.js'
import type { Issued, IssueRequest } from '../../../server/issuer/issuance/issue.js'
import type { OfferingIssuance } from '../../../server/issuer/issuance/store.js'
import { createClaim } from '../../../server/issuer/offerings/claim.js'

const NOW = new Date('2026-03-01T12:00:00Z')
const ISSUED: Issued = { id: 'credential', compact: 'a.b.c', vc: { type: ['VerifiableCredential'] } }
const ALICE = { sub: 'alice', roles: new Set<string>(), tokenDids: ['did:example:token'] }

/**
 * Claims an offering. Apart from the given members, the offering can be claimed. Returns the outcome of the claim, and
 * the input for the signature.
 */
function claiming(offering: Partial<OfferingIssuance> | undefined, outcome: 'recorded' | 'not recorded' = 'recorded') {
  const plain = {
    credentialSubject: {},
    claimsErasedAt: null,
    recipient: null,
    redemptionLimit: null,
    redemptionCount: 0,
    expiresAt: null,
  }
  const found = offering && ({ ...plain, callerDids: [], ...offering } as Partial<OfferingIssuance> as OfferingIssuance)
  const issue = vi.fn(async (_: IssueRequest) => (outcome === 'recorded' ? ISSUED : undefined))
  const times = [NOW]
  const claim = createClaim({
    offeringContext: async () => found,
    issue,
    formats: standardFormats,
    clock: () => times.shift() ?? new Date(NOW.getTime() + 1_000),
  })
  return { claim, issue, request: () => issue.mock.calls[0]?.[0] }
}

describe('a claim', () => {
  it.each<[string, Partial<OfferingIssuance> | undefined, number, string]>([
    ['an unknown offering', undefined, 404, 'Offering not found.'],
    ['an offering whose claims were erased', { claimsErasedAt: NOW }, 410, 'Claims of the offering were erased.'],
    ['an offer that expires at this moment', { expiresAt: NOW }, 410, 'Offering has expired.'],
    [
      'an offering that has expired, is used up and is for another recipient',
      { expiresAt: NOW, redemptionLimit: 1, redemptionCount: 1, recipient: 'did:example:other' },
      410,
      'Offering has expired.',
    ],
    [
      'an offering that is used up and for another recipient',
      { redemptionLimit: 2, redemptionCount: 2, recipient: 'did:example:other' },
      409,
      'Offering redemption limit reached.',
    ],
    [
      'an offering for a DID that only begins like the DID of the caller',
      { recipient: 'did:example:toke' },
      403,
      'Offering is for another recipient.',
    ],
  ])('of %s signs nothing', async (_, offering, status, message) => {
    const { claim, issue } = claiming(offering)
    await expect(claim(ALICE, 'offering')).rejects.toMatchObject({ status, message })
    expect(issue).not.toHaveBeenCalled()
  })

  it.each<[string, Partial<OfferingIssuance>, string | undefined, string | undefined, string | undefined]>([
    [
      'the recipient',
      { recipient: 'did:example:token', credentialSubject: { id: 'urn:x' } },
      undefined,
      'did:example:token',
      'did:example:token',
    ],
    [
      'the recipient of the offering, who has no DID',
      { credentialSubject: { id: 'urn:x' } },
      undefined,
      'urn:x',
      undefined,
    ],
    [
      'the only DID of the caller',
      { callerDids: ['did:example:token'] },
      undefined,
      'did:example:token',
      'did:example:token',
    ],
    [
      'no subject, because the caller has two DIDs',
      { callerDids: ['did:example:held'] },
      undefined,
      undefined,
      undefined,
    ],
    [
      'the DID that claims it',
      { callerDids: ['did:example:held', 'did:example:other'] },
      'did:example:held',
      'did:example:held',
      'did:example:held',
    ],
  ])('is about %s', async (_, offering, did, subjectId, holderDid) => {
    const { claim, request } = claiming(offering)
    await expect(claim(ALICE, 'offering', did)).resolves.toEqual({ id: 'credential', vc: ISSUED.vc })
    expect(request()).toMatchObject({
      owner: 'alice',
      action: 'credential.claimed',
      redemption: { offeringId: 'offering' },
    })
    expect(request()).toMatchObject({ binding: { subjectId }, holderDid })
  })

  it('for a recipient is refused to another DID of the caller, if one DID claims it', async () => {
    const { claim } = claiming({ recipient: 'did:example:token' })
    await expect(claim(ALICE, 'offering', 'did:example:held')).rejects.toMatchObject({ status: 403 })
  })

  it('whose redemption was not recorded gives the reason: the last redemption was used, or the offering has ended meanwhile', async () => {
    const gone = claiming({ redemptionLimit: 1 }, 'not recorded')
    await expect(gone.claim(ALICE, 'offering')).rejects.toMatchObject({ status: 409 })
    const ended = claiming({ expiresAt: new Date(NOW.getTime() + 1_000) }, 'not recorded')
    await expect(ended.claim(ALICE, 'offering')).rejects.toMatchObject({ status: 410 })
  })
})
