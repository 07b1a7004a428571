import { expect } from 'vitest'
import { checkEvidence } from '../../../scripts/verify-evidence/check.js'
import { type StoredEvidence, zEvidence } from '../../../server/verifier/evidence/package.js'
import type { TestService } from '../../support/service.js'
import type { Asked } from '../actors.js'

type Named = Pick<Asked, 'verificationSessionId'>

/** Reads evidence as the creator of the request. */
export const readEvidence = async (service: TestService, { verificationSessionId }: Named, sub = 'verifier') =>
  service.request('GET', `/api/v1/verification-sessions/${verificationSessionId}/evidence`, {
    authorization: await service.bearer(sub),
  })

/** Reads the evidence of a session. Checks that it has the shape that the contract describes. */
export async function evidenceOf(service: TestService, asked: Named) {
  const read = await readEvidence(service, asked)
  expect(read.status, read.text).toBe(200)
  return zEvidence.parse(read.json)
}

/** All checks of a package that fail, as the script prints them. */
export async function failuresOf(evidence: StoredEvidence): Promise<string[]> {
  const failures: string[] = []
  for await (const { name, failure } of checkEvidence(evidence)) {
    if (failure !== undefined) failures.push(`${name}: ${failure}`)
  }
  return failures
}

/** The names of all checks of a package. */
export async function namesOf(evidence: StoredEvidence): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of checkEvidence(evidence)) names.push(name)
  return names
}

/** Returns the text with one character in the middle replaced, so that a decoded octet changes. */
export function tampered(text: string, at = Math.floor(text.length / 2)): string {
  const replaced = text[at] === 'A' ? 'B' : 'A'
  return `${text.slice(0, at)}${replaced}${text.slice(at + 1)}`
}
