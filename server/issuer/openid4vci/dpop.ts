import type { Context, RequestFacts } from '../../api/context.js'
import { procedureOver, publicProcedure } from '../../api/trpc.js'
import type { Config } from '../../config/config.js'
import { DPOP_ALGORITHMS, type DpopProof, verifyDpopProof } from '../../protocol/oauth/dpop.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { Seals } from './sealed.js'
import { proofOnce, type UsedOnce } from './used-once-store.js'

/** Dependencies of {@link createDpop}. */
export interface DpopPorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly seals: Pick<Seals, 'dpopNonce' | 'isDpopNonce'>
  readonly clock: () => Date
}

export type Dpop = ReturnType<typeof createDpop>

/** Reads the DPoP proofs (RFC 9449) of requests, and makes nonces for them. */
export function createDpop({ config, seals, clock }: DpopPorts) {
  return {
    /** Adds a fresh nonce for the wallet's next DPoP proof to every answer (RFC 9449 §8.2). */
    provideNonce(responseHeaders: Map<string, string>): void {
      responseHeaders.set('dpop-nonce', seals.dpopNonce())
    },

    /**
     * The verified DPoP proof of a request; undefined for a request without a proof. The SQL statement of the request
     * checks that the proof was not used before.
     *
     * @param accessToken the access token of the request, at a protected resource
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
        // RFC 9449 §4.3: the public URL from the configuration, not the URL from Host or proxy headers.
        url: `${config.issuerBaseUrl}${path}`,
        ...(accessToken === undefined ? {} : { accessToken }),
        now: clock(),
        isNonce: seals.isDpopNonce,
      })
    },
  }
}

/**
 * The base of procedures for the nonce endpoint and for endpoints that accept DPoP proofs. Every answer contains a
 * fresh nonce, even the answer to an unreadable request.
 */
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

/** The error for a repeated proof. For an attested client, the repeated proof may be its attestation proof. */
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
