import type { Sample } from '../measure/sample.js'
import type { World } from '../world.js'
import type { Row } from './row.js'

const OPERATIONS = [
  ['ES256 sign', 'sign'],
  ['ES256 verify', 'verify'],
  ['RS256 access token verify', 'token'],
] as const

/** What the signatures alone cost, in a process without HTTP. */
export function cryptographyRows({ cryptography }: World): Row[] {
  return OPERATIONS.flatMap(([what, operation]) =>
    [1, 16].map((atOnce) => ({
      name: `cryptography alone: ${what}, ${atOnce} at once`,
      measure: async (seconds: number) => (await cryptography.ask({ operation, atOnce, seconds })) as unknown as Sample,
    })),
  )
}
