import type { MdocContent } from '../../../server/protocol/mdoc/content.js'

/**
 * A mobile document as the `dcql` library sees it. Its claims are JSON already, as values are compared (§6.3; RFC 8949 §6.1), so that
 * `selectByClaimsPath` finds them too.
 */
export function mdocDcqlCredential({ doctype, claims }: Pick<MdocContent, 'doctype' | 'claims'>) {
  return {
    credential_format: 'mso_mdoc' as const,
    doctype,
    namespaces: claims,
    cryptographic_holder_binding: true,
  }
}
