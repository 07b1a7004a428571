import { useMutation, useQueryClient } from '@tanstack/react-query'
import { approveOffer } from '../../queries/offers.js'
import { useTexts } from '../../texts/use-texts.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly id: string
  /** The offer that the buttons are about, if a screen has several pairs of buttons. */
  readonly about?: string
  /** Asks before the rejection. */
  readonly onReject: () => void
}

/** Buttons that approve or reject a deferred offer. */
export function Decision({ id, about, onReject }: Props) {
  const { offers: words } = useTexts()
  const client = useQueryClient()
  const approve = useMutation({ mutationFn: () => approveOffer(client, id) })
  const isAlone = about === undefined
  // In a list, the button for all chosen offers is the primary one.
  const look = isAlone ? 'primary' : undefined
  const named = (what: string) => (isAlone ? {} : { 'aria-label': words.decisionOf(what, about) })
  return (
    <>
      {approve.isError && <ProblemNote error={approve.error} />}
      <div className="row">
        <button
          type="button"
          className={look}
          {...named(words.approve)}
          disabled={approve.isPending}
          onClick={() => approve.mutate()}
        >
          {words.approve}
        </button>
        <button
          type="button"
          className={isAlone ? 'danger' : 'quiet danger'}
          {...named(words.reject)}
          disabled={approve.isPending}
          onClick={onReject}
        >
          {words.reject}
        </button>
      </div>
    </>
  )
}
