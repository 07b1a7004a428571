import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { credentialHistory, type History } from '../../queries/credentials.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Fact } from '../../ui/fact.js'
import { Listing } from '../../ui/listing.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId, shortened } from '../../ui/short-id.js'
import { Timeline } from '../../ui/timeline.js'
import { Content } from './content.js'
import { Revocation } from './revocation.js'
import { StatusTag } from './status-tag.js'

const route = getRouteApi('/credentials/$id')

/** One credential: its status, its instances and its history. Its claims are shown only after a click. */
export function Credential() {
  const { credentials: words } = useTexts()
  const { id } = route.useParams()
  const query = useQuery(credentialHistory(id))
  const [isAsking, setAsking] = useState(false)
  const revoke = query.data?.credential.status === 'active' && (
    <button type="button" className="danger" onClick={() => setAsking(true)}>
      {words.revoke}
    </button>
  )
  return (
    <Screen title={words.credential} intro={words.oneIntro} actions={revoke}>
      <Asked query={query}>{(history) => <Whole history={history} />}</Asked>
      {isAsking && <Revocation ids={[id]} onClose={() => setAsking(false)} />}
    </Screen>
  )
}

function Whole({ history }: { readonly history: History }) {
  const { credentials: words, audit } = useTexts()
  const actions: Readonly<Record<string, string>> = audit.actions
  const { credential, events } = history
  const { id, type, version, status, holderDid, createdAt, revokedAt } = credential
  const about = [
    [words.type, words.typeVersion(type, version)],
    [words.status, <StatusTag key="status" status={status} />],
    [words.issued, <RelativeTime key="issued" at={createdAt} />],
    ...(revokedAt === undefined ? [] : [[words.revokedAt, <RelativeTime key="revoked" at={revokedAt} />] as const]),
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
            steps={[...events].reverse().map(({ id: key, action, actor, at }) => ({
              key: String(key),
              tone: action === 'credential.revoked' ? ('bad' as const) : ('done' as const),
              title: actions[action] ?? action,
              text: (
                <>
                  <RelativeTime at={at} />
                  {actor != null && `, ${actor}`}
                </>
              ),
            }))}
          />
        </Panel>
      </div>
      <Content id={id} type={type} version={version} />
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
