import type { Goal } from '../goal.js'
import { FORMATS, type Format } from './licence.js'

const ISSUING = 1.5
const VERIFYING = 2

/** The allowed cost of an mdoc, relative to the SD-JWT VC in the row with the same name. */
export function goalsOf(kind: 'issuing' | 'verifying', { format }: Format, nameOf: (other: Format) => string): Goal[] {
  const [base] = FORMATS
  if (format === base.format) return []
  return [{ kind: 'cpuRatio', of: nameOf(base), atMost: kind === 'issuing' ? ISSUING : VERIFYING }]
}
