import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { json } from '../../database/row-shapes.js'

const zCredentialRecord = z.strictObject({ id: z.string(), vc: json() })

export type CredentialRecord = z.infer<typeof zCredentialRecord>

const zRevocation = z.strictObject({ exists: z.boolean() })

export type CredentialStore = ReturnType<typeof createCredentialStore>

export function createCredentialStore({ sql }: Database) {
  return {
    /**
     * A credential that belongs to a caller: made, claimed or signed by them, or held by one of their DIDs (those of
     * their token and of their holders).
     */
    async findOwned(id: string, sub: string, tokenDids: readonly string[]): Promise<CredentialRecord | undefined> {
      const [row] = await sql(zCredentialRecord)`
        SELECT c.id, c.vc FROM credentials c
        WHERE c.id = ${id} AND (
          c.owner = ${sub} OR c.holder_did = ANY(${[...tokenDids]}::text[])
          OR EXISTS (SELECT 1 FROM dids d JOIN holders h ON h.id = d.holder_id WHERE d.did = c.holder_did AND h.created_by = ${sub}))`
      return row
    },

    /**
     * Revokes a credential and every instance of it, tells its status lists, and writes the audit row, by the database's
     * function of that name. A second time nothing changes.
     *
     * @returns whether the credential exists.
     */
    async revoke(id: string, now: Date, actor: string | null): Promise<boolean> {
      const [row] = await sql(zRevocation)`
        SELECT revoke_credential(${id}, ${now}, ${actor}) AS exists`
      return row?.exists === true
    },
  }
}
