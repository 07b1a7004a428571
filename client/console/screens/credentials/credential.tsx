import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { credentialHistory, type History } from '../../queries/credentials.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Fact } from '../../ui/fact.js'
import { Listing } from '../../ui/listing.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId, shortened } from '../../ui/short-id.js'
import { Timeline } from '../../ui/timeline.js'
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
  const known = query.data?.credential
  const close = () => setAsking(undefined)
  const actions = (
    <>
      {known !== undefined && known.claimsErasedAt === undefined && (
        <button type="button" className="danger" onClick={() => setAsking('erase')}>
          {words.erase}
        </button>
      )}
      {changesOf(known).map((change) => (
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
    <Screen title={words.credential} intro={words.oneIntro} actions={actions}>
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
  if (credential.status === 'suspended') return ['reinstate', 'revoke']
  return credential.suspendable === true ? ['suspend', 'revoke'] : ['revoke']
}

const BAD = new Set(['credential.revoked', 'credential.suspended'])
const CHANGES = new Set([...BAD, 'credential.reinstated'])

const isChanged = (events: History['events']): boolean => events.some(({ action }) => CHANGES.has(action))

function Whole({ history }: { readonly history: History }) {
  const { credentials: words, audit } = useTexts()
  const actions: Readonly<Record<string, string>> = audit.actions
  const reasons: Readonly<Record<string, string>> = words.reasons
  const { credential, events } = history
  const { id, type, version, status, holderDid, createdAt, suspendedAt, revokedAt, claimsErasedAt, reason } = credential
  const about = [
    [words.type, words.typeVersion(type, version)],
    [words.status, <StatusTag key="status" status={status} />],
    [words.issued, <RelativeTime key="issued" at={createdAt} />],
    ...(suspendedAt === undefined
      ? []
      : [[words.suspendedAt, <RelativeTime key="suspended" at={suspendedAt} />] as const]),
    ...(revokedAt === undefined ? [] : [[words.revokedAt, <RelativeTime key="revoked" at={revokedAt} />] as const]),
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
      {claimsErasedAt === undefined ? <Content id={id} type={type} version={version} /> : <Erased />}
      <Copies history={history} />
    </div>
  )
}

/** A list of the instances, each with its index in a status list. */
function Copies({ history: { instances, instanceCount } }: { readonly history: History }) {
  const { credentials: words } = useTexts()
  if (instanceCount === 0) return null
  return (
    <Panel title={words.copies(instanceCount)} intro={words.copiesIntro}>
      <Listing
        label={words.copies(instanceCount)}
        rows={instances}
        keyOf={({ statusListId, statusListIndex }) => `${statusListId} ${statusListIndex}`}
        columns={[
          { key: 'form', name: words.form, cell: ({ configurationId }) => configurationId },
          { key: 'status', name: words.status, cell: ({ status }) => <StatusTag status={status} /> },
          {
            key: 'list',
            name: words.statusList,
            cell: ({ statusListId }) => <code title={statusListId}>{shortened(statusListId)}</code>,
          },
          { key: 'index', name: words.index, cell: ({ statusListIndex }) => statusListIndex },
        ]}
      />
    </Panel>
  )
}
