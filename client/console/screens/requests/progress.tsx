import type { CheckedSession, VerificationSession } from '../../queries/shapes.js'
import type { Texts } from '../../texts/texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { checkSteps } from '../../ui/check-steps.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { type Step, Timeline } from '../../ui/timeline.js'
import { useAsks } from './use-asks.js'

interface Props {
  readonly sessions: readonly VerificationSession[]
  /** The credentials that the request asks for, and the checks of the answer; undefined until they are read. */
  readonly checked: Pick<CheckedSession, 'asks' | 'checks'> | undefined
}

/** The progress of a session: one line about the checks, which opens them, its past steps, and its next step. */
export function Progress({ sessions, checked }: Props) {
  const texts = useTexts()
  const { requests: words, common } = texts
  const last = sessions.at(-1)
  if (last === undefined) return <p className="loading">{common.loading}</p>
  // The failed check is shown with its reason above, so the last step does not repeat the reason.
  const isExplained = checked?.checks.some(({ outcome }) => outcome === 'failed') === true
  const steps = sessions.map((session) =>
    stepOf(isExplained ? { ...session, errorMessage: undefined } : session, texts),
  )
  return (
    <>
      {isOver(last) && checked !== undefined && checked.checks.length > 0 && <Checks {...checked} />}
      <Timeline label={words.progress} steps={[...steps, ...waiting(last, texts)]} />
      {!isOver(last) && last.expiresAt !== undefined && (
        <p className="soft">
          {words.runsOut} <RelativeTime at={last.expiresAt} />
        </p>
      )}
    </>
  )
}

/** All checks of an answer behind one line. */
function Checks({ asks, checks }: NonNullable<Props['checked']>) {
  const texts = useTexts()
  const { requests: words } = texts
  const { queryName } = useAsks()
  const named = (id: string) => {
    const ask = asks.find(({ credentialQueryId }) => credentialQueryId === id)
    return (
      <span className="soft">
        {' '}
        {ask !== undefined && queryName(ask)} <IdOnDemand id={id} what={words.queryId} />
      </span>
    )
  }
  const passed = checks.filter(({ outcome }) => outcome === 'passed').length
  return (
    <details>
      <summary className={passed === checks.length ? 'good' : undefined}>
        {words.checksPassed(passed, checks.length)}
      </summary>
      <Timeline label={words.checks} steps={checkSteps(checks, texts, named)} />
    </details>
  )
}

const isOver = ({ state }: VerificationSession) => state === 'ResponseVerified' || state === 'Error'

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
        ...(errorMessage === undefined ? {} : { text: <Reason>{errorMessage}</Reason> }),
      }
  }
}

function waiting({ state }: VerificationSession, { requests: { steps: words } }: Texts): Step[] {
  if (state === 'RequestCreated') return [{ key: 'waiting', tone: 'waiting', title: words.waitingForWallet }]
  if (state === 'RequestUriRetrieved') return [{ key: 'waiting', tone: 'waiting', title: words.waitingForAnswer }]
  return []
}
