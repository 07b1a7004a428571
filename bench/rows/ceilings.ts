import { measureOperations } from '../measure/operations.js'
import type { World } from '../world.js'
import type { Row } from './row.js'

const OPERATIONS = [
  ['ES256 sign', 'sign'],
  ['ES256 verify', 'verify'],
  ['RS256 access token verify', 'token'],
] as const

/**
 * Rows for the cost of signatures alone, and for the commits that the same PostgreSQL can make. Both are measured in
 * processes without HTTP.
 */
export function ceilingRows({ cryptography, commits }: World): Row[] {
  const signatures = OPERATIONS.flatMap(([what, operation]) =>
    [1, 16].map((atOnce) => ({
      name: `cryptography alone: ${what}, ${atOnce} at once`,
      measure: (seconds: number) => measureOperations(cryptography, operation, atOnce, seconds),
    })),
  )
  const committing = [1, 8, 32].map((atOnce) => ({
    name: `PostgreSQL alone: one row committed, ${atOnce} at once`,
    measure: (seconds: number) => measureOperations(commits, 'commit', atOnce, seconds),
  }))
  return [...signatures, ...committing]
}
