import type { z } from 'zod'
import { shownRoots } from '../../agent/shown-certificate.js'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Deps } from '../../deps.js'
import { profileNamed } from '../openid4vp/profiles/profile.js'
import type { TrustedIssuer } from './store.js'
import type { addTrustedIssuer, readCredentialTrust } from './trusted-issuers.contract.js'

/** As the API shows it. */
export const shownTrustedIssuer = (row: TrustedIssuer): z.input<typeof addTrustedIssuer.output> => ({
  id: row.id,
  issuer: row.issuer,
  ...(row.note === null ? {} : { note: row.note }),
  ...(row.createdBy === null ? {} : { createdBy: row.createdBy }),
  createdAt: row.createdAt.toISOString(),
})

/** One form for each, so that none is there twice. */
const asCompared = (issuer: string): string => (issuer.startsWith('did:') ? issuer : new URL(issuer).origin)

/**
 * Trusts an issuer from now on.
 *
 * @param actor who does; null for the client secret
 * @throws 400 for an origin without TLS, unless ALLOW_INSECURE_HTTP; 409 where it is trusted already.
 */
export async function addTrusted(
  { config, newId, stores }: Pick<Deps, 'config' | 'newId' | 'stores'>,
  { issuer, note }: z.output<typeof addTrustedIssuer.input>,
  actor: string | null,
): Promise<TrustedIssuer> {
  const compared = asCompared(issuer)
  if (compared.startsWith('http:') && !config.allowInsecureHttp)
    throw errors.badRequest('issuer must begin with https:')
  const added = await stores.trustedIssuers.add({ id: newId(), issuer: compared, note: note ?? null, createdBy: actor })
  if (added === undefined) throw errors.issuerTrusted()
  return added
}

/** Whose credentials and requests the configuration trusts. */
export function credentialTrust(config: Config): z.input<typeof readCredentialTrust.output> {
  const { trustedIssuers, trustAnchors, statusTrustAnchors, verifierTrustAnchors, verifierProfile } = config
  return {
    trustedIssuers: [...(trustedIssuers ?? profileNamed(verifierProfile).trustedIssuers)],
    byDefault: trustedIssuers === undefined,
    credentials: shownRoots('TRUST_ANCHORS', trustAnchors),
    statusLists: statusTrustAnchors === trustAnchors ? null : shownRoots('STATUS_TRUST_ANCHORS', statusTrustAnchors),
    verifiers: shownRoots('VERIFIER_TRUST_ANCHORS', verifierTrustAnchors),
  }
}
