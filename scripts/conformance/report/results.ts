import type { Outcome } from '../module.js'
import type { Variant } from '../suite/client.js'

/** The result of one run of a plan, as the JSON file contains it. */
export interface ColumnResult {
  readonly id: string
  readonly heading: string
  readonly plan: string
  readonly variant: Variant
  readonly modules: readonly Outcome[]
}

export interface Results {
  readonly suite: { readonly version: string; readonly revision: string }
  /** The time at which the run began, ISO 8601. */
  readonly begun: string
  readonly columns: readonly ColumnResult[]
}

/** The variants that a plan chooses for some of its modules, each with its word in a table. */
const CHOSEN: readonly (readonly [parameter: string, value: string, word: string])[] = [
  ['vci_credential_encryption', 'encrypted', 'encrypted'],
  ['vci_credential_issuance_mode', 'deferred', 'deferred'],
]

/** The name of a module's row in the table: the module's name, and the part of its variant that the plan has chosen. */
export function rowOf({ module, variant }: Pick<Outcome, 'module' | 'variant'>, chosenBefore: Variant): string {
  const words = CHOSEN.filter(
    ([parameter, value]) => chosenBefore[parameter] === undefined && variant[parameter] === value,
  ).map(([, , word]) => word)
  return [`\`${module}\``, ...words].join(', ')
}
