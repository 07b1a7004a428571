import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (value: string) => createHash('sha256').update(value).digest()

/**
 * Returns a function that compares a sent `x-client-secret` with all accepted values. The time of the comparison does
 * not depend on the values.
 *
 * @returns a function that returns false if no secret is configured, or no secret was sent.
 */
export function createClientSecretCheck(accepted: readonly string[]): (sent: string | undefined) => boolean {
  const digests = accepted.map(digest)
  return (sent) => {
    const sentDigest = digest(sent ?? '')
    const matches = digests.filter((known) => timingSafeEqual(known, sentDigest))
    return sent !== undefined && matches.length > 0
  }
}
