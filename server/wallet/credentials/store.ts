import { z } from 'zod'
import type { AuditRecord } from '../../audit/audit.js'
import { recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { type ListPart, listPart } from '../../database/list-position.js'

export interface NewCopy {
  readonly id: string
  readonly compact: string
  readonly kid: string
  readonly keyId: string | null
  readonly privateJwk: string | null
}

export interface NewWalletCredential {
  readonly id: string
  readonly holderId: string
  readonly format: string
  readonly content: string
  readonly createdAt: Date
  readonly copies: readonly NewCopy[]
}

const zStoredCredential = z.strictObject({
  id: z.string(),
  format: z.string(),
  content: z.string(),
  createdAt: z.date(),
  copyId: z.string(),
  compact: z.string(),
  /** DID URL of the key that the copy is bound to. */
  kid: z.string(),
  keyId: z.string().nullable(),
  privateJwk: z.string().nullable(),
})

/** A credential with one of its copies. The vault has encrypted `content`, `compact` and `privateJwk`. */
export type StoredCredential = z.infer<typeof zStoredCredential>

/** Each credential with the copy to use next: a copy that was never presented, otherwise the least recently presented copy. */
const withCopy = fragment`
  SELECT c.id, c.format, c.content, c.created_at AS "createdAt", p.id AS "copyId", p.compact, p.kid, p.key_id AS "keyId",
    p.private_jwk AS "privateJwk"
  FROM wallet_credentials c
  JOIN LATERAL (
    SELECT * FROM wallet_credential_copies w WHERE w.credential_id = c.id
    ORDER BY w.presented_at NULLS FIRST, w.id LIMIT 1) p ON true`

export type WalletCredentialStore = ReturnType<typeof createWalletCredentialStore>

export function createWalletCredentialStore({ prisma, sql }: Database) {
  return {
    insert: (credential: NewWalletCredential, audit: AuditRecord): Promise<void> =>
      prisma.$transaction(async (tx) => {
        const { copies, ...row } = credential
        await tx.walletCredential.create({ data: row })
        await tx.walletCredentialCopy.createMany({ data: copies.map((copy) => ({ ...copy, credentialId: row.id })) })
        await recordAudit(tx, audit)
      }),

    /** Credentials of a holder, newest first. */
    list: (holderId: string, part: ListPart): Promise<StoredCredential[]> =>
      sql(zStoredCredential)`
        ${withCopy} WHERE c.holder_id = ${holderId} ${listPart(fragment`c.created_at`, fragment`c.id`, part)}`,

    async find(holderId: string, id: string): Promise<StoredCredential | undefined> {
      const [row] = await sql(zStoredCredential)`
        ${withCopy} WHERE c.id = ${id} AND c.holder_id = ${holderId}`
      return row
    },

    /** Deletes a credential with its copies. @returns whether the credential existed. */
    remove: (holderId: string, id: string, actor: string): Promise<boolean> =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.walletCredential.deleteMany({ where: { id, holderId } })
        if (count === 0) return false
        await recordAudit(tx, {
          actor,
          action: 'wallet.credential.deleted',
          subject: 'wallet_credential',
          subjectId: id,
        })
        return true
      }),

    async markPresented(copyIds: readonly string[], at: Date): Promise<void> {
      await prisma.walletCredentialCopy.updateMany({
        where: { id: { in: [...copyIds] } },
        data: { presentedAt: at },
      })
    },
  }
}
