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
import { Screen } from '../../ui/screen.js'
import { useRights } from '../../ui/use-rights.js'
import { OfferTable } from './offer-table.js'
import { type SessionSearch, sessionSearch } from './search.js'
import { VerificationTable } from './verification-table.js'

const route = getRouteApi('/sessions')

/** The screen with the sessions of both kinds, filtered by state and days. */
export function Sessions() {
  const { nav, sessions: words, terms } = useTexts()
  // `validateSearch` of the router keeps unknown members of the address, so the screen parses the filters again.
  const search = sessionSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const { mayVerify } = useRights()
  const isExported = mayVerify && search.kind !== 'offers'
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
      actions={isExported ? <ExportButton kind="sessions" from={search.from} to={search.to} /> : undefined}
    >
      <Filters
        label={nav.sessions}
        values={{ ...search }}
        onChange={show}
        filters={[
          {
            name: 'kind',
            label: words.kind,
            options: [
              ['', words.kinds.requests],
              ['offers', words.kinds.offers],
            ],
          },
          { name: 'state', label: words.state, options: [['', words.anyState], ...states] },
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

function OfRequests({ search }: { readonly search: SessionSearch }) {
  const { sessions: words } = useTexts()
  const state = known(search.state, words.requestStates)
  const query = useInfiniteQuery(
    verificationSessions({ ...momentsOf(search), ...(state === undefined ? {} : { state }) }),
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
  const query = useInfiniteQuery(offerSessions({ ...momentsOf(search), ...(state === undefined ? {} : { state }) }))
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
        <Link to="/offers" className="button primary">
          {overview.nextOffer}
        </Link>
      ) : (
        <Link to="/requests/new-request" className="button primary">
          {requests.make}
        </Link>
      )}
    </Empty>
  )
}
