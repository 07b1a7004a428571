import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { credentials, type ListedCredential } from '../../queries/credentials.js'
import { type TypeListed, typeNames } from '../../queries/types.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Check } from '../../ui/check.js'
import { momentsOf } from '../../ui/days.js'
import { nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { ExportButton } from '../../ui/export-button.js'
import { Filters } from '../../ui/filters.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Listing } from '../../ui/listing.js'
import { CutName, LongName } from '../../ui/long-name.js'
import { More } from '../../ui/more.js'
import { useNameFilters } from '../../ui/name-fields.js'
import { knownAs } from '../../ui/names.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { May, useMay } from '../../ui/use-may.js'
import { credentialSearch } from './search.js'
import { StatusChange } from './status-change.js'
import { StatusTag } from './status-tag.js'

const route = getRouteApi('/credentials')

/** The types to choose from. The type in the address is always one of them. */
function namedTypes(types: readonly TypeListed[], chosen: string | undefined, language: string) {
  const choices = types.map(({ name, title, display }) => [name, nameOf(display, language) ?? title ?? name] as const)
  const isThere = chosen === undefined || types.some(({ name }) => name === chosen)
  return isThere ? choices : [...choices, [chosen, chosen] as const]
}

/** The screen on which users find issued credentials, and revoke one or many of them. */
export function CredentialList() {
  const { language, texts } = useSpoken()
  const { nav, credentials: words, terms, sessions } = texts
  const names = useQuery(typeNames)
  // `validateSearch` of the router keeps unknown members of the address, so the screen parses the filters again.
  const search = credentialSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const byNames = useNameFilters()
  const { from: _from, to: _to, mine, ...filters } = search
  const query = useInfiniteQuery(
    credentials({ ...filters, ...momentsOf(search), ...(mine === undefined ? {} : { mine: true }) }),
  )
  return (
    <Screen
      title={nav.credentials}
      intro={words.intro}
      term={terms.credential}
      actions={
        <>
          <May open="/credentials/jobs">
            <Link to="/credentials/jobs" className="button">
              {words.many}
            </Link>
          </May>
          <May call="exports.create">
            <ExportButton kind="credentials" from={search.from} to={search.to} schema={search.schema} />
          </May>
        </>
      }
    >
      <Filters
        label={nav.credentials}
        values={{ ...search }}
        onChange={(values) => void navigate({ to: '/credentials', search: credentialSearch(values), replace: true })}
        filters={[
          {
            name: 'schema',
            label: words.type,
            // If all types are loaded, the user chooses from a list. Otherwise the user types the name of the type.
            ...(names.data?.isWhole === true
              ? { options: [['', words.anyType], ...namedTypes(names.data.types, search.schema, language)] }
              : {}),
          },
          {
            name: 'status',
            label: words.status,
            options: [['', words.anyStatus], ...Object.entries<string>(words.statuses)],
          },
          ...byNames,
          {
            name: 'mine',
            label: sessions.by,
            options: [
              ['', sessions.byAnyone],
              ['true', sessions.byMe],
            ],
          },
          { name: 'holderDid', label: words.holder },
          { name: 'idPrefix', label: words.idPrefix },
          { name: 'from', label: words.from, type: 'date' },
          { name: 'to', label: words.to, type: 'date' },
        ]}
      />
      <Asked query={query}>
        {(listed) =>
          listed.length === 0 ? (
            <Nothing isFiltered={Object.keys(search).length > 0} />
          ) : (
            <>
              <Found listed={listed} />
              <More query={query} />
            </>
          )
        }
      </Asked>
    </Screen>
  )
}

function Found({ listed }: { readonly listed: readonly ListedCredential[] }) {
  const { nav, credentials: words, names } = useTexts()
  const titleOf = useTypeTitles()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAsking, setAsking] = useState(false)
  const mayRevoke = useMay().call('credentials.revoke')
  const mayOpen = useMay().open('/credentials/$id')
  // The selection contains only credentials that are still in the list and still active.
  const ids = listed.filter(({ id, status }) => status === 'active' && chosen.has(id)).map(({ id }) => id)
  const nameOf = (credential: ListedCredential) => knownAs(credential) ?? titleOf(credential.type)
  const active = listed.filter(({ status }) => status === 'active')
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  return (
    <div className="stack">
      {mayRevoke && (
        <div className="row">
          <Check
            disabled={active.length === 0}
            checked={active.length > 0 && ids.length === active.length}
            onChange={({ target }) => setChosen(new Set(target.checked ? active.map(({ id }) => id) : []))}
          >
            {words.chooseAll}
          </Check>
          <button type="button" className="danger" disabled={ids.length === 0} onClick={() => setAsking(true)}>
            {words.revokeMany(ids.length)}
          </button>
        </div>
      )}
      <Listing
        label={nav.credentials}
        rows={listed}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'id',
            name: words.credential,
            cell: (credential) => {
              // The exact id is on the screen of the credential.
              const name = nameOf(credential)
              return mayOpen ? (
                <Link to="/credentials/$id" params={{ id: credential.id }}>
                  <LongName>{name}</LongName>
                </Link>
              ) : (
                <LongName>{name}</LongName>
              )
            },
          },
          { key: 'type', name: words.type, cell: ({ type }) => titleOf(type) },
          { key: 'status', name: words.status, cell: ({ status }) => <StatusTag status={status} /> },
          { key: 'made', name: words.issued, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
          {
            key: 'reference',
            name: names.reference,
            cell: ({ reference }) => reference !== undefined && <CutName name={reference} what={names.reference} />,
          },
          {
            key: 'holder',
            name: words.holder,
            cell: ({ holderDid }) => holderDid !== undefined && <IdOnDemand id={holderDid} what={words.holder} />,
          },
          ...(mayRevoke
            ? [
                {
                  key: 'choice',
                  name: words.choice,
                  nameless: true,
                  cell: (credential: ListedCredential) =>
                    credential.status === 'active' && (
                      <Check
                        checked={chosen.has(credential.id)}
                        onChange={({ target }) => choose(credential.id, target.checked)}
                      >
                        <span className="hidden">{words.choose(nameOf(credential))}</span>
                      </Check>
                    ),
                },
              ]
            : []),
        ]}
      />
      {isAsking && <StatusChange change="revoke" ids={ids} onClose={() => setAsking(false)} />}
    </div>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const { credentials: words, sessions, offers } = useTexts()
  return isFiltered ? (
    <Empty title={words.noMatch} text={words.noMatchText}>
      <Link to="/credentials" className="button">
        {sessions.allAgain}
      </Link>
    </Empty>
  ) : (
    <Empty title={words.none} text={words.noneText}>
      <May open="/offers">
        <Link to="/offers" className="button primary">
          {offers.title}
        </Link>
      </May>
    </Empty>
  )
}
