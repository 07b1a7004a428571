import type { Database } from '../../database/connect.js'

export interface CredentialRecord {
  readonly id: string
  readonly vc: Record<string, unknown>
}

export type CredentialStore = ReturnType<typeof createCredentialStore>

export function createCredentialStore({ prisma, sql }: Database) {
  return {
    /**
     * A credential that belongs to a caller: made, claimed or signed by them, or held by one of their DIDs (those of
     * their token and of their holders).
     */
    async findOwned(id: string, sub: string, tokenDids: readonly string[]): Promise<CredentialRecord | undefined> {
      const [row] = await sql<CredentialRecord>`
        SELECT c.id, c.vc FROM credentials c
        WHERE c.id = ${id} AND (
          c.owner = ${sub} OR c.holder_did = ANY(${[...tokenDids]}::text[])
          OR EXISTS (SELECT 1 FROM dids d JOIN holders h ON h.id = d.holder_id WHERE d.did = c.holder_did AND h.created_by = ${sub}))`
      return row
    },

    /**
     * Revokes a credential and every instance of it, tells its status lists, and writes the audit row, in one statement.
     * A second time nothing changes. The record is locked by a statement before it: what a wallet takes at that moment
     * is otherwise recorded too late to be seen, and stays good.
     *
     * @returns whether the credential exists.
     */
    async revoke(id: string, now: Date, actor: string | null): Promise<boolean> {
      const lock = prisma.$queryRaw`SELECT id FROM credentials WHERE id = ${id} FOR NO KEY UPDATE`
      const revoke = prisma.$queryRaw<{ id: string }[]>`
        WITH revoked AS (
          UPDATE credentials SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL RETURNING id),
        instances AS (
          UPDATE credential_instances i SET revoked_at = ${now} FROM revoked
          WHERE i.credential_id = revoked.id AND i.revoked_at IS NULL RETURNING i.status_list_id),
        lists AS (
          UPDATE status_lists SET version = version + 1
          WHERE id IN (SELECT id FROM status_lists WHERE id IN (SELECT status_list_id FROM instances) ORDER BY id FOR NO KEY UPDATE)),
        audited AS (
          INSERT INTO audit_events (actor, action, subject, subject_id)
          SELECT ${actor}, 'credential.revoked', 'credential', id FROM revoked)
        SELECT id FROM credentials WHERE id = ${id}`
      const [, rows] = await prisma.$transaction([lock, revoke])
      return rows.length > 0
    },
  }
}
