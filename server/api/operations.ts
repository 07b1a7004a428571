import type { ProcedureMeta, RouteAccess } from './contract.js'

/** The part of a router that says who may call its procedures. */
interface Contracted {
  readonly _def: { readonly procedures: object }
}

/** The access of each procedure by its name, as the contracts have it. A name is `router.procedure`. */
export const accessOfOperations = ({ _def: { procedures } }: Contracted): ReadonlyMap<string, RouteAccess> =>
  new Map(
    Object.entries(procedures).flatMap(([name, { _def }]: [string, { _def: { meta?: ProcedureMeta } }]) => {
      const access = _def.meta?.rest?.access
      return access === undefined ? [] : [[name, access] as const]
    }),
  )
