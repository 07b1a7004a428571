import { createHash, timingSafeEqual } from 'node:crypto'

/** RFC 7636 §4.1: 43 to 128 unreserved characters. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/** Whether an S256 code challenge was made from this code verifier (RFC 7636 §4.6). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const [one, other] = [createHash('sha256').update(verifier).digest('base64url'), challenge].map((text) =>
    Buffer.from(text),
  )
  return one !== undefined && other !== undefined && one.length === other.length && timingSafeEqual(one, other)
}
