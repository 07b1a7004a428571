import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { CredenceOutputs } from '../../../index.js'
import { auditEvents } from '../../queries/audit.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { momentsOf } from '../../ui/days.js'
import { Empty } from '../../ui/empty.js'
import { ExportButton } from '../../ui/export-button.js'
import { Filters } from '../../ui/filters.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { May } from '../../ui/use-may.js'
import { auditSearch } from './search.js'

type Event = CredenceOutputs['audit']['list']['items'][number]

const route = getRouteApi('/audit')

/** The audit events: user, action, subject and time. */
export function Audit() {
  const { nav, audit: words } = useTexts()
  // `validateSearch` of the router keeps unknown members of the address, so the screen parses the filters again.
  const search = auditSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const { action, actor, subjectId } = search
  const query = useInfiniteQuery(
    auditEvents({
      ...momentsOf(search),
      ...(action === undefined ? {} : { action }),
      ...(actor === undefined ? {} : { actor }),
      ...(subjectId === undefined ? {} : { subjectId }),
    }),
  )
  return (
    <Screen
      title={nav.audit}
      intro={words.intro}
      actions={
        <May call="exports.create">
          <ExportButton kind="audit" from={search.from} to={search.to} />
        </May>
      }
    >
      <Filters
        label={nav.audit}
        values={{ ...search }}
        onChange={(values) => void navigate({ to: '/audit', search: auditSearch(values), replace: true })}
        filters={[
          {
            name: 'action',
            label: words.action,
            options: [['', words.anyAction], ...Object.entries<string>(words.actions)],
          },
          { name: 'actor', label: words.actor },
          { name: 'subjectId', label: words.subjectId },
          { name: 'from', label: words.from, type: 'date' },
          { name: 'to', label: words.to, type: 'date' },
        ]}
      />
      <Asked query={query}>
        {(events) =>
          events.length === 0 ? (
            <Nothing isFiltered={Object.keys(search).length > 0} />
          ) : (
            <>
              <Events events={events} />
              <More query={query} />
            </>
          )
        }
      </Asked>
    </Screen>
  )
}

function Events({ events }: { readonly events: readonly Event[] }) {
  const { nav, audit: words } = useTexts()
  const actions: Readonly<Record<string, string>> = words.actions
  const subjects: Readonly<Record<string, string>> = words.subjects
  return (
    <Listing
      label={nav.audit}
      isCompact
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        { key: 'action', name: words.action, cell: ({ action }) => actions[action] ?? <code>{action}</code> },
        { key: 'at', name: words.at, cell: ({ at }) => <RelativeTime at={at} /> },
        { key: 'actor', name: words.actor, cell: ({ actor }) => actor ?? <span className="soft">{words.nobody}</span> },
        {
          key: 'subject',
          name: words.subject,
          cell: ({ subject, subjectId }) => (
            <span>
              {subjects[subject] ?? subject} <IdOnDemand id={subjectId} what={subjects[subject] ?? subject} />
            </span>
          ),
        },
      ]}
    />
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const { audit: words, sessions, types } = useTexts()
  return isFiltered ? (
    <Empty title={words.noMatch} text={words.noMatchText}>
      <Link to="/audit" className="button">
        {sessions.allAgain}
      </Link>
    </Empty>
  ) : (
    <Empty title={words.none} text={words.noneText}>
      <May open="/types/new-type">
        <Link to="/types/new-type" className="button primary">
          {types.make}
        </Link>
      </May>
    </Empty>
  )
}
