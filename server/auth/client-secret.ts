import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (value: string) => createHash('sha256').update(value).digest()

/**
 * Compares a sent `x-client-secret` with every accepted value, in a time that depends on neither.
 *
 * @returns false where none is configured, or none was sent.
 */
export function createClientSecretCheck(accepted: readonly string[]): (sent: string | undefined) => boolean {
  const digests = accepted.map(digest)
  return (sent) => {
    const sentDigest = digest(sent ?? '')
    const matches = digests.filter((known) => timingSafeEqual(known, sentDigest))
    return sent !== undefined && matches.length > 0
  }
}
