import type { CredenceClient } from './api.js'
import type { CredenceErrorShape, SubscriptionCallbacks } from './calls.js'

type InputOf<Procedure> = Procedure extends { query(...given: infer Given): unknown }
  ? Given[0]
  : Procedure extends { mutate(...given: infer Given): unknown }
    ? Given[0]
    : Procedure extends { subscribe(input: infer Input, callbacks: never): unknown }
      ? Input
      : never

type OutputOf<Procedure> = Procedure extends { query(...given: never): Promise<infer Output> }
  ? Output
  : Procedure extends { mutate(...given: never): Promise<infer Output> }
    ? Output
    : Procedure extends { subscribe(input: never, callbacks: SubscriptionCallbacks<infer Event>): unknown }
      ? Event
      : never

/** Inputs by router and procedure: `CredenceInputs['offerings']['create']`. */
export type CredenceInputs = {
  [Router in keyof CredenceClient]: {
    [Name in keyof CredenceClient[Router]]: InputOf<CredenceClient[Router][Name]>
  }
}

/** Outputs by router and procedure: `CredenceOutputs['offerings']['create']`. The output of a subscription is one event. */
export type CredenceOutputs = {
  [Router in keyof CredenceClient]: {
    [Name in keyof CredenceClient[Router]]: OutputOf<CredenceClient[Router][Name]>
  }
}

/** A procedure, described with tRPC's types. It exists only as a type. */
interface Procedure<Type extends string, Input, Output> {
  (options: unknown): Promise<Output>
  readonly meta: unknown
  readonly _def: {
    readonly $types: { readonly input: Input; readonly output: Output; readonly errorShape: unknown }
    readonly procedure: true
    readonly type: Type
    readonly meta: unknown
    readonly experimental_caller: boolean
    readonly inputs: never[]
  }
}

type ProcedureOf<Called> = Called extends { query: unknown }
  ? Procedure<'query', InputOf<Called>, OutputOf<Called>>
  : Called extends { mutate: unknown }
    ? Procedure<'mutation', InputOf<Called>, OutputOf<Called>>
    : Procedure<'subscription', InputOf<Called>, AsyncIterable<OutputOf<Called>>>

type RouterRecord = {
  readonly [Router in keyof CredenceClient]: {
    readonly [Name in keyof CredenceClient[Router]]: ProcedureOf<CredenceClient[Router][Name]>
  }
}

/**
 * The service's router, described with tRPC's types. Use it for `createTRPCClient<AppRouter>` and for libraries on top
 * of tRPC's client. It is only a type.
 */
export interface AppRouter {
  readonly createCaller: never
  readonly _def: {
    readonly _config: {
      readonly $types: {
        readonly ctx: object
        readonly meta: object
        readonly errorShape: CredenceErrorShape
        readonly transformer: true
      }
      readonly transformer: never
      readonly errorFormatter: never
      readonly allowOutsideOfServer: boolean
      readonly isServer: boolean
      readonly isDev: boolean
      readonly pathSeparator: never
    }
    readonly router: true
    readonly procedures: RouterRecord
    readonly record: RouterRecord
    readonly lazy: never
  }
}
