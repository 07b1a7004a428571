import { describe, expect, it, vi } from 'vitest'
import type { IssuedFormat } from '../../../server/formats/format.js'
import { createIssue, type IssueRequest } from '../../../server/issuer/issuance/issue.js'
import type { SignRequest } from '../../../server/issuer/issuance/sign.js'
import type { IssuanceContext } from '../../../server/issuer/issuance/store.js'
import { CredentialError } from '../../../server/protocol/credential/verification.js'

const NOW = new Date('2026-03-01T12:00:00.900Z')
const VC = { type: ['VerifiableCredential'] }
const INSTANCE = { listId: 'list', index: 7, format: 'jwt_vc_json', configurationId: 'Diploma' }

// Only the members that the operation reads. The casts leave out the others.
const REQUEST: IssueRequest = {
  context: {
    id: 'schema',
    name: 'Diploma',
    issuerId: 'issuer',
    keyId: 'key',
    retention: null,
    expiresInDays: null,
    validFrom: null,
  } as IssuanceContext,
  subject: { degree: 'MSc' },
  format: { name: 'jwt_vc_json' } as IssuedFormat,
  binding: {},
  owner: 'alice',
  holderDid: 'did:example:holder',
  names: null,
  action: 'credential.claimed',
}

/**
 * Issues one credential with fakes. The arguments are the result of the status list, of the signature and of the
 * record.
 */
function issuing({
  indices = [{ listId: 'list', index: 7 }],
  signs = async () => {},
  records = async () => true,
} = {}) {
  const giveBack = vi.fn()
  const allot = vi.fn(async () => ({ indices, giveBack }))
  const sign = vi.fn(async (_: SignRequest) => {
    await signs()
    return { compact: 'a.b.c', vc: VC, instance: INSTANCE }
  })
  const record = vi.fn(records)
  let made = 0
  const issue = createIssue({
    sign,
    allot,
    store: { record },
    subjectHash: () => null,
    config: { issuerBaseUrl: 'https://issuer.example', retentionClaimsDays: undefined },
    clock: () => NOW,
    newId: () => `id-${++made}`,
  })
  return { issue, allot, giveBack, sign, record }
}

describe('issuing to a caller', () => {
  it('signs with an index of the issuer’s key, and records credential, audit row and redemption together', async () => {
    const { issue, allot, giveBack, sign, record } = issuing()
    const issued = await issue({ ...REQUEST, redemption: { offeringId: 'offering' } })
    expect(issued).toEqual({ id: 'id-1', compact: 'a.b.c', vc: VC })
    expect(allot).toHaveBeenCalledWith({ issuerId: 'issuer', keyId: 'key', bits: 1 }, 1)
    expect(sign).toHaveBeenCalledWith(
      expect.objectContaining({ id: 'id-1', status: { listId: 'list', index: 7 }, issuedAt: NOW }),
    )
    expect(record).toHaveBeenCalledWith(
      {
        id: 'id-1',
        schemaId: 'schema',
        issuerId: 'issuer',
        owner: 'alice',
        holderDid: 'did:example:holder',
        vc: VC,
        names: null,
        createdAt: NOW,
        subjectHash: null,
        validFrom: null,
        expiresAt: null,
        claimsDueAt: null,
        recordDueAt: null,
        instances: [INSTANCE],
        audit: { actor: 'alice', action: 'credential.claimed' },
      },
      { id: 'id-2', offeringId: 'offering', recipientDid: 'did:example:holder', redeemedBy: 'alice' },
    )
    expect(giveBack).not.toHaveBeenCalled()
  })

  it('of an offering that was used up meanwhile returns the index', async () => {
    const { issue, giveBack } = issuing({ records: async () => false })
    await expect(issue(REQUEST)).resolves.toBeUndefined()
    expect(giveBack).toHaveBeenCalledTimes(1)
  })

  it('of a subject that the format cannot represent is a 400, and returns the index', async () => {
    const signs = () => Promise.reject(new CredentialError('it nests too deeply.'))
    const { issue, giveBack, record } = issuing({ signs })
    await expect(issue(REQUEST)).rejects.toMatchObject({
      status: 400,
      messages: ['credential_subject cannot be signed: it nests too deeply.'],
    })
    expect(giveBack).toHaveBeenCalledTimes(1)
    expect(record).not.toHaveBeenCalled()
  })

  it('with a key that cannot be read fails with the error of the key, and returns the index', async () => {
    const fault = new Error('Key key does not exist.')
    const { issue, giveBack } = issuing({ signs: () => Promise.reject(fault) })
    await expect(issue(REQUEST)).rejects.toBe(fault)
    expect(giveBack).toHaveBeenCalledTimes(1)
  })

  it('does not return the index if it is unknown whether the credential was recorded', async () => {
    const lost = new Error('The connection was lost.')
    const { issue, giveBack } = issuing({ records: () => Promise.reject(lost) })
    await expect(issue(REQUEST)).rejects.toBe(lost)
    expect(giveBack).not.toHaveBeenCalled()
  })

  it('signs nothing without an index', async () => {
    const { issue, sign } = issuing({ indices: [] })
    await expect(issue(REQUEST)).rejects.toThrow('No status index was allotted.')
    expect(sign).not.toHaveBeenCalled()
  })
})
