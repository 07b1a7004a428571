import type { MdocContent } from '../../../server/protocol/mdoc/content.js'

/**
 * Converts a mobile document to the input of the `dcql` library. Its claims are already JSON, because values are
 * compared as JSON (§6.3; RFC 8949 §6.1). So the service's own `selectByClaimsPath` can select from the same object.
 */
export function mdocDcqlCredential({ doctype, claims }: Pick<MdocContent, 'doctype' | 'claims'>) {
  return {
    credential_format: 'mso_mdoc' as const,
    doctype,
    namespaces: claims,
    cryptographic_holder_binding: true,
  }
}
