import type { MdocContent } from '../../../server/protocol/mdoc/content.js'

/**
 * A mobile document in the form of the `dcql` library. Its claims are JSON already, because values are compared as JSON (§6.3;
 * RFC 8949 §6.1). `selectByClaimsPath` therefore finds them too.
 */
export function mdocDcqlCredential({ doctype, claims }: Pick<MdocContent, 'doctype' | 'claims'>) {
  return {
    credential_format: 'mso_mdoc' as const,
    doctype,
    namespaces: claims,
    cryptographic_holder_binding: true,
  }
}
