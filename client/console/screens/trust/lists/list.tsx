import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf } from '../../../problems.js'
import { type TrustList as Shown, trustList } from '../../../queries/trust-lists.js'
import { credence, slowCredence } from '../../../service.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { useSpoken, useTexts } from '../../../texts/use-texts.js'
import { Asked } from '../../../ui/asked.js'
import { Confirmation } from '../../../ui/confirmation.js'
import { Fact } from '../../../ui/fact.js'
import { Panel } from '../../../ui/panel.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Screen } from '../../../ui/screen.js'
import { Sentence } from '../../../ui/sentence.js'
import { ShortId } from '../../../ui/short-id.js'
import { May } from '../../../ui/use-may.js'
import { Entities } from './entities.js'
import { hostOfList, nameIn } from './names.js'
import { FailedCheck, StateOfList } from './state-of-list.js'

const route = getRouteApi('/trust/lists/$id')

/** One trusted list: its state, its rules and its entities. */
export function TrustList() {
  const { language } = useSpoken()
  const { lists: words } = useTrustListTexts()
  const { id } = route.useParams()
  const query = useQuery(trustList(id))
  const [isLeaving, setLeaving] = useState(false)
  const navigate = useNavigate()
  // Another user may have removed the list.
  const isGone = query.isError && problemOf(query.error).status === 404
  const list = query.data
  const named = nameIn(list?.operator, language)
  const title = named?.name ?? (list === undefined ? words.list : hostOfList(list.url))
  return (
    <Screen
      title={title}
      titleLang={named?.lang}
      intro={words.oneIntro}
      actions={
        <Link to="/trust/lists" className="button">
          {words.all}
        </Link>
      }
    >
      {isGone ? (
        <ProblemNote error={query.error} />
      ) : (
        <Asked query={query}>
          {(found) => (
            <div className="stack">
              <div className="panels">
                <State list={found} onLeave={() => setLeaving(true)} />
                <About list={found} />
              </div>
              <Panel title={words.entities} intro={words.entitiesIntro}>
                <Entities list={found} />
              </Panel>
            </div>
          )}
        </Asked>
      )}
      {isLeaving && list !== undefined && (
        <Confirmation
          title={words.removeTitle(title)}
          text={words.removeText[list.purpose](list.entities)}
          action={words.remove}
          act={async () => {
            await credence.trustLists.remove.mutate({ id })
            await navigate({ to: '/trust/lists' })
          }}
          changes="trust"
          isGone={isGone}
          onClose={() => setLeaving(false)}
        />
      )}
    </Screen>
  )
}

interface StateProps {
  readonly list: Shown
  readonly onLeave: () => void
}

function State({ list, onLeave }: StateProps) {
  const { lists: words } = useTrustListTexts()
  const { id, state, reason, alert, source } = list
  const client = useQueryClient()
  const refreshing = useMutation({
    mutationFn: () => slowCredence.trustLists.refresh.mutate({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['trust'] }),
  })
  const outcome = refreshing.data?.outcome
  return (
    <Panel title={words.state}>
      {alert !== undefined && (
        <div className="problem-note" role="alert">
          <strong>{words.alert}</strong>
          <p>
            <Sentence>{alert}</Sentence>
          </p>
        </div>
      )}
      <div role="status" className="fields">
        <p>
          <StateOfList list={list} />
        </p>
        {state !== 'usable' && (
          <>
            <p>{state === 'failing' ? words.failing : words.unusable}</p>
            <p className={state === 'failing' ? 'attention' : 'bad'}>
              <FailedCheck list={list} />
            </p>
          </>
        )}
      </div>
      {reason !== undefined && (
        <details>
          <summary>{words.details}</summary>
          <p>
            <Sentence>{reason}</Sentence>
          </p>
        </details>
      )}
      <dl>
        <Time name={words.checkedAt} at={list.checkedAt} />
        <Time name={words.failingSince} at={list.failingSince} />
        <Time name={words.readAt} at={list.readAt} />
        <Time name={words.issuedAt} at={list.issuedAt} />
        {list.readAt !== undefined && (
          <Fact name={words.nextUpdate}>
            {list.nextUpdate === undefined ? words.noEnd : <RelativeTime at={list.nextUpdate} />}
          </Fact>
        )}
        {list.usableUntil !== list.nextUpdate && <Time name={words.usableUntil} at={list.usableUntil} />}
        {list.sequenceNumber !== undefined && <Fact name={words.sequenceNumber}>{String(list.sequenceNumber)}</Fact>}
      </dl>
      {refreshing.isError && <ProblemNote error={refreshing.error} />}
      <p className="row">
        <May call="trustLists.refresh">
          <button type="button" className="primary" disabled={refreshing.isPending} onClick={() => refreshing.mutate()}>
            {words.refresh}
          </button>
        </May>
        {source === 'api' && (
          <May call="trustLists.remove">
            <button type="button" className="danger" onClick={onLeave}>
              {words.remove}
            </button>
          </May>
        )}
      </p>
      <p role="status" className="soft">
        {refreshing.isPending
          ? words.refreshing
          : outcome === 'changed' || outcome === 'unchanged'
            ? words.outcomes[outcome]
            : null}
      </p>
    </Panel>
  )
}

