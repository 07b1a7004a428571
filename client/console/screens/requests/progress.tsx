import { useQuery } from '@tanstack/react-query'
import { sessionChecks } from '../../queries/requests.js'
import type { VerificationSession } from '../../queries/shapes.js'
import type { Texts } from '../../texts/texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { checkSteps } from '../../ui/check-steps.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { type Step, Timeline } from '../../ui/timeline.js'

/** The progress of a session: its past steps, each check of the answer, and its next step. */
export function Progress({ sessions }: { readonly sessions: readonly VerificationSession[] }) {
  const texts = useTexts()
  const { requests: words, common } = texts
  const last = sessions.at(-1)
  const isOver = last?.state === 'ResponseVerified' || last?.state === 'Error'
  const checked = useQuery({ ...sessionChecks(last?.id ?? ''), enabled: isOver })
  if (last === undefined) return <p className="loading">{common.loading}</p>
  const checks = checkSteps(checked.data?.checks ?? [], texts)
  // The failed check shows the reason, so the last step does not repeat the reason.
  const isExplained = checked.data?.checks.some(({ outcome }) => outcome === 'failed') === true
  const steps = sessions.flatMap((session) => [
    ...(isEnd(session) ? checks : []),
    stepOf(isExplained ? { ...session, errorMessage: undefined } : session, texts),
  ])
  return (
    <>
      <Timeline label={words.progress} steps={[...steps, ...waiting(last, texts)]} />
      {!isOver && last.expiresAt !== undefined && (
        <p className="soft">
          {words.runsOut} <RelativeTime at={last.expiresAt} />
        </p>
      )}
    </>
  )
}

const isEnd = ({ state }: VerificationSession) => state === 'ResponseVerified' || state === 'Error'

/** Converts an event to a step of the timeline. */
function stepOf({ state, errorMessage }: VerificationSession, { requests: { steps: words } }: Texts): Step {
  switch (state) {
    case 'RequestCreated':
      return { key: state, tone: 'done', title: words.created }
    case 'RequestUriRetrieved':
      return { key: state, tone: 'done', title: words.retrieved }
    case 'ResponseVerified':
      return { key: state, tone: 'good', title: words.verified }
    case 'Error':
      return {
        key: state,
        tone: 'bad',
        title: words.failed,
        ...(errorMessage === undefined ? {} : { text: <Sentence>{errorMessage}</Sentence> }),
      }
  }
}

function waiting({ state }: VerificationSession, { requests: { steps: words } }: Texts): Step[] {
  if (state === 'RequestCreated') return [{ key: 'waiting', tone: 'waiting', title: words.waitingForWallet }]
  if (state === 'RequestUriRetrieved') return [{ key: 'waiting', tone: 'waiting', title: words.waitingForAnswer }]
  return []
}
