import { beforeAll, describe, expect, it } from 'vitest'
import {
  type DeviceResponseOptions,
  presentMdoc,
  redirectTranscript,
  verifyDeviceResponse,
  verifyIssuerSigned,
} from '../../../server/protocol/mdoc/mdoc.js'
import { Work, WorkExceededError } from '../../../server/protocol/work.js'
import { issue, makeAuthority, makeHolder, makeIssuer, NAMESPACE, trusting } from './actors.js'

const authority = makeAuthority()
const transcriptOf = (nonce: string) =>
  redirectTranscript({ clientId: 'c', nonce, responseUri: 'https://verifier.example/response' })
let issued: string
let presented: string

beforeAll(async () => {
  const holder = await makeHolder()
  issued = await issue(await makeIssuer(authority), holder)
  presented = await presentMdoc({
    issuerSigned: issued,
    disclose: [[NAMESPACE, 'family_name']],
    sessionTranscript: transcriptOf('n'),
    signer: holder,
  })
})

/**
 * Returns the number of units that a verification needs. Checks that the verification is refused with one unit less.
 */
async function spent(verify: (work: Work) => Promise<unknown>): Promise<number> {
  const whole = new Work(1_000_000)
  await verify(whole)
  const units = 1_000_000 - whole.left
  await verify(new Work(units))
  await expect(verify(new Work(units - 1))).rejects.toThrow(WorkExceededError)
  return units
}

const verify = (options: Partial<DeviceResponseOptions> = {}) =>
  spent((work) =>
    verifyDeviceResponse(presented, {
      ...trusting(authority),
      sessionTranscript: transcriptOf('n'),
      ...options,
      work,
    }),
  )

describe('Verifying a mobile document first charges the budget', () => {
  it('for its length and for each element of its issuer or its holder', async () => {
    const whole = await spent((work) => verifyIssuerSigned(issued, { ...trusting(authority), work }))
    expect(whole).toBeGreaterThan(issued.length / 2 + 8 * 5 * 50)
    expect(await verify()).toBeLessThan(whole)
  })

  it('for each transcript that the device may have signed after the first', async () => {
    const one = await verify()
    const transcripts = ['a', 'b', 'n', 'c'].map(transcriptOf)
    // The third transcript fits, so the last transcript is not tried.
    expect(await verify({ sessionTranscript: transcripts })).toBe(one + 2 * 10_000)
  })

  it('and for content that is not a document', async () => {
    const work = new Work(1_000)
    await expect(verifyIssuerSigned('A'.repeat(2_001), { ...trusting(authority), work })).rejects.toThrow(
      WorkExceededError,
    )
  })
})

it('A key without a certificate cannot sign a mobile document, even with another proof of the issuer', async () => {
  const { now, resolveIssuerKey } = trusting(authority)
  const uncertified = async (...args: Parameters<typeof resolveIssuerKey>) => {
    const { jwk, issuer } = await resolveIssuerKey(...args)
    return { jwk, issuer }
  }
  await expect(verifyIssuerSigned(issued, { now, resolveIssuerKey: uncertified })).rejects.toThrow(
    'Credential issuer key is proven by no certificate.',
  )
})
