import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import type { Vault } from '../../keys/vault.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { zWalletPresentation } from './presentations.contract.js'
import type { StoredPresentation, WalletPresentationStore } from './store.js'

const zContent = zWalletPresentation.omit({ id: true, createdAt: true })

/** A presentation without the values of its claims: the verifier, the credentials, the shown claims and the outcome. */
export type PresentationContent = z.output<typeof zContent>

/** Dependencies of {@link createWalletPresentations}. */
export interface WalletPresentationsPorts {
  readonly store: Pick<WalletPresentationStore, 'insert' | 'removeOld'>
  readonly config: Pick<Config, 'retentionPresentationsDays'>
  readonly lists: Lists<Pick<WalletPresentationStore, 'list'>>
  readonly vault: Vault
  readonly newId: () => string
  readonly clock: () => Date
}

export type WalletPresentations = ReturnType<typeof createWalletPresentations>

/** The presentations of hosted wallets. */
export function createWalletPresentations({ store, config, lists, vault, newId, clock }: WalletPresentationsPorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({
      name: 'remove wallet presentations',
      everyMs: 600_000,
      seconds: config.retentionPresentationsDays * DAY_SECONDS,
      batch: store.removeOld,
    }),
  ]

  return {
    lists,

    /** Deletes old presentations. */
    tasks,

    /** Stores a presentation, encrypted by the vault. */
    async record(holderId: string, actor: string, content: PresentationContent): Promise<void> {
      const id = newId()
      const stored = {
        id,
        holderId,
        content: await vault.protect({ column: 'wallet_presentations.content', id }, JSON.stringify(content)),
        credentialIds: content.credentials.map(({ credentialId }) => credentialId),
        createdAt: clock(),
      }
      const audit = { actor, action: 'wallet.presented', subject: 'wallet_presentation', subjectId: id } as const
      await store.insert(stored, audit)
    },

    /** A presentation in the form of the API. */
    async shown({ id, content, createdAt }: StoredPresentation): Promise<z.input<typeof zWalletPresentation>> {
      const text = await vault.reveal({ column: 'wallet_presentations.content', id }, content)
      return { ...zContent.parse(JSON.parse(text)), id, createdAt: createdAt.toISOString() }
    },
  }
}
