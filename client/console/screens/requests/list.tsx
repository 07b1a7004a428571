import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { verificationSessions, vpQueries } from '../../queries/requests.js'
import type { ListedVerification, VpQuery } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Empty } from '../../ui/empty.js'
import { Panel } from '../../ui/panel.js'
import { Screen } from '../../ui/screen.js'
import { May, useMay } from '../../ui/use-may.js'
import { VerificationTable } from '../sessions/verification-table.js'
import { Deletion, SavedQueries } from './saved.js'

/** Number of requests in the list of latest requests. */
const LATEST = 5

/** Saved queries and the latest requests. */
export function RequestList() {
  const { nav, requests: words, terms } = useTexts()
  const may = useMay()
  const mayList = may.call('vpQueries.list')
  const saved = useQuery({ ...vpQueries, enabled: mayList, ...(mayList ? {} : { initialData: [] }) })
  const [leaving, setLeaving] = useState<VpQuery>()
  const sessions = useInfiniteQuery(verificationSessions({}))
  const isEmpty = saved.data?.length === 0 && sessions.data?.length === 0
  const make = (
    <May open="/requests/new-request">
      <Link to="/requests/new-request" className="button primary">
        {words.make}
      </Link>
    </May>
  )
  return (
    <Screen title={nav.requests} intro={words.intro} term={terms.request} actions={isEmpty ? undefined : make}>
      <Asked query={saved}>
        {(queries) => (
          <Asked query={sessions}>
            {(latest) =>
              queries.length === 0 && latest.length === 0 ? (
                <Empty title={words.none} text={words.noneText}>
                  {make}
                </Empty>
              ) : (
                <Both queries={queries} latest={latest} onDelete={setLeaving} />
              )
            }
          </Asked>
        )}
      </Asked>
      {leaving !== undefined && (
        <Deletion
          query={leaving}
          isGone={saved.data?.every(({ id }) => id !== leaving.id) ?? false}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Screen>
  )
}

function Both({
  queries,
  latest,
  onDelete,
}: {
  readonly queries: readonly VpQuery[]
  readonly latest: readonly ListedVerification[]
  readonly onDelete: (query: VpQuery) => void
}) {
  const { requests: words } = useTexts()
  return (
    <div className="stack">
      <May call="vpQueries.list">
        <Panel title={words.saved} intro={words.savedIntro}>
          <SavedQueries queries={queries} onDelete={onDelete} />
        </Panel>
      </May>
      {latest.length > 0 && (
        <Panel title={words.latest}>
          <VerificationTable label={words.latest} sessions={latest.slice(0, LATEST)} />
          <May open="/sessions">
            <p>
              <Link to="/sessions">{words.allSessions}</Link>
            </p>
          </May>
        </Panel>
      )}
    </div>
  )
}
