import { z } from 'zod'
import type { Deps } from '../../deps.js'
import { decodeJwt, type StatusReference } from '../../protocol/credential/verification.js'
import { authorityKeyIdentifier } from '../../protocol/issuer-keys/authority-key-identifier.js'
import { readX5c } from '../../protocol/issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { readBitstringEntry, statusEntriesOf, vcClaimOf, vcObjectOf } from '../../protocol/jwt-vc/vc.js'
import { splitSdJwt } from '../../protocol/sd-jwt-vc/compact.js'
import { processDisclosures } from '../../protocol/sd-jwt-vc/disclosures.js'
import type { StoredCredential, WalletFormat } from './store.js'

const zContent = z.object({
  /** Where it was taken: credential issuer identifier and configuration (OpenID4VCI 1.0 §12.2). */
  credentialIssuer: z.string(),
  configurationId: z.string(),
  /** `vct` of an SD-JWT VC, `type` of a JWT VC. */
  types: z.array(z.string()),
  issuer: z.string(),
  /** The key that the issuer signed with, as it was found when the credential was taken. */
  issuerKey: z.object({
    jwk: z.custom<Jwk>((value) => isObject(value)),
    issuer: z.string(),
    kid: z.string().exactOptional(),
  }),
  /** Seconds since the epoch. */
  issuedAt: z.number().exactOptional(),
  expiresAt: z.number().exactOptional(),
})

/** What is known of a held credential without looking into it. */
export type HeldContent = z.output<typeof zContent>

/** A credential of a hosted wallet, in the clear, with the copy that is to be used next. */
export interface HeldCredential extends Omit<StoredCredential, 'content'> {
  readonly content: HeldContent
}

/** Opens what the vault protects. */
export async function openCredential(deps: Deps, stored: StoredCredential): Promise<HeldCredential> {
  const { vault } = deps
  const [content, compact] = await Promise.all([
    vault.reveal({ column: 'wallet_credentials.content', id: stored.id }, stored.content),
    vault.reveal({ column: 'wallet_credential_copies.compact', id: stored.copyId }, stored.compact),
  ])
  return { ...stored, content: zContent.parse(JSON.parse(content)), compact }
}

/** The claims that its holder sees: those of the SD-JWT with every disclosure, or the W3C credential. */
export function claimsOf(format: WalletFormat, compact: string): JsonObject {
  if (format === 'jwt_vc_json') {
    const { proof: _, ...vc } = vcObjectOf(compact)
    return vc
  }
  const { issuerJwt, disclosures } = splitSdJwt(compact)
  return processDisclosures(decodeJwt(issuerJwt, 'Credential').payload, disclosures).claims
}

/** Key identifiers of the authorities in a credential's certificate chain, base64url (OpenID4VP 1.0 §6.1.1.1). */
export function authorityKeyIdentifiers(format: WalletFormat, compact: string): readonly string[] {
  const { x5c } = decodeJwt(format === 'dc+sd-jwt' ? splitSdJwt(compact).issuerJwt : compact, 'Credential').header
  if (x5c === undefined) return []
  try {
    return readX5c(x5c).flatMap((certificate) => authorityKeyIdentifier(certificate) ?? [])
  } catch (thrown) {
    if (thrown instanceof IssuerKeyError) return []
    throw thrown
  }
}

/** Where the status of a compact credential, verified when it was taken, is to be read. */
export function statusReferencesOf(format: WalletFormat, compact: string): readonly StatusReference[] {
  if (format === 'jwt_vc_json') {
    return statusEntriesOf(vcClaimOf(decodeJwt(compact, 'Credential').payload)).map(readBitstringEntry)
  }
  const { status } = decodeJwt(splitSdJwt(compact).issuerJwt, 'Credential').payload
  const list = isObject(status) ? status.status_list : undefined
  if (!isObject(list) || typeof list.uri !== 'string' || typeof list.idx !== 'number') return []
  return [{ uri: list.uri, idx: list.idx }]
}
