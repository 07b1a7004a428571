import type { Column } from './column.js'
import { ISSUER_COLUMNS } from './issuer.js'
import { PRESENTING_COLUMNS } from './presenting.js'
import { RECEIVING_COLUMNS } from './receiving.js'
import { VERIFIER_COLUMNS } from './verifier.js'

/** Every run of a plan in docs/conformance.md, in the order of its tables. */
export const COLUMNS: readonly Column[] = [
  ...ISSUER_COLUMNS,
  ...VERIFIER_COLUMNS,
  ...PRESENTING_COLUMNS,
  ...RECEIVING_COLUMNS,
]
