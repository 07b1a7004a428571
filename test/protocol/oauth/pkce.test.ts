import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { matchesChallenge } from '../../../server/protocol/oauth/pkce.js'

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

it('a code verifier matches its challenge (RFC 7636 Appendix B)', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  expect(matchesChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', challenge)).toBe(true)
  expect(matchesChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl', challenge)).toBe(false)
  expect(matchesChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', challenge.slice(0, -1))).toBe(false)
})

it.each<[string, boolean]>([
  ['a'.repeat(42), false],
  ['a'.repeat(43), true],
  ['-._~'.repeat(32), true],
  ['a'.repeat(129), false],
  [`${'a'.repeat(43)} `, false],
  [`${'a'.repeat(43)}+`, false],
  ['', false],
])(
  'a code verifier has 43 to 128 unreserved characters, so that it cannot be guessed (RFC 7636 §4.1): %j %s',
  (verifier, good) => {
    expect(matchesChallenge(verifier, challengeOf(verifier))).toBe(good)
  },
)
