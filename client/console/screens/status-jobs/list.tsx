import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { statusJobs } from '../../queries/status-jobs.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { Tag } from '../../ui/tag.js'
import { May } from '../../ui/use-may.js'
import { NewJob } from './new-job.js'

const TONES = { counting: 'waiting', running: 'waiting', paused: 'warn', done: 'good', cancelled: 'ended' } as const

/** The screen on which users change the status of many credentials, and find the jobs that do it. */
export function StatusJobs() {
  const { statusJobs: words, nav, credentials } = useTexts()
  const query = useInfiniteQuery(statusJobs)
  const back = (
    <Link to="/credentials" className="button">
      {nav.credentials}
    </Link>
  )
  return (
    <Screen title={words.title} intro={words.intro} actions={back}>
      <May call="statusJobs.create">
        <NewJob />
      </May>
      <Panel title={words.jobs}>
        <Asked query={query}>
          {(jobs) =>
            jobs.length === 0 ? (
              <p className="soft">{words.none}</p>
            ) : (
              <>
                <Listing
                  label={words.jobs}
                  rows={jobs}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      key: 'action',
                      name: words.action,
                      cell: ({ id, action }) => (
                        <Link to="/credentials/jobs/$id" params={{ id }}>
                          {credentials.changes[action].act}
                        </Link>
                      ),
                    },
                    {
                      key: 'state',
                      name: words.state,
                      cell: ({ state }) => <Tag tone={TONES[state]}>{words.states[state]}</Tag>,
                    },
                    {
                      key: 'progress',
                      name: words.progress,
                      cell: ({ done, failed, matched }) => words.progressOf(done + failed, matched),
                    },
                    {
                      key: 'made',
                      name: words.created,
                      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
                    },
                  ]}
                />
                <More query={query} />
              </>
            )
          }
        </Asked>
      </Panel>
    </Screen>
  )
}
