import type { StatusReference } from '../../protocol/credential/verification.js'
import type { MdocContent } from '../../protocol/mdoc/mdoc.js'

/** The reference to a mobile document's entry in a status list. The list is requested in CWT format. */
export const statusOf = ({ status }: Pick<MdocContent, 'status'>): readonly StatusReference[] =>
  status === undefined ? [] : [{ ...status, asCwt: true }]
