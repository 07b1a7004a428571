import type { Branding } from '../../agent/branding.js'
import type { DisplayEntry } from '../../agent/store.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { imageUri } from '../../protocol/stored-image.js'

/** Names, logos and links of a verifier. */
export interface VerifierFace {
  readonly display: readonly DisplayEntry[]
  readonly branding: Branding | null
}

/** The member of a name or logo in a language (RFC 7591 §2.2): `client_name#de`. The first entry also has the member without a language. */
function named(member: string, entries: readonly (readonly [locale: string | undefined, value: string])[]): JsonObject {
  const [first] = entries
  if (first === undefined) return {}
  const tagged = entries.flatMap(([locale, value]) => (locale === undefined ? [] : [[`${member}#${locale}`, value]]))
  return { [member]: first[1], ...(entries.length === 1 ? {} : Object.fromEntries(tagged)) }
}

/**
 * The client metadata by which people recognize a verifier (RFC 7591 §2): `client_name`, `logo_uri`, `policy_uri`, `tos_uri`. Logos in
 * `data:` URIs are left out, because they can be longer than the rest of the request.
 *
 * @param baseUrl the base URL of the verifier, for images of this service
 */
export function clientNames({ display, branding }: VerifierFace, baseUrl: string): JsonObject {
  const logos = display.flatMap(({ locale, logo }) =>
    logo === undefined || logo.uri.startsWith('data:') ? [] : [[locale, imageUri(logo.uri, baseUrl)] as const],
  )
  const { privacyUri, termsUri } = branding ?? {}
  return {
    ...named(
      'client_name',
      display.map(({ locale, name }) => [locale, name] as const),
    ),
    ...named('logo_uri', logos),
    ...(privacyUri === undefined ? {} : { policy_uri: privacyUri }),
    ...(termsUri === undefined ? {} : { tos_uri: termsUri }),
  }
}
