import type { IssuerMetadataResult } from '@openid4vc/openid4vci'
import type { OutboundFetch } from '../../outbound/guard.js'
import { MAX_COMPACT_LENGTH } from '../../protocol/jose/compact.js'

/** Room for the members of an answer beside its credentials. */
const OTHER_MEMBERS = 65_536

/**
 * Limit in bytes for the answer of an issuer: every credential that this service verifies fits, once for each copy.
 *
 * @param copies requested copies; a credential that is bound to no key comes once
 */
export const maxAnswerBytes = (copies: number): number => Math.max(copies, 1) * MAX_COMPACT_LENGTH + OTHER_MEMBERS

/**
 * A fetch with a limit of its own for answers with credentials. All other answers have the usual limit.
 *
 * base64url makes an encrypted answer longer by a third (RFC 7516 §7.1). Drafts send one copy, some of them in two members.
 */
export function fetchingAnswers(
  fetch: OutboundFetch,
  { credentialIssuer }: Pick<IssuerMetadataResult, 'credentialIssuer'>,
  copies: number,
): OutboundFetch {
  const endpoints = [credentialIssuer.credential_endpoint, credentialIssuer.deferred_credential_endpoint]
  const maxBytes = Math.ceil((maxAnswerBytes(Math.max(copies, 2)) * 4) / 3)
  return (input, init) => fetch(input, endpoints.includes(String(input)) ? { ...init, maxBytes } : init)
}
