import type { Context, RequestFacts } from '../../api/context.js'
import { procedureOver, publicProcedure } from '../../api/trpc.js'
import type { Config } from '../../config/config.js'
import { DPOP_ALGORITHMS, type DpopProof, verifyDpopProof } from '../../protocol/oauth/dpop.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { Seals } from './sealed.js'
import { proofOnce, type UsedOnce } from './used-once-store.js'

/** What {@link createDpop} is made of. */
export interface DpopPorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly seals: Pick<Seals, 'dpopNonce' | 'isDpopNonce'>
  readonly clock: () => Date
}

export type Dpop = ReturnType<typeof createDpop>

/** DPoP proofs (RFC 9449) of requests, and the nonces for them. */
export function createDpop({ config, seals, clock }: DpopPorts) {
  return {
    /** Gives the wallet a fresh nonce for its next DPoP proof, with whatever the answer will be (RFC 9449 §8.2). */
    provideNonce(responseHeaders: Map<string, string>): void {
      responseHeaders.set('dpop-nonce', seals.dpopNonce())
    },

    /**
     * The DPoP proof of a request, verified; undefined where it has none. Whether it was used before is checked by the
     * SQL statement of the request.
     *
     * @param accessToken that the request brings, at a protected resource
     * @throws OAuthError `invalid_dpop_proof` or `use_dpop_nonce`
     */
    proofOf(
      { headers, method, path }: Pick<RequestFacts, 'headers' | 'method' | 'path'>,
      accessToken?: string,
    ): DpopProof | undefined {
      const sent = headers.dpop
      if (sent === undefined) return undefined
      return verifyDpopProof([sent].flat().join(', '), {
        method,
        // RFC 9449 §4.3: the public address from the configuration, not the one from Host or proxy headers.
        url: `${config.issuerBaseUrl}${path}`,
        ...(accessToken === undefined ? {} : { accessToken }),
        now: clock(),
        isNonce: seals.isDpopNonce,
      })
    },
  }
}

/** Endpoints that take DPoP proofs, and the one for nonces: every answer brings a fresh nonce, also one to a request that cannot be read. */
export const dpopProcedure = (dpop: Pick<Dpop, 'provideNonce'>) =>
  procedureOver<'public', Context>(
    publicProcedure.use(({ ctx, next }) => {
      dpop.provideNonce(ctx.responseHeaders)
      return next()
    }),
  )

/** Proofs that may be used only once: the client attestation proof and the DPoP proof. */
export const usedProofs = (
  { proofs }: { readonly proofs: readonly UsedOnce[] },
  dpop: DpopProof | undefined,
): UsedOnce[] => [...proofs, ...(dpop === undefined ? [] : proofOnce(dpop.jtiHash, dpop.expiresAt))]

/** The error for a repeated proof. For an attested client the repeated one may be its attestation proof. */
export function replayedProof(client?: { readonly instanceJkt: string | null }): OAuthError {
  if (client === undefined || client.instanceJkt === null)
    return new OAuthError('invalid_dpop_proof', 'The DPoP proof has been used already.')
  return new OAuthError(
    'invalid_client',
    'The proof of the wallet attestation, or the DPoP proof, has been used already.',
    {
      status: 401,
    },
  )
}

/** The challenge of a protected resource (RFC 9449 §7.1). */
export const dpopChallenge = (error?: string): string =>
  `DPoP ${error === undefined ? '' : `error="${error}", `}algs="${DPOP_ALGORITHMS.join(' ')}"`
