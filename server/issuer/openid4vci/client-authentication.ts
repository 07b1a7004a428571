import type { IncomingHttpHeaders } from 'node:http'
import { OAuthError } from '../../protocol/oauth/error.js'

/** Parameters by which a client would authenticate (RFC 6749 §2.3.1, RFC 7521 §4.2). */
const CREDENTIALS = ['client_secret', 'client_assertion'] as const

/**
 * Refuses client authentication that this server does not know: whoever sends it counts on its being checked.
 *
 * @throws OAuthError 401 `invalid_client` (RFC 6749 §5.2)
 */
export function assertKnownAuthentication(
  headers: IncomingHttpHeaders,
  parameters: Readonly<Record<string, string | undefined>>,
): void {
  const sent = /^([\w-]+) /.exec(headers.authorization ?? '')?.[1]
  // A token is no client authentication: it says nothing here.
  const scheme = /^(bearer|dpop)$/i.test(sent ?? '') ? undefined : sent
  const parameter = CREDENTIALS.find((name) => parameters[name] !== undefined)
  if (scheme === undefined && parameter === undefined) return
  throw new OAuthError(
    'invalid_client',
    `Client authentication by ${parameter ?? `Authorization: ${scheme}`} is not supported.`,
    {
      status: 401,
      // §5.2: the challenge names the scheme that the client used.
      ...(scheme === undefined ? {} : { headers: { 'www-authenticate': `${scheme} realm="token"` } }),
    },
  )
}
