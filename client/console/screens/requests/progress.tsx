import type { VerificationSession } from '../../queries/requests.js'
import { type Spoken, useSpoken } from '../../texts/use-texts.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { type Step, Timeline } from '../../ui/timeline.js'

/** What a session went through, and what it waits for. */
export function Progress({ sessions }: { readonly sessions: readonly VerificationSession[] }) {
  const { texts } = useSpoken()
  const { requests: words, common } = texts
  const last = sessions.at(-1)
  if (last === undefined) return <p className="loading">{common.loading}</p>
  const isOver = last.state === 'ResponseVerified' || last.state === 'Error'
  return (
    <>
      <Timeline
        label={words.progress}
        steps={sessions.flatMap((session) => stepsOf(session, texts)).concat(waiting(last, texts))}
      />
      {!isOver && last.expiresAt !== undefined && (
        <p className="soft">
          {words.runsOut} <RelativeTime at={last.expiresAt} />
        </p>
      )}
    </>
  )
}

type Texts = Spoken['texts']

/** What an event says that has happened. */
function stepsOf({ state, errorMessage }: VerificationSession, { requests: { steps: words } }: Texts): Step[] {
  switch (state) {
    case 'RequestCreated':
      return [{ key: state, tone: 'done', title: words.created }]
    case 'RequestUriRetrieved':
      return [{ key: state, tone: 'done', title: words.retrieved }]
    case 'ResponseVerified':
      return [{ key: state, tone: 'good', title: words.verified }]
    case 'Error':
      return [
        {
          key: state,
          tone: 'bad',
          title: words.failed,
          ...(errorMessage === undefined ? {} : { text: <p lang="en">{errorMessage}</p> }),
        },
      ]
  }
}

function waiting({ state }: VerificationSession, { requests: { steps: words } }: Texts): Step[] {
  if (state === 'RequestCreated') return [{ key: 'waiting', tone: 'waiting', title: words.waitingForWallet }]
  if (state === 'RequestUriRetrieved') return [{ key: 'waiting', tone: 'waiting', title: words.waitingForAnswer }]
  return []
}
