import type { z } from 'zod'
import { INEXACT, inexactNumbers } from '../protocol/json/exact-numbers.js'
import type { RouteMeta } from './contract.js'

/** Whether what comes is JSON by the interface, which may be kept or signed. Wallets send what their standards say. */
const isKept = ({ openapi, rest: { kind } }: RouteMeta): boolean =>
  kind !== 'protocol' && kind !== 'page' && openapi?.method !== 'GET'

/**
 * The input of a contract, whose numbers must be those that were sent: integers beyond ±(2^53 − 1) and `1e400` are read as others
 * (RFC 8259 §6, RFC 7493 §2.2). Other faults are told first.
 */
export function exactInput(meta: RouteMeta, input: z.ZodType): z.ZodType {
  if (!isKept(meta)) return input
  return input.check(({ value, issues }) => {
    if (issues.length > 0) return
    for (const path of inexactNumbers(value))
      issues.push({ code: 'custom', message: INEXACT, input: value, path: [...path] })
  })
}
