import type { AnyProcedure, AnyRouter } from '@trpc/server'
import type { z } from 'zod'
import type { ProcedureMeta } from '../../server/api/contract.js'
import { appRouter, restRouter } from '../support/contracts.js'

/** One procedure of the service with its whole contract. */
export interface ContractedProcedure {
  readonly name: string
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly meta: ProcedureMeta | undefined
  readonly inputs: readonly z.core.$ZodType[]
  readonly output: z.core.$ZodType | undefined
  readonly middlewares: readonly unknown[]
}

function proceduresOf(router: AnyRouter): ContractedProcedure[] {
  return Object.entries<AnyProcedure>(router._def.procedures).map(([name, procedure]) => {
    // The types of tRPC leave most of this out.
    const { type, meta, inputs, output, middlewares } = procedure._def as unknown as Omit<ContractedProcedure, 'name'>
    return { name, type, meta, inputs, output, middlewares }
  })
}

/** Every procedure of the service. */
export const allProcedures = proceduresOf(restRouter)

/** Procedures that typed clients call on `/trpc`. */
export const calledProcedures = proceduresOf(appRouter)
