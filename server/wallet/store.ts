import type { PrismaClient } from '../generated/prisma/client.js'

/** A column whose values the vault protects. */
type ProtectedColumn =
  | 'wallet_credentials.content'
  | 'wallet_credential_copies.compact'
  | 'wallet_credential_copies.private_jwk'
  | 'wallet_presentations.content'
  | 'flows.content'

export type WalletSecretStore = ReturnType<typeof createWalletSecretStore>

/** All that hosted wallets keep under KEY_ENCRYPTION_KEY, for its re-encryption under a new one. */
export function createWalletSecretStore(prisma: PrismaClient) {
  return {
    /** `[column, id, stored]` */
    async allProtected(): Promise<readonly (readonly [ProtectedColumn, string, string])[]> {
      const [credentials, copies, presentations, flows] = await Promise.all([
        prisma.walletCredential.findMany({ select: { id: true, content: true } }),
        prisma.walletCredentialCopy.findMany({ select: { id: true, compact: true, privateJwk: true } }),
        prisma.walletPresentation.findMany({ select: { id: true, content: true } }),
        prisma.flow.findMany({ select: { id: true, content: true } }),
      ])
      return [
        ...credentials.map((row) => ['wallet_credentials.content', row.id, row.content] as const),
        ...copies.map((row) => ['wallet_credential_copies.compact', row.id, row.compact] as const),
        ...copies.flatMap((row) =>
          row.privateJwk === null ? [] : [['wallet_credential_copies.private_jwk', row.id, row.privateJwk] as const],
        ),
        ...presentations.map((row) => ['wallet_presentations.content', row.id, row.content] as const),
        ...flows.map((row) => ['flows.content', row.id, row.content] as const),
      ]
    },

    /** Replaces a protected value only where it is still the one that was read. */
    async replaceProtected(column: ProtectedColumn, id: string, from: string, to: string): Promise<void> {
      switch (column) {
        case 'wallet_credentials.content':
          await prisma.walletCredential.updateMany({ where: { id, content: from }, data: { content: to } })
          return
        case 'wallet_credential_copies.compact':
          await prisma.walletCredentialCopy.updateMany({ where: { id, compact: from }, data: { compact: to } })
          return
        case 'wallet_credential_copies.private_jwk':
          await prisma.walletCredentialCopy.updateMany({ where: { id, privateJwk: from }, data: { privateJwk: to } })
          return
        case 'wallet_presentations.content':
          await prisma.walletPresentation.updateMany({ where: { id, content: from }, data: { content: to } })
          return
        case 'flows.content':
          await prisma.flow.updateMany({ where: { id, content: from }, data: { content: to } })
      }
    },
  }
}
