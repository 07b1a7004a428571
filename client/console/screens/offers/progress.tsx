import { useMutation } from '@tanstack/react-query'
import type { OfferSession } from '../../queries/offers.js'
import { credence } from '../../service.js'
import type { Texts } from '../../texts/texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { type Step, Timeline } from '../../ui/timeline.js'

/** What became of an offer so far, and what it waits for. */
export function Progress({ sessions }: { readonly sessions: readonly OfferSession[] }) {
  const { offers: words, common } = useTexts()
  const last = sessions.at(-1)
  if (last === undefined) return <p className="loading">{common.loading}</p>
  const { id, state, deferred, expiresAt } = last
  const isOver = state === 'Error' || state === 'Accepted'
  return (
    <>
      <Timeline label={words.progress} steps={stepsOf(sessions, words)} />
      {deferred !== undefined && !isOver && <Decision id={id} deferred={deferred} />}
      {!isOver && state !== 'CredentialIssued' && (
        <p className="soft">
          {words.runsOut} <RelativeTime at={expiresAt} />
        </p>
      )}
    </>
  )
}

/** One step for each state that the session was in; it may have been told twice where something else of it changed. */
function stepsOf(sessions: readonly OfferSession[], { states, madeStep }: Texts['offers']): Step[] {
  const first = sessions.filter(({ state }, at) => sessions.findIndex((other) => other.state === state) === at)
  return first.flatMap(({ state, errorMessage }): Step[] => {
    if (state === 'Created') {
      const made = { key: 'made', tone: 'done' as const, title: madeStep }
      return first.length > 1 ? [made] : [made, { key: state, tone: 'waiting', title: states[state] }]
    }
    const isGood = state === 'CredentialIssued' || state === 'Accepted'
    return [
      {
        key: state,
        tone: state === 'Error' ? 'bad' : isGood ? 'good' : 'done',
        title: states[state],
        ...(errorMessage === undefined ? {} : { text: <Sentence>{errorMessage}</Sentence> }),
      },
    ]
  })
}

interface DecisionProps {
  readonly id: string
  readonly deferred: NonNullable<OfferSession['deferred']>
}

/** Approving or rejecting what a wallet waits for. */
function Decision({ id, deferred }: DecisionProps) {
  const { offers: words } = useTexts()
  const decide = useMutation({
    mutationFn: (approves: boolean) =>
      approves ? credence.credentialOffers.approve.mutate({ id }) : credence.credentialOffers.reject.mutate({ id }),
  })
  if (deferred !== 'pending') return <p>{words[deferred]}</p>
  return (
    <>
      <p>{words.waiting}</p>
      {decide.isError && <ProblemNote error={decide.error} />}
      <div className="row">
        <button type="button" className="primary" disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          {words.approve}
        </button>
        <button type="button" className="danger" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          {words.reject}
        </button>
      </div>
    </>
  )
}
