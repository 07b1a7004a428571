import type { Goal } from '../goal.js'
import { FORMATS, type Format } from './licence.js'

const ISSUING = 1.5
const VERIFYING = 2

/** What an mdoc may cost of what the SD-JWT VC beside it does, for rows that are named alike. */
export function goalsOf(kind: 'issuing' | 'verifying', { format }: Format, nameOf: (other: Format) => string): Goal[] {
  const [base] = FORMATS
  if (format === base.format) return []
  return [{ kind: 'cpuRatio', of: nameOf(base), atMost: kind === 'issuing' ? ISSUING : VERIFYING }]
}
