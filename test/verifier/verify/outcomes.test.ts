import { describe, expect, it } from 'vitest'
import type { CredentialFormat } from '../../../server/formats/format.js'
import type { VerifiedCredential } from '../../../server/formats/verifying.js'
import { type Check, CredentialError } from '../../../server/protocol/credential/verification.js'
import { Work, WorkExceededError } from '../../../server/protocol/work.js'
import { createVerify, type VerifyPorts } from '../../../server/verifier/verify/verify.js'

const ALL = ['format', 'issuer-key', 'signature', 'validity', 'revoked']
const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

const answer = { format: 'compact', members: {} }
const answerByCheck = { format: 'binary', members: {}, resembles: (text: string) => text.startsWith('binary') }
const FORMATS: Readonly<Record<string, object>> = {
  compact: { verifying: { answer } },
  binary: { verifying: { answerByCheck } },
  unanswered: { verifying: {} },
}

const VALID = { issuer: 'did:web:issuer.example', shown: { payload: { a: 1 } } } as unknown as VerifiedCredential

/** Makes a verifier of texts whose first word names their format. `counted` records the outcomes that were counted. */
function verifying(check: VerifyPorts['check'] = async () => VALID) {
  const counted: (Check | undefined)[] = []
  const verify = createVerify({
    formats: { recognise: (text) => FORMATS[text.split(' ')[0] ?? ''] as CredentialFormat | undefined },
    metrics: { verification: (failed) => void counted.push(failed) },
    check,
  })
  return { ...verify, counted }
}

/** A format that passes the given checks and then fails with the given error. */
const failing =
  (passed: readonly Check[], error: Error): VerifyPorts['check'] =>
  async (_format, _compact, _work, onPassed) => {
    for (const check of passed) onPassed?.(check)
    throw error
  }

const outcomes = (checks: readonly { readonly check: string; readonly outcome: string }[]) =>
  checks.map(({ check, outcome }) => `${check} ${outcome}`)

const work = new Work(1)

describe('a credential that is verified', () => {
  it('is shown with its issuer, and has passed every check', async () => {
    const { verify, checks, counted } = verifying()
    const verdict = { isValid: true, format: 'compact', issuer: VALID.issuer, payload: { a: 1 } }
    expect(await verify('compact credential', work)).toEqual(verdict)
    const byCheck = await checks('compact credential', work)
    expect(byCheck.verdict).toEqual(verdict)
    expect(outcomes(byCheck.checks)).toEqual(ALL.map((check) => `${check} passed`))
    expect(counted).toEqual([undefined, undefined])
  })

  it.each(['no format', 'unanswered credential', ''])('has an unsupported format: %j', async (text) => {
    const { verify, checks, counted } = verifying()
    expect(await verify(text, work)).toEqual({ isValid: false, error: UNSUPPORTED })
    expect(outcomes((await checks(text, work)).checks)[0]).toBe('format failed')
    expect(counted).toEqual(['format', 'format'])
  })

  it('of a format that only the detailed check accepts is unsupported in other operations, or if its form is wrong', async () => {
    const { verify, checks } = verifying()
    expect((await verify('binary credential', work)).isValid).toBe(false)
    expect((await checks('binary credential', work)).verdict).toMatchObject({ isValid: true, format: 'binary' })
  })

  it('with a holder’s proof is a presentation, which this operation does not verify', async () => {
    const { verify, counted } = verifying(async () => ({ ...VALID, holderProof: 'Key Binding JWT' }))
    expect(await verify('compact presentation', work)).toEqual({
      isValid: false,
      error: 'Credential carries a Key Binding JWT: presentations are not verified here.',
    })
    expect(counted).toHaveLength(1)
  })

  it('names the passed checks, the failed check with its sentence, and the checks not reached', async () => {
    const error = new CredentialError('Credential has expired.', { check: 'validity' })
    // A check may first pass and later fail.
    const { checks } = verifying(failing(['format', 'issuer-key', 'validity'], error))
    const told = (await checks('compact credential', work)).checks
    expect(outcomes(told)).toEqual([
      'format passed',
      'issuer-key passed',
      'validity failed',
      'signature not-reached',
      'revoked not-reached',
    ])
    expect(told[2]?.message).toBe('Credential has expired.')
  })

  it('names a failed check even if this check is not in the list of a valid credential', async () => {
    const error = new CredentialError('Status list does not exist.', { check: 'status' })
    const { checks, counted } = verifying(failing(['format', 'issuer-key', 'signature', 'validity'], error))
    expect(outcomes((await checks('compact credential', work)).checks).slice(-2)).toEqual([
      'status failed',
      'revoked not-reached',
    ])
    expect(counted).toEqual(['status'])
  })

  it.each([new WorkExceededError(), new Error('The database is away.')])(
    'has no verdict if it could not be checked: %s',
    async (error) => {
      const { verify, counted } = verifying(failing(['format'], error))
      await expect(verify('compact credential', work)).rejects.toBe(error)
      expect(counted).toEqual([])
    },
  )
})
