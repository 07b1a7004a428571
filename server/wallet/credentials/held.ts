import { z } from 'zod'
import { type Config, certifiesIssuers } from '../../config/config.js'
import type { CredentialFormat } from '../../formats/format.js'
import type { Vault } from '../../keys/vault.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { isObject } from '../../protocol/json/json-object.js'
import { zDescription } from './description.js'
import type { StoredCredential } from './store.js'

const zContent = z.object({
  /** Its origin: credential issuer identifier and configuration (OpenID4VCI 1.0 §12.2). */
  credentialIssuer: z.string(),
  configurationId: z.string(),
  /** `vct` of an SD-JWT VC, `type` of a JWT VC, doctype of a mobile document. */
  types: z.array(z.string()),
  issuer: z.string(),
  /** The key that the issuer signed with, as found when the wallet received the credential. */
  issuerKey: z.object({
    jwk: z.custom<Jwk>((value) => isObject(value)),
    issuer: z.string(),
    kid: z.string().exactOptional(),
    /** The key that certified the key of the issuer. */
    authority: z.custom<Jwk>((value) => isObject(value)).exactOptional(),
  }),
  /** Seconds since the epoch. */
  issuedAt: z.number().exactOptional(),
  expiresAt: z.number().exactOptional(),
  /** True if the credential is bound to no key: the key of its copy proves nothing. */
  unbound: z.literal(true).exactOptional(),
  /** How the issuer described the credential when it issued it. Absent for credentials of earlier versions of the service. */
  description: zDescription.exactOptional(),
})

/** Properties of a held credential that are stored beside its compact form. */
export type HeldContent = z.output<typeof zContent>

/** A decrypted credential of a hosted wallet, with the copy to use next. */
export interface HeldCredential extends Omit<StoredCredential, 'content'> {
  readonly content: HeldContent
}

/** Decrypts a stored credential. */
export async function openCredential(vault: Pick<Vault, 'reveal'>, stored: StoredCredential): Promise<HeldCredential> {
  const [content, compact] = await Promise.all([
    vault.reveal({ column: 'wallet_credentials.content', id: stored.id }, stored.content),
    vault.reveal({ column: 'wallet_credential_copies.compact', id: stored.copyId }, stored.compact),
  ])
  return { ...stored, content: zContent.parse(JSON.parse(content)), compact }
}

/**
 * Whether hosted wallets accept credentials of a format. Each credential is verified before it is stored. In some
 * formats, only certificates prove the issuer. Credentials of these formats are accepted only if there are roots or
 * trusted lists.
 */
export const isHeld = (config: Pick<Config, 'trustAnchors' | 'listed'>, { verifying }: CredentialFormat): boolean =>
  !verifying.certifiedOnly || certifiesIssuers(config)
