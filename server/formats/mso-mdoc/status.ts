import type { StatusReference } from '../../protocol/credential/verification.js'
import type { MdocContent } from '../../protocol/mdoc/mdoc.js'

/** The place of a mobile document's status: a list in CWT format. */
export const statusOf = ({ status }: Pick<MdocContent, 'status'>): readonly StatusReference[] =>
  status === undefined ? [] : [{ ...status, asCwt: true }]
