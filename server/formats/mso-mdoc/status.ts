import type { StatusReference } from '../../protocol/credential/verification.js'
import type { MdocContent } from '../../protocol/mdoc/mdoc.js'

/** Where the status of a mobile document is to be read: in a list that is a CWT. */
export const statusOf = ({ status }: Pick<MdocContent, 'status'>): readonly StatusReference[] =>
  status === undefined ? [] : [{ ...status, asCwt: true }]
