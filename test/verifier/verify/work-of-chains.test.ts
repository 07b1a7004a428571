import { expect, it } from 'vitest'
import { Work, WorkExceededError } from '../../../server/protocol/work.js'
import { createVerifications, type VerificationsPorts } from '../../../server/verifier/verify/verification.js'
import { makeLeaf, makeRoot } from '../certified.js'

it('attack: chains of certificates are charged to the budget by length before a certificate is parsed', async () => {
  const root = makeRoot()
  // A chain is checked before any of the other ports is called.
  const ports = {
    clock: () => new Date(),
    config: { trustAnchors: [root.certificate] },
    resolver: {},
  } as unknown as VerificationsPorts
  const { start } = createVerifications(ports)
  const x5c = [makeLeaf(root).x5c]
  const resolve = (work: Work, chain: readonly unknown[]) =>
    start(work, { certifiedOnly: true }).resolveIssuerKey({ alg: 'ES256', x5c: chain }, {})
  expect(await resolve(new Work(20_000), x5c)).toMatchObject({ jwk: { kty: 'EC' } })
  await expect(async () => resolve(new Work(20_000), Array(8).fill('not parsed'))).rejects.toThrow(WorkExceededError)
})
