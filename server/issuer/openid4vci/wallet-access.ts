import type { Context, RequestFacts } from '../../api/context.js'
import { procedureOver, publicProcedure } from '../../api/trpc.js'
import type { Config } from '../../config/config.js'
import { sha256 } from '../../keys/secret-hash.js'
import { OAuthError, type OAuthErrorCode } from '../../protocol/oauth/error.js'
import { type Dpop, dpopChallenge, replayedProof } from './dpop.js'
import { isHaip } from './haip.js'
import { OTHER_CONFIGURATION } from './refusals.js'
import type { Openid4vciStore } from './store.js'
import type { TokenContext } from './tokens/store.js'
import { proofOnce } from './used-once-store.js'

/**
 * An authorization error with its challenges (RFC 6750 §3, RFC 9449 §7.1).
 *
 * @param sent whether the request had a token; without a token, the challenge has no error code (§3.1)
 */
function authorizationError(
  config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'>,
  error: OAuthErrorCode & ('invalid_token' | 'insufficient_scope'),
  description: string,
  sent = true,
): OAuthError {
  const haip = isHaip({ config })
  const reason = sent ? `, error="${error}", error_description="${description}"` : ''
  return new OAuthError(error, description, {
    status: error === 'insufficient_scope' ? 403 : 401,
    headers: {
      'www-authenticate': `${haip ? '' : `Bearer realm="${config.issuerBaseUrl}"${reason}, `}${dpopChallenge(sent ? error : undefined)}`,
    },
  })
}

interface SentToken {
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/**
 * The token of an Authorization header with the scheme Bearer or DPoP. The case of the scheme is ignored (RFC 6750 §2.1, RFC
 * 9449 §7.1).
 */
function sentToken(authorization: string | undefined): SentToken | undefined {
  const [, scheme, token] = /^(Bearer|DPoP) +(\S.*)$/i.exec(authorization ?? '') ?? []
  if (scheme === undefined || token === undefined) return undefined
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer', token }
}

/** RFC 9449 §7.1: at a protected resource, a refused proof causes a 401 with the challenge of the scheme. */
const proofError = ({ error, message, cause }: OAuthError): OAuthError =>
  new OAuthError(error, message, { status: 401, headers: { 'www-authenticate': dpopChallenge(error) }, cause })

/** The parts of a request that access control reads. */
type TokenRequest = Pick<RequestFacts, 'headers' | 'method' | 'path'>

/** Dependencies of {@link createWalletAccess}. */
export interface WalletAccessPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'>
  readonly store: Pick<Openid4vciStore, 'token'>
  readonly dpop: Dpop
  readonly clock: () => Date
}

export type WalletAccess = ReturnType<typeof createWalletAccess>

/** Access control with the tokens of this service's own token endpoint. */
export function createWalletAccess({ config, store, dpop, clock }: WalletAccessPorts) {
  const proofOf = (request: TokenRequest, token: string) => {
    try {
      const proof = dpop.proofOf(request, token)
      return proof === undefined ? undefined : { jkt: proof.jkt, once: proofOnce(proof.jtiHash, proof.expiresAt) }
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown
      throw proofError(thrown)
    }
  }

  const refusal = (description: string) => authorizationError(config, 'invalid_token', description)

  return {
    provideNonce: dpop.provideNonce,

    /**
     * The context of a request's access token. A token that is bound to a key needs a proof by that key. Any other token is a
     * Bearer token (RFC 9449 §7.2).
     *
     * @throws OAuthError 401 `invalid_token`, `invalid_dpop_proof` or `use_dpop_nonce`, each with its challenges
     */
    async tokenOf(request: TokenRequest): Promise<TokenContext> {
      const sent = sentToken(request.headers.authorization)
      if (sent === undefined) throw authorizationError(config, 'invalid_token', 'An access token is needed.', false)
      const { scheme, token } = sent
      const proof = scheme === 'dpop' ? proofOf(request, token) : undefined
      if (scheme === 'dpop' && proof === undefined) throw refusal('The DPoP proof is missing.')
      const now = clock()
      const found = await store.token(sha256(token), proof, now)
      if (found === undefined || found.tokenExpiresAt <= now)
        throw refusal('The access token is unknown or has expired.')
      if ((found.dpopJkt !== null) !== (scheme === 'dpop'))
        throw refusal(`The access token must be sent as ${found.dpopJkt === null ? 'Bearer' : 'DPoP'}.`)
      if (found.dpopJkt === null && isHaip({ config }, found))
        throw refusal('The access token must be bound to a key (HAIP).')
      if (proof !== undefined && found.dpopJkt !== proof.jkt)
        throw refusal('The access token is bound to a key other than the key of the DPoP proof.')
      if (proof !== undefined && !found.proven) throw proofError(replayedProof())
      return found
    },

    /** §8.3.1.1: the error for a token that does not cover a known configuration. */
    otherConfiguration: (): OAuthError => authorizationError(config, 'insufficient_scope', OTHER_CONFIGURATION),
  }
}

/**
 * Requires an access token of this service's own token endpoint, and puts its data into the context. Such a token is
 * valid for one issuance. Tokens of the identity provider are refused here. The management API accepts only tokens of
 * the identity provider.
 */
export const withWalletToken = (access: Pick<WalletAccess, 'provideNonce' | 'tokenOf'>) =>
  publicProcedure.use(async ({ ctx, next }) => {
    access.provideNonce(ctx.responseHeaders)
    return next({ ctx: { token: await access.tokenOf(ctx.request) } })
  })

/** The context of a wallet's operation: the request and its access token. */
export interface WalletContext extends Context {
  readonly token: TokenContext
}

/** The base of procedures whose requests are never encrypted. */
export const walletProcedure = (access: Pick<WalletAccess, 'provideNonce' | 'tokenOf'>) =>
  procedureOver<'wallet', WalletContext>(withWalletToken(access))
