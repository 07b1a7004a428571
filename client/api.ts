import type { AppRouter } from '../server/router.js'
import type { Mutation, Query, Subscription } from './calls.js'

type Routers = AppRouter['_def']['record']

type Called<Procedure> = Procedure extends {
  _def: { type: infer Type; $types: { input: infer Input; output: infer Output } }
}
  ? Type extends 'query'
    ? Query<Input, Output>
    : Type extends 'mutation'
      ? Mutation<Input, Output>
      : Output extends AsyncIterable<infer Event>
        ? Subscription<Input, Event>
        : never
  : never

/**
 * Every procedure of the service by its name: `credence.offerings.create.mutate(…)`,
 * `credence.offerings.read.query(…)`. In the published package, a file that scripts/client generates from the contracts
 * replaces this file.
 */
export type CredenceClient = {
  readonly [Router in keyof Routers]: {
    readonly [Name in keyof Routers[Router]]: Called<Routers[Router][Name]>
  }
}
