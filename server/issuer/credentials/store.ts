import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { storedClaims } from '../../database/row-shapes.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import { type Remains, remainsColumn, remainsShape } from '../issuance/remains-store.js'

const zCredentialRecord = z.strictObject({
  id: z.string(),
  vc: storedClaims,
  vcKey: z.string().nullable(),
  remains: remainsShape,
})

/** A credential: its object, or the remains after the erasure of its claims. */
export interface CredentialRecord {
  readonly id: string
  readonly vc: Readonly<Record<string, unknown>> | null
  readonly remains: Remains | null
}

const zRevocation = z.strictObject({ exists: z.boolean() })

export type CredentialStore = ReturnType<typeof createCredentialStore>

export function createCredentialStore({ sql }: Database, claims: ClaimsVault) {
  return {
    /**
     * A credential of a caller: the caller created, claimed or signed it, or one of the caller's DIDs holds it. The caller's
     * DIDs are in the token or belong to the caller's holders.
     */
    async findOwned(id: string, sub: string, tokenDids: readonly string[]): Promise<CredentialRecord | undefined> {
      const [row] = await sql(zCredentialRecord)`
        SELECT c.id, c.vc, ${claims.keyOf('credentials.vc', fragment`c.id`)} AS "vcKey", ${remainsColumn}
        FROM credentials c JOIN schemas s ON s.id = c.schema_id
        WHERE c.id = ${id} AND (
          c.owner = ${sub} OR c.holder_did = ANY(${[...tokenDids]}::text[])
          OR EXISTS (SELECT 1 FROM dids d JOIN holders h ON h.id = d.holder_id WHERE d.did = c.holder_did AND h.created_by = ${sub}))`
      if (row === undefined) return undefined
      const { vcKey, ...record } = row
      return { ...record, vc: claims.reveal({ column: 'credentials.vc', id: row.id }, row.vc, vcKey) }
    },

    /**
     * Revokes a credential and all its instances, gives its status lists a new version, and writes the audit row. The database
     * function `revoke_credential` does it. A repeated call changes nothing.
     *
     * @returns whether the credential exists
     */
    async revoke(id: string, now: Date, actor: string | null): Promise<boolean> {
      const [row] = await sql(zRevocation)`
        SELECT revoke_credential(${id}, ${now}, ${actor}) AS exists`
      return row?.exists === true
    },
  }
}
