import { dateTimeOf } from '../../formats/seconds.js'
import type { WalletCredentialJson } from './credentials.contract.js'
import type { HeldCredential } from './held.js'
import type { HeldStatus } from './statuses.js'

/** A held credential as the API lists it. Times that no date-time can say are left out: they are whatever an issuer has signed. */
export function shownCredential(held: HeldCredential, status: HeldStatus): WalletCredentialJson {
  const { types, issuer, credentialIssuer, configurationId, issuedAt, expiresAt } = held.content
  const [issued, expires] = [dateTimeOf(issuedAt), dateTimeOf(expiresAt)]
  return {
    id: held.id,
    format: held.format,
    type: [...types],
    issuer,
    credentialIssuer,
    configurationId,
    status,
    ...(issued === undefined ? {} : { issuedAt: issued }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    createdAt: held.createdAt.toISOString(),
  }
}
