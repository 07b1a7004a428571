import type { ClaimsVault, ProtectedClaims } from '../../../keys/claims/vault.js'
import { open, seal } from '../../../protocol/jose/sealed.js'

/** The data of a session, or of a batch of offers, that only its creator and operators see. */
export interface Confidential {
  /** The transaction code of an open offer. */
  readonly txCode?: string
  /** The reason of a cancelled offer or batch. */
  readonly reason?: string
}

/** The sealing key of {@link Confidential} data. */
export const CONFIDENTIAL_KEY = 'offer-confidential'

interface Sealed {
  readonly id: string
  readonly data: Confidential
}

/** Encrypts the confidential data of a session or batch. A row alone therefore reveals no code, even without KEY_ENCRYPTION_KEY. */
export const sealConfidential = (key: Uint8Array, id: string, data: Confidential): string =>
  seal(key, { id, data } satisfies Sealed)

/** Decrypts the confidential data of a session; no data if the text belongs to another session or cannot be decrypted. */
export function openConfidential(key: Uint8Array, id: string, sealed: string | undefined): Confidential {
  const opened = sealed === undefined ? undefined : (open(key, sealed) as Sealed | undefined)
  return opened?.id === id ? opened.data : {}
}

/** The content of the column. */
interface Stored {
  readonly sealed: string
}

/** The columns with sealed data. */
type SealedColumn = 'credential_offer_sessions.confidential' | 'offer_batches.confidential'

const OF_SESSION = 'credential_offer_sessions.confidential'

/** The sealed data of a session or batch in the form for its column; undefined without data. */
export const protectedSealed = (
  claims: Pick<ClaimsVault, 'protect'>,
  id: string,
  sealed: string | undefined,
  column: SealedColumn = OF_SESSION,
): ProtectedClaims | undefined =>
  sealed === undefined ? undefined : claims.protect({ column, id }, { sealed } satisfies Stored)

/** The sealed data of a session or batch, from its column. @throws SecretError if the column cannot be decrypted */
export const revealedSealed = (
  claims: Pick<ClaimsVault, 'reveal'>,
  id: string,
  stored: unknown,
  wrappedKey: string | null,
  column: SealedColumn = OF_SESSION,
): string | undefined => claims.reveal<Stored>({ column, id }, stored, wrappedKey)?.sealed
