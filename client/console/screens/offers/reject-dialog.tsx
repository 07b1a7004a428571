import { useQueryClient } from '@tanstack/react-query'
import { type DecisionOutcome, decideOffers } from '../../queries/offers.js'
import { useTexts } from '../../texts/use-texts.js'
import { ReasonDialog } from './reason-dialog.js'

interface Props {
  readonly ids: readonly string[]
  /** Receives the offers that could not be rejected. */
  readonly onDone: (failed: readonly DecisionOutcome[]) => void
  readonly onClose: () => void
}

/** Asks before deferred offers are rejected. */
export function RejectDialog({ ids, onDone, onClose }: Props) {
  const { offers: words } = useTexts()
  const client = useQueryClient()
  return (
    <ReasonDialog
      title={words.rejectTitle(ids.length)}
      text={words.rejectText}
      action={words.reject}
      act={async (given) => onDone(await decideOffers(client, { decision: 'reject', ids: [...ids], ...given }))}
      onClose={onClose}
    />
  )
}
