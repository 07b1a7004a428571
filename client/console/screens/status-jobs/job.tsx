import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type StatusJob, statusJob } from '../../queries/status-jobs.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { ProgressBar } from '../../ui/progress-bar.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId } from '../../ui/short-id.js'
import { Failures } from './failures.js'

const route = getRouteApi('/credentials/jobs/$id')

/** One job with its progress. A user can pause, resume and cancel it. */
export function Job() {
  const { statusJobs: words } = useTexts()
  const { id } = route.useParams()
  const query = useQuery(statusJob(id))
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const moving = useMutation({
    mutationFn: (to: 'pause' | 'resume') => credence.statusJobs[to].mutate({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['credentials', 'jobs'] }),
  })
  const state = query.data?.state
  const isOpen = state === 'counting' || state === 'running' || state === 'paused'
  const actions = (
    <>
      <Link to="/credentials/jobs" className="button">
        {words.allJobs}
      </Link>
      {isOpen && (
        <>
          <button
            type="button"
            disabled={moving.isPending}
            onClick={() => moving.mutate(state === 'paused' ? 'resume' : 'pause')}
          >
            {state === 'paused' ? words.resume : words.pause}
          </button>
          <button type="button" className="danger" onClick={() => setAsking(true)}>
            {words.cancel}
          </button>
        </>
      )}
    </>
  )
  return (
    <Screen title={words.job} intro={words.jobIntro} actions={actions}>
      {moving.isError && <ProblemNote error={moving.error} />}
      <Asked query={query}>{(job) => <Whole job={job} />}</Asked>
      {isAsking && (
        <Confirmation
          title={words.cancelTitle}
          text={words.cancelText}
          action={words.cancel}
          act={() => credence.statusJobs.cancel.mutate({ id })}
          changes="credentials"
          isGone={!isOpen}
          onClose={() => setAsking(false)}
        />
      )}
    </Screen>
  )
}

function Whole({ job }: { readonly job: StatusJob }) {
  const { statusJobs: words, credentials } = useTexts()
  const { state, action, reason, filter, matched, done, unchanged, failed, failures } = job
  return (
    <div className="stack">
      <Panel title={words.progress}>
        <p role="status">{words.states[state]}</p>
        <ProgressBar label={credentials.changes[action].act} done={done + failed} of={matched} />
        <p>{words.changed(done - unchanged)}</p>
        {unchanged > 0 && <p>{words.haveAlready(unchanged)}</p>}
        <Failures failures={failures} />
      </Panel>
      <Panel title={words.about}>
        <dl className="facts">
          <Fact name={words.job}>
            <ShortId id={job.id} what={words.job} />
          </Fact>
          {reason !== undefined && <Fact name={credentials.reason}>{credentials.reasons[reason]}</Fact>}
          {filter.all === true && <Fact name={words.filter}>{words.all}</Fact>}
          {filter.schema !== undefined && <Fact name={credentials.type}>{filter.schema}</Fact>}
          {filter.offering !== undefined && (
            <Fact name={words.offering}>
              <ShortId id={filter.offering} what={words.offering} />
            </Fact>
          )}
          {filter.batch !== undefined && (
            <Fact name={words.batch}>
              <ShortId id={filter.batch} what={words.batch} />
            </Fact>
          )}
          {filter.idCount !== undefined && <Fact name={words.ids}>{words.listed(filter.idCount)}</Fact>}
          {filter.referenceCount !== undefined && (
            <Fact name={words.references}>{words.listed(filter.referenceCount)}</Fact>
          )}
          {filter.issuedFrom !== undefined && (
            <Fact name={words.issuedFrom}>
              <RelativeTime at={filter.issuedFrom} />
            </Fact>
          )}
          {filter.issuedTo !== undefined && (
            <Fact name={words.issuedBefore}>
              <RelativeTime at={filter.issuedTo} />
            </Fact>
          )}
          <Fact name={words.created}>
            <RelativeTime at={job.createdAt} />
          </Fact>
          {job.endedAt !== undefined && (
            <Fact name={words.ended}>
              <RelativeTime at={job.endedAt} />
            </Fact>
          )}
        </dl>
      </Panel>
    </div>
  )
}
