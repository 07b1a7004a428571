import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { credentialHistory, type History } from '../../queries/credentials.js'
import { issuerMetadata } from '../../queries/metadata.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Fact } from '../../ui/fact.js'
import { formatName } from '../../ui/format-name.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Listing } from '../../ui/listing.js'
import { NameFacts } from '../../ui/name-fields.js'
import { knownAs } from '../../ui/names.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId } from '../../ui/short-id.js'
import { Timeline } from '../../ui/timeline.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { useMay } from '../../ui/use-may.js'
import { Attestations } from './attestations.js'
import { Content, Erased } from './content.js'
import { Note } from './note.js'
import { type Change, StatusChange } from './status-change.js'
import { StatusTag } from './status-tag.js'

const route = getRouteApi('/credentials/$id')

/** One credential: its status, its instances and its history. Its claims are shown only after a click. */
export function Credential() {
  const { credentials: words } = useTexts()
  const { id } = route.useParams()
  const query = useQuery(credentialHistory(id))
  const [asking, setAsking] = useState<Change | 'erase'>()
  const may = useMay()
  const known = query.data?.credential
  const titleOf = useTypeTitles()
  const title = known === undefined ? words.credential : (knownAs(known) ?? titleOf(known.type))
  const close = () => setAsking(undefined)
  const actions = (
    <>
      {known !== undefined && known.claimsErasedAt === undefined && may.call('erasure.credential') && (
        <button type="button" className="danger" onClick={() => setAsking('erase')}>
          {words.erase}
        </button>
      )}
      {changesOf(known)
        .filter((change) => may.call(`credentials.${change}`))
        .map((change) => (
          <button
            key={change}
            type="button"
            className={change === 'revoke' ? 'danger' : undefined}
            onClick={() => setAsking(change)}
          >
            {words.changes[change].act}
          </button>
        ))}
    </>
  )
  return (
    <Screen title={title} intro={words.oneIntro} actions={actions}>
      <Asked query={query}>{(history) => <Whole history={history} />}</Asked>
      {asking !== undefined && asking !== 'erase' && <StatusChange change={asking} ids={[id]} onClose={close} />}
      {asking === 'erase' && (
        <Confirmation
          title={words.eraseTitle}
          text={words.eraseText}
          action={words.erase}
          act={() => credence.erasure.credential.mutate({ id })}
          changes="credentials"
          isGone={known?.claimsErasedAt !== undefined}
          onClose={close}
        />
      )}
    </Screen>
  )
}

/** The changes that a credential allows. */
function changesOf(credential: History['credential'] | undefined): readonly Change[] {
  if (credential === undefined || credential.status === 'revoked') return []
  if (credential.status === 'expired') return ['revoke']
  if (credential.status === 'suspended') return ['reinstate', 'revoke']
  return credential.suspendable === true ? ['suspend', 'revoke'] : ['revoke']
}

const BAD = new Set([
  'credential.revoked',
  'credential.suspended',
  'credential.instances_revoked',
  'credential.expired',
])
const CHANGES = new Set(['credential.revoked', 'credential.suspended', 'credential.reinstated'])

const isChanged = (events: History['events']): boolean => events.some(({ action }) => CHANGES.has(action))

function Whole({ history }: { readonly history: History }) {
  const { credentials: words, audit } = useTexts()
  const titleOf = useTypeTitles()
  const actions: Readonly<Record<string, string>> = audit.actions
  const reasons: Readonly<Record<string, string>> = words.reasons
  const { credential, events } = history
  const { id, type, version, status, holderDid, createdAt, suspendedAt, revokedAt, claimsErasedAt, reason } = credential
  const { expiresAt, supersededBy } = credential
  const about = [
    [words.type, words.typeVersion(titleOf(type), version)],
    [words.status, <StatusTag key="status" status={status} />],
    [words.issued, <RelativeTime key="issued" at={createdAt} />],
    ...(suspendedAt === undefined
      ? []
      : [[words.suspendedAt, <RelativeTime key="suspended" at={suspendedAt} />] as const]),
    ...(revokedAt === undefined ? [] : [[words.revokedAt, <RelativeTime key="revoked" at={revokedAt} />] as const]),
    ...(expiresAt === undefined
      ? []
      : [
          [
            status === 'expired' ? words.expiredAt : words.expiresAt,
            <RelativeTime key="expires" at={expiresAt} />,
          ] as const,
        ]),
    ...(supersededBy === undefined
      ? []
      : [[words.supersededBy, <Successor key="successor" id={supersededBy} />] as const]),
    ...(reason === undefined ? [] : [[words.reason, words.reasons[reason]] as const]),
    ...(isChanged(events) ? [[words.note, <Note key="note" id={id} />] as const] : []),
    ...(claimsErasedAt === undefined
      ? []
      : [[words.erasedAt, <RelativeTime key="erased" at={claimsErasedAt} />] as const]),
    ...(holderDid === undefined
      ? []
      : [[words.holder, <ShortId key="holder" id={holderDid} what={words.holder} />] as const]),
    [words.id, <ShortId key="id" id={id} what={words.id} />],
  ] as const
  return (
    <div className="stack">
      <div className="panels">
        <Panel title={words.about}>
          <dl>
            <NameFacts {...credential} />
            {about.map(([name, value]) => (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ))}
          </dl>
        </Panel>
        <Panel title={words.history}>
          <Timeline
            label={words.history}
            steps={[...events].reverse().map(({ id: key, action, actor, at, detail }) => ({
              key: String(key),
              tone: BAD.has(action) ? ('bad' as const) : ('done' as const),
              title: actions[action] ?? action,
              text: (
                <>
                  <RelativeTime at={at} />
                  {actor != null && `, ${actor}`}
                  {detail?.reason !== undefined && `, ${reasons[String(detail.reason)] ?? detail.reason}`}
                </>
              ),
            }))}
          />
        </Panel>
      </div>
      {claimsErasedAt === undefined ? <Content id={id} status={status} type={type} version={version} /> : <Erased />}
      <Attestations history={history} />
      <Copies history={history} />
    </div>
  )
}

/** A link to the credential that replaced this one. The history does not have its names. */
function Successor({ id }: { readonly id: string }) {
  const { credentials: words } = useTexts()
  return (
    <>
      <Link to="/credentials/$id" params={{ id }}>
        {words.successor}
      </Link>{' '}
      <IdOnDemand id={id} what={words.id} />
    </>
  )
}

/** A list of the instances, each with its index in a status list. */
function Copies({ history: { instances, instanceCount } }: { readonly history: History }) {
  const { credentials: words, requests } = useTexts()
  const known = useQuery(issuerMetadata).data?.credential_configurations_supported ?? {}
  if (instanceCount === 0) return null
  // A configuration that is no longer published has no known format.
  const formatOf = (id: string): string => formatName(known[id]?.format, requests.formats) ?? id
  return (
    <Panel title={words.copies(instanceCount)} intro={words.copiesIntro}>
      <Listing
        label={words.copies(instanceCount)}
        rows={instances}
        keyOf={({ statusListId, statusListIndex }) => `${statusListId} ${statusListIndex}`}
        columns={[
          { key: 'form', name: words.form, cell: ({ configurationId: id }) => <span title={id}>{formatOf(id)}</span> },
          { key: 'status', name: words.status, cell: ({ status }) => <StatusTag status={status} /> },
          {
            key: 'list',
            name: words.statusList,
            cell: ({ statusListId }) => <IdOnDemand id={statusListId} what={words.statusList} />,
          },
          { key: 'index', name: words.index, cell: ({ statusListIndex }) => statusListIndex },
        ]}
      />
    </Panel>
  )
}
