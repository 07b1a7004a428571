import type { z } from 'zod'
import { INEXACT, inexactNumbers } from '../protocol/json/exact-numbers.js'
import type { RouteMeta } from './contract.js'

/**
 * True if this API defines the input. Such JSON may be stored or signed. For routes that wallets call, standards define
 * the input.
 */
const isKept = ({ openapi, rest: { kind } }: RouteMeta): boolean =>
  kind !== 'protocol' && kind !== 'page' && openapi?.method !== 'GET'

/**
 * Adds a check to a contract's input: each number must still have the value that the client sent. JavaScript changes
 * integers beyond ±(2^53 − 1) and `1e400` to other numbers (RFC 8259 §6, RFC 7493 §2.2). If the input has faults of a
 * different kind, only these faults are reported.
 */
export function exactInput(meta: RouteMeta, input: z.ZodType): z.ZodType {
  if (!isKept(meta)) return input
  return input.check(({ value, issues }) => {
    if (issues.length > 0) return
    for (const path of inexactNumbers(value))
      issues.push({ code: 'custom', message: INEXACT, input: value, path: [...path] })
  })
}
