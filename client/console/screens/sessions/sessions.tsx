import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { offerSessions } from '../../queries/offers.js'
import { verificationSessions } from '../../queries/requests.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { momentsOf } from '../../ui/days.js'
import { Empty } from '../../ui/empty.js'
import { ExportButton } from '../../ui/export-button.js'
import { Filters } from '../../ui/filters.js'
import { More } from '../../ui/more.js'
import { useNameFilters } from '../../ui/name-fields.js'
import { namesInAddress } from '../../ui/names.js'
import { Screen } from '../../ui/screen.js'
import { May, useMay } from '../../ui/use-may.js'
import { OfferTable } from './offer-table.js'
import { type SessionSearch, sessionSearch } from './search.js'
import { VerificationTable } from './verification-table.js'

const route = getRouteApi('/sessions')

/** The screen with the sessions of both kinds, filtered by state and days. */
export function Sessions() {
  const { nav, sessions: words, terms } = useTexts()
  // `validateSearch` of the router keeps unknown members of the address, so the screen parses the filters again.
  const asked = sessionSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const byNames = useNameFilters()
  const may = useMay()
  const kinds = [
    ...(may.call('verificationSessions.list') ? [['', words.kinds.requests] as const] : []),
    ...(may.call('credentialOffers.sessions') ? [['offers', words.kinds.offers] as const] : []),
  ]
  // A user who may list only one kind sees this kind.
  const [only] = kinds
  const search = kinds.length === 1 && only?.[0] === 'offers' ? { ...asked, kind: 'offers' as const } : asked
  const states = Object.entries<string>(search.kind === 'offers' ? words.offerStates : words.requestStates)
  const show = (values: Readonly<Record<string, string>>) => {
    const next = sessionSearch(values)
    // The two kinds of sessions have different states.
    const { state, ...others } = next
    void navigate({ to: '/sessions', search: next.kind === search.kind ? next : others, replace: true })
  }
  return (
    <Screen
      title={nav.sessions}
      intro={words.intro}
      term={terms.session}
      actions={
        search.kind === 'offers' ? undefined : (
          <May call="exports.create">
            <ExportButton kind="sessions" from={search.from} to={search.to} />
          </May>
        )
      }
    >
      <Filters
        label={nav.sessions}
        values={{ ...search }}
        onChange={show}
        filters={[
          {
            name: 'kind',
            label: words.kind,
            options: kinds,
          },
          { name: 'state', label: words.state, options: [['', words.anyState], ...states] },
          ...byNames,
          {
            name: 'mine',
            label: words.by,
            options: [
              ['', words.byAnyone],
              ['true', words.byMe],
            ],
          },
          { name: 'from', label: words.from, type: 'date' },
          { name: 'to', label: words.to, type: 'date' },
        ]}
      />
      {search.kind === 'offers' ? <OfOffers search={search} /> : <OfRequests search={search} />}
    </Screen>
  )
}

/** The state in the address; undefined if this kind of session has no such state. */
const known = <State extends string>(state: string | undefined, states: Readonly<Record<State, string>>) =>
  (Object.keys(states) as State[]).find((name) => name === state)

/** The filters of a list, from the address. */
const filtersOf = (search: SessionSearch) => ({
  ...momentsOf(search),
  ...(search.mine === undefined ? {} : { mine: true }),
})

function OfRequests({ search }: { readonly search: SessionSearch }) {
  const { sessions: words } = useTexts()
  const state = known(search.state, words.requestStates)
  const query = useInfiniteQuery(
    verificationSessions({
      ...filtersOf(search),
      ...namesInAddress({ ...search }),
      ...(state === undefined ? {} : { state }),
    }),
  )
  return (
    <Asked query={query}>
      {(sessions) =>
        sessions.length === 0 ? (
          <Nothing search={search} />
        ) : (
          <>
            <VerificationTable label={words.kinds.requests} sessions={sessions} />
            <More query={query} />
          </>
        )
      }
    </Asked>
  )
}

function OfOffers({ search }: { readonly search: SessionSearch }) {
  const { sessions: words } = useTexts()
  const state = known(search.state, words.offerStates)
  const query = useInfiniteQuery(
    offerSessions({
      ...filtersOf(search),
      ...namesInAddress({ ...search }),
      ...(state === undefined ? {} : { state }),
    }),
  )
  return (
    <Asked query={query}>
      {(sessions) =>
        sessions.length === 0 ? (
          <Nothing search={search} />
        ) : (
          <>
            <OfferTable label={words.kinds.offers} sessions={sessions} />
            <More query={query} />
          </>
        )
      }
    </Asked>
  )
}

/** Shown if there is no session, or if no session matches the filters. */
function Nothing({ search: { kind, ...filters } }: { readonly search: SessionSearch }) {
  const { sessions: words, requests, overview } = useTexts()
  if (Object.keys(filters).length > 0) {
    return (
      <Empty title={words.noMatch} text={words.noMatchText}>
        <Link to="/sessions" search={kind === undefined ? {} : { kind }} className="button">
          {words.allAgain}
        </Link>
      </Empty>
    )
  }
  return (
    <Empty title={words.none} text={words.noneText}>
      {kind === 'offers' ? (
        <May open="/offers">
          <Link to="/offers" className="button primary">
            {overview.nextOffer}
          </Link>
        </May>
      ) : (
        <May open="/requests/new-request">
          <Link to="/requests/new-request" className="button primary">
            {requests.make}
          </Link>
        </May>
      )}
    </Empty>
  )
}
