import { z } from 'zod'
import { sha256 } from '../../keys/secret-hash.js'
import { type Jwk, thumbprint } from '../../protocol/jose/jws.js'
import type { AttestationStatus } from '../../protocol/openid4vci/attestation-statuses.js'
import type { Attester } from '../../protocol/openid4vci/attester.js'

/** The kinds of attestations that are looked at again: of a wallet, and of its keys. */
export const WATCHED_KINDS = ['wallet', 'key'] as const

/** A JSON column with the statuses of a token request, or of a waiting wallet. */
export const zWatchedStatuses = z.array(
  z.strictObject({
    kind: z.enum(WATCHED_KINDS),
    uri: z.string(),
    idx: z.int(),
    /** ISO 8601; null if the provider names no end. */
    until: z.string().nullable(),
    jwk: z.custom<Jwk>((value) => typeof value === 'object' && value !== null),
    iss: z.string().nullable(),
  }),
)

/** A position in a status list that is looked at again after the issuance, with the signer of the attestation. */
export type WatchedStatus = z.infer<typeof zWatchedStatuses>[number]

/** The statuses as a JSON column; null if there are none. */
export const statusesJson = (statuses: readonly WatchedStatus[]): string | null =>
  statuses.length === 0 ? null : JSON.stringify(statuses)

interface VerifiedAttestation {
  readonly statuses: readonly AttestationStatus[]
  readonly attester: Attester
}

/** The positions of a verified attestation that are looked at again. */
export const watchedOf = (
  { statuses, attester: { jwk, iss } }: VerifiedAttestation,
  kind: WatchedStatus['kind'],
): readonly WatchedStatus[] =>
  statuses
    .filter(({ isLasting }) => isLasting)
    .map(({ uri, idx, until }) => ({ kind, uri, idx, until: until?.toISOString() ?? null, jwk, iss: iss ?? null }))

/** The id of a list. One address has several lists if attestations of several signers name it. */
export const listIdOf = ({ uri, jwk, iss }: Pick<WatchedStatus, 'uri' | 'jwk' | 'iss'>): string =>
  sha256(JSON.stringify([uri, iss, thumbprint(jwk)]))
