import type { Deps } from '../../deps.js'
import type { CredentialFormat } from '../../formats/format.js'

/**
 * Whether hosted wallets take credentials of a format: those whose issuers nothing but a certificate proves only where
 * TRUST_ANCHORS has roots, since each credential is verified before it is kept.
 */
export const isHeld = ({ config }: Pick<Deps, 'config'>, { verifying }: CredentialFormat): boolean =>
  !verifying.certifiedOnly || config.trustAnchors.length > 0
