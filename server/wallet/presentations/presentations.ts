import type { z } from 'zod'
import type { Deps } from '../../deps.js'
import { zWalletPresentation } from './presentations.contract.js'
import type { StoredPresentation } from './store.js'

const zContent = zWalletPresentation.omit({ id: true, createdAt: true })

/** A presentation without its claims: whom it went to, what was shown, how it ended. */
export type PresentationContent = z.output<typeof zContent>

/** Remembers a presentation, under the vault's protection. */
export async function recordPresentation(
  deps: Deps,
  holderId: string,
  actor: string,
  content: PresentationContent,
): Promise<void> {
  const id = deps.newId()
  const stored = {
    id,
    holderId,
    content: await deps.vault.protect({ column: 'wallet_presentations.content', id }, JSON.stringify(content)),
    createdAt: deps.clock(),
  }
  const audit = { actor, action: 'wallet.presented', subject: 'wallet_presentation', subjectId: id } as const
  await deps.stores.walletPresentations.insert(stored, audit)
}

export async function shownPresentation(
  deps: Pick<Deps, 'vault'>,
  stored: StoredPresentation,
): Promise<z.input<typeof zWalletPresentation>> {
  const place = { column: 'wallet_presentations.content', id: stored.id } as const
  const content = zContent.parse(JSON.parse(await deps.vault.reveal(place, stored.content)))
  return { ...content, id: stored.id, createdAt: stored.createdAt.toISOString() }
}