/** The types for which a list counts; nothing if it counts for every type. */
function Types({ name, types }: { readonly name: string; readonly types: readonly string[] | undefined }) {
  if (types === undefined) return null
  return (
    <Fact name={name}>
      <ul className="plain">
        {types.map((type) => (
          <li key={type}>
            <code className="sentence">{type}</code>
          </li>
        ))}
      </ul>
    </Fact>
  )
}

function Time({ name, at }: { readonly name: string; readonly at: string | undefined }) {
  if (at === undefined) return null
  return (
    <Fact name={name}>
      <RelativeTime at={at} />
    </Fact>
  )
}

function About({ list }: { readonly list: Shown }) {
  const { language } = useSpoken()
  const { trust } = useTexts()
  const { lists: words } = useTrustListTexts()
  const {
    url,
    kind,
    profile,
    purpose,
    types,
    serviceTypes,
    signer,
    signedBy,
    maxAgeHours,
    territory,
    listTerritory,
    note,
  } = list
  const operator = nameIn(list.operator, language)
  return (
    <Panel title={words.about} intro={list.source === 'configuration' ? words.configured : undefined}>
      <dl>
        <Fact name={words.url}>
          <code className="sentence">{url}</code>
        </Fact>
        {operator !== undefined && (
          <Fact name={words.operator}>
            <span lang={operator.lang}>{operator.name}</span>
          </Fact>
        )}
        <Fact name={words.kind}>{words.kinds[kind]}</Fact>
        {profile !== undefined && <Fact name={words.profile}>{words.profiles[profile]}</Fact>}
        <Fact name={words.purpose}>{words.purposes[purpose]}</Fact>
        <Types name={words.types} types={types} />
        <Types name={words.serviceTypes} types={serviceTypes} />
        {(territory ?? listTerritory) !== undefined && <Fact name={words.territory}>{territory ?? listTerritory}</Fact>}
        <Fact name={words.signer}>
          {'sha256' in signer ? (
            <ShortId id={signer.sha256} what={trust.fingerprint} />
          ) : (
            words.signers(signer.pem.split('-----BEGIN CERTIFICATE-----').length - 1)
          )}
        </Fact>
        {signedBy !== undefined && (
          <Fact name={words.signedBy}>
            <ShortId id={signedBy} what={trust.fingerprint} />
          </Fact>
        )}
        {maxAgeHours !== undefined && <Fact name={words.maxAge}>{words.hours(maxAgeHours)}</Fact>}
        {note !== undefined && <Fact name={words.note}>{note}</Fact>}
        <Fact name={words.source}>{words.sources[list.source]}</Fact>
        {list.createdBy !== undefined && <Fact name={words.addedBy}>{list.createdBy}</Fact>}
        <Time name={words.addedAt} at={list.createdAt} />
      </dl>
    </Panel>
  )
}
