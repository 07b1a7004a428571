import type { OfferSession } from '../../queries/offers.js'
import type { Texts } from '../../texts/texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { type Step, Timeline } from '../../ui/timeline.js'

/** The progress of an offer, and its next step. */
export function Progress({ sessions }: { readonly sessions: readonly OfferSession[] }) {
  const { offers: words, common } = useTexts()
  const last = sessions.at(-1)
  if (last === undefined) return <p className="loading">{common.loading}</p>
  const { state, deferred, expiresAt } = last
  const isOver = state === 'Error' || state === 'Accepted'
  return (
    <>
      <Timeline label={words.progress} steps={stepsOf(sessions, words)} />
      {deferred === 'pending' && !isOver && <p>{words.waiting}</p>}
      {deferred !== undefined && deferred !== 'pending' && !isOver && <p>{words[deferred]}</p>}
      {!isOver && state !== 'CredentialIssued' && (
        <p className="soft">
          {words.runsOut} <RelativeTime at={expiresAt} />
        </p>
      )}
    </>
  )
}

/**
 * One step for each state of the session. Two events may have the same state, because an event can also report a change
 * of another member of the session.
 */
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
        ...(errorMessage === undefined ? {} : { text: <Reason>{errorMessage}</Reason> }),
      },
    ]
  })
}
