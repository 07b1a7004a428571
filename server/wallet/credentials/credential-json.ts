import type { WalletCredentialJson } from './credentials.contract.js'
import type { HeldCredential } from './held.js'
import type { HeldStatus } from './status.js'

const dateTime = (seconds: number) => new Date(seconds * 1000).toISOString()

/** A held credential as the API lists it. */
export function shownCredential(held: HeldCredential, status: HeldStatus): WalletCredentialJson {
  const { types, issuer, credentialIssuer, configurationId, issuedAt, expiresAt } = held.content
  return {
    id: held.id,
    format: held.format,
    type: [...types],
    issuer,
    credentialIssuer,
    configurationId,
    status,
    ...(issuedAt === undefined ? {} : { issuedAt: dateTime(issuedAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: dateTime(expiresAt) }),
    createdAt: held.createdAt.toISOString(),
  }
}
