import type { Outcome } from '../module.js'
import type { Variant } from '../suite/client.js'

/** One run of a plan, in the form of the JSON file. */
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

/** Variants that a plan itself chooses for some of its modules, and their words in a table. */
const CHOSEN: readonly (readonly [parameter: string, value: string, word: string])[] = [
  ['vci_credential_encryption', 'encrypted', 'encrypted'],
  ['vci_credential_issuance_mode', 'deferred', 'deferred'],
]

/** A module's row: its name, and the part of its variant that the plan has chosen. */
export function rowOf({ module, variant }: Pick<Outcome, 'module' | 'variant'>, chosenBefore: Variant): string {
  const words = CHOSEN.filter(
    ([parameter, value]) => chosenBefore[parameter] === undefined && variant[parameter] === value,
  ).map(([, , word]) => word)
  return [`\`${module}\``, ...words].join(', ')
}
