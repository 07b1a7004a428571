import type { z } from 'zod'
import { shownRoots } from '../../agent/shown-certificate.js'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import { profileNamed } from '../openid4vp/profiles/profiles.js'
import type { TrustedIssuer, TrustedIssuerStore } from './store.js'
import type { addTrustedIssuer, readCredentialTrust } from './trusted-issuers.contract.js'

/** A trusted issuer in the form of the API. */
export const shownTrustedIssuer = (row: TrustedIssuer): z.input<typeof addTrustedIssuer.output> => ({
  id: row.id,
  issuer: row.issuer,
  ...(row.note === null ? {} : { note: row.note }),
  ...(row.createdBy === null ? {} : { createdBy: row.createdBy }),
  createdAt: row.createdAt.toISOString(),
})

/** Normalizes an issuer's name, so that the list holds no duplicate. */
const asCompared = (issuer: string): string => (issuer.startsWith('did:') ? issuer : new URL(issuer).origin)

/** Dependencies of {@link createTrustedIssuers}. */
export interface TrustedIssuersPorts {
  readonly store: Pick<TrustedIssuerStore, 'add' | 'has' | 'remove'>
  readonly lists: Lists<Pick<TrustedIssuerStore, 'page'>>
  readonly config: Pick<
    Config,
    | 'allowInsecureHttp'
    | 'trustedIssuers'
    | 'trustAnchors'
    | 'statusTrustAnchors'
    | 'verifierTrustAnchors'
    | 'verifierProfile'
  >
  readonly newId: () => string
}

export type TrustedIssuers = ReturnType<typeof createTrustedIssuers>

/** Issuers that operators trust in addition to TRUSTED_ISSUERS. */
export function createTrustedIssuers({ store, lists, config, newId }: TrustedIssuersPorts) {
  return {
    lists,

    /** Whether a DID or an origin was added. */
    has: store.has,

    /**
     * Adds a trusted issuer.
     *
     * @param actor the `sub` of the user; null for the client secret
     * @throws 400 for an origin without TLS, unless ALLOW_INSECURE_HTTP is set; 409 if the issuer is already trusted.
     */
    async add({ issuer, note }: z.output<typeof addTrustedIssuer.input>, actor: string | null): Promise<TrustedIssuer> {
      const compared = asCompared(issuer)
      if (compared.startsWith('http:') && !config.allowInsecureHttp)
        throw errors.badRequest('issuer must begin with https:')
      const added = await store.add({ id: newId(), issuer: compared, note: note ?? null, createdBy: actor })
      if (added === undefined) throw errors.issuerTrusted()
      return added
    },

    /** @throws 404 for an unknown id. */
    async remove(id: string, actor: string | null): Promise<void> {
      if (!(await store.remove(id, actor))) throw errors.trustedIssuerNotFound()
    },

    /** The issuers and roots that the configuration trusts, for credentials and for requests. */
    configured(): z.input<typeof readCredentialTrust.output> {
      const { trustedIssuers, trustAnchors, statusTrustAnchors, verifierTrustAnchors, verifierProfile } = config
      return {
        trustedIssuers: [...(trustedIssuers ?? profileNamed(verifierProfile).trustedIssuers)],
        byDefault: trustedIssuers === undefined,
        credentials: shownRoots('TRUST_ANCHORS', trustAnchors),
        statusLists:
          statusTrustAnchors === trustAnchors ? null : shownRoots('STATUS_TRUST_ANCHORS', statusTrustAnchors),
        verifiers: shownRoots('VERIFIER_TRUST_ANCHORS', verifierTrustAnchors),
      }
    },
  }
}
