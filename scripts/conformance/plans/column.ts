import type { Material, Profile } from '../installation/material.js'
import type { Product } from '../installation/product.js'
import type { Player } from '../module.js'
import type { Suite, Variant } from '../suite/client.js'
import type { Ask } from '../trusting-fetch.js'

/** The service, the suite and the material with which a column runs. */
export interface World {
  readonly suite: Suite
  readonly product: Product
  readonly ask: Ask
  readonly material: Material
  /** Part of the addresses at which the suite plays its role in this column. */
  readonly alias: string
}

export interface Prepared {
  /** The suite's configuration of the plan. */
  readonly configuration: object
  newPlayer(): Player
}

/** One run of a plan: a column of a table of docs/conformance.md. */
export interface Column {
  /** The name on the command line and in the expectations: the table, a slash, a short name. */
  readonly id: string
  readonly heading: string
  readonly plan: string
  readonly profile: Profile
  readonly variant: Variant
  /** How long a module may wait without a next step. */
  readonly idleMs: number
  /** Modules that the suite lists in this column although they belong to other variants. */
  readonly without?: readonly string[]
  /** Whether the suite cannot run this column together with others. */
  readonly alone?: boolean
  prepare(world: World): Promise<Prepared>
}

/**
 * The address at which the suite plays its role. In the suite's metadata this address has a slash at the end, in its
 * redirects and proofs it has none.
 */
export const suiteAddress = ({ suite, alias }: Pick<World, 'suite' | 'alias'>): string => `${suite.url}/test/a/${alias}`
