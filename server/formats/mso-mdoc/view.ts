import type { MdocContent } from '../../protocol/mdoc/mdoc.js'
import type { CredentialView } from '../../protocol/openid4vp/query/credential-view.js'
import { selectByPath } from '../../protocol/openid4vp/query/jsonpath/evaluate.js'
import { isDoctypePath } from './querying.js'

/**
 * A mobile document as queries read it: the namespaces with their elements are at the root, and `$.doctype` is the
 * doctype.
 */
export function mdocView({ doctype, claims }: Pick<MdocContent, 'doctype' | 'claims'>): CredentialView {
  return {
    format: 'mso_mdoc',
    root: claims,
    mismatchWith: ({ doctype_value: wanted }) =>
      doctype === wanted
        ? undefined
        : { check: 'doctype_value', path: 'doctype', verdict: 'is not of the doctype_value.' },
    // `$.doctype` selects the doctype, so a namespace with this name cannot be selected.
    select: (path, work) => (isDoctypePath(path) ? [doctype] : selectByPath(path, claims, work)),
  }
}
