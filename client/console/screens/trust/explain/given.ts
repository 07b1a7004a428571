import type { ToExplain } from '../../../queries/trust-lists.js'

/** Whether a text has certificates: PEM, or base64 of DER, which begins with the tag of a SEQUENCE. */
const hasCertificates = (text: string): boolean =>
  /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(text) || /^MI/.test(text)

/** The certificates or the credential in a text. E-mail programs add line breaks to a credential. */
export function givenIn(text: string): Pick<ToExplain, 'certificate' | 'credential'> {
  const trimmed = text.trim()
  return hasCertificates(trimmed) ? { certificate: trimmed } : { credential: trimmed.replaceAll(/\s+/g, '') }
}
