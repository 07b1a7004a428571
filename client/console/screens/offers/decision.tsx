import { useMutation, useQueryClient } from '@tanstack/react-query'
import { decideOffer } from '../../queries/offers.js'
import { useTexts } from '../../texts/use-texts.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly id: string
  /** The offer that the buttons are about, if a screen has several pairs of buttons. */
  readonly about?: string
}

/** Buttons that approve or reject a deferred offer. */
export function Decision({ id, about }: Props) {
  const { offers: words } = useTexts()
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (approves: boolean) => decideOffer(client, id, approves),
  })
  const named = (what: string) => (about === undefined ? {} : { 'aria-label': words.decisionOf(what, about) })
  return (
    <>
      {decide.isError && <ProblemNote error={decide.error} />}
      <div className="row">
        <button
          type="button"
          className="primary"
          {...named(words.approve)}
          disabled={decide.isPending}
          onClick={() => decide.mutate(true)}
        >
          {words.approve}
        </button>
        <button
          type="button"
          className="danger"
          {...named(words.reject)}
          disabled={decide.isPending}
          onClick={() => decide.mutate(false)}
        >
          {words.reject}
        </button>
      </div>
    </>
  )
}
