/**
 * The CSP source for `form-action`. Browsers also apply this source to the redirect after the form. The source is an
 * origin. For an app's URL and for an IPv6 host the source is a scheme, because CSP has no other source for these (CSP
 * Level 3 §2.3.1).
 */
export function formActionOf(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri)
  const isOrigin = (protocol === 'https:' || protocol === 'http:') && !hostname.startsWith('[')
  return isOrigin ? origin : protocol
}
