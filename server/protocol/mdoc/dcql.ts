import { z } from 'zod'
import type { ClaimsPath } from '../openid4vp/dcql/claims-query.js'
import type { ElementPath } from './present.js'

/** `meta` of a credential query for mobile documents (OpenID4VP 1.0 Appendix B.2.3). */
export const zMdocMeta = z.strictObject({ doctype_value: z.string().min(1, 'must not be empty') })

/** The element that a claims path names: a namespace and an identifier (OpenID4VP 1.0 §7.2); undefined for any other path. */
export function elementPathOf(path: ClaimsPath): ElementPath | undefined {
  const [namespace, identifier] = path
  const isPath = path.length === 2 && typeof namespace === 'string' && typeof identifier === 'string'
  return isPath ? [namespace, identifier] : undefined
}

/** The fault of a component of a claims path into a mobile document (§7.2); undefined if the path is correct. */
export function mdocPathFault(path: ClaimsPath): { readonly position: number; readonly message: string } | undefined {
  if (elementPathOf(path) !== undefined) return undefined
  const other = path.findIndex((component) => typeof component !== 'string')
  const position = other === -1 ? path.length - 1 : other
  return { position, message: 'must be one of exactly two strings, a namespace and an element identifier' }
}
