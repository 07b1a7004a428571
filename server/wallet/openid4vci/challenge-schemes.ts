/** A scheme at the beginning of a challenge: at the start or after a comma, and not a parameter name (RFC 9110 §11.6.1). */
const SCHEME = /(^|,)(\s*)(dpop|bearer|basic)(?=\s*(?:,|$)|\s+[^\s=,])/gi

const QUOTED = /"(?:[^"\\]|\\.)*"/g

const SPELLINGS: Readonly<Record<string, string>> = { dpop: 'DPoP', bearer: 'Bearer', basic: 'Basic' }

/**
 * Writes the known schemes in `WWW-Authenticate` as the library expects them. The library compares schemes
 * case-sensitively, although schemes are case-insensitive (RFC 9110 §11.1).
 */
export function withKnownSchemes(header: string): string {
  const quoted: string[] = []
  // Quoted text is never a scheme.
  const bare = header.replace(QUOTED, (text) => `"${quoted.push(text) - 1}"`)
  const spelled = bare.replace(
    SCHEME,
    (_, comma: string, space: string, scheme: string) => `${comma}${space}${SPELLINGS[scheme.toLowerCase()] ?? scheme}`,
  )
  return spelled.replace(/"(\d+)"/g, (_, at: string) => quoted[Number(at)] ?? '')
}

const CHALLENGES = 'www-authenticate'

/** A fetch that writes the schemes of challenges as the library expects them. */
export function schemeNormalizing(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init)
    const challenges = answer.headers.get(CHALLENGES)
    if (challenges === null || withKnownSchemes(challenges) === challenges) return answer
    const headers = new Headers(answer.headers)
    headers.set(CHALLENGES, withKnownSchemes(challenges))
    const { status, statusText } = answer
    return new Response(answer.body, { status, statusText, headers })
  }
}
