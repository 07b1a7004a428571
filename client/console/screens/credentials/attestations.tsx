import type { History } from '../../queries/credentials.js'
import { useTexts } from '../../texts/use-texts.js'
import { Listing } from '../../ui/listing.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'

type Attestation = History['attestations'][number]
type State = 'valid' | 'revoked' | 'ended' | 'unreadable'

function stateOf({ invalidAt, endsAt, failedAt }: Attestation): State {
  if (invalidAt !== undefined) return 'revoked'
  if (endsAt !== undefined && Date.parse(endsAt) <= Date.now()) return 'ended'
  return failedAt === undefined ? 'valid' : 'unreadable'
}

const TONES: Readonly<Record<State, string>> = { valid: 'good', revoked: 'bad', ended: '', unreadable: 'bad' }

/** The attestations of the wallet and of its keys that are looked at again, and when they were last looked at. */
export function Attestations({ history: { attestations } }: { readonly history: History }) {
  const { credentials: words } = useTexts()
  if (attestations.length === 0) return null
  return (
    <Panel title={words.attestations} intro={words.attestationsIntro}>
      <Listing
        label={words.attestations}
        rows={attestations}
        keyOf={({ kind, statusList, statusListIndex }) => `${kind} ${statusList} ${statusListIndex}`}
        columns={[
          { key: 'kind', name: words.attestation, cell: ({ kind }) => words.attestationKinds[kind] },
          {
            key: 'state',
            name: words.attestationState,
            cell: (attestation) => {
              const state = stateOf(attestation)
              return <span className={`tag ${TONES[state]}`}>{words.attestationStates[state]}</span>
            },
          },
          { key: 'read', name: words.lookedAt, cell: ({ readAt }) => <RelativeTime at={readAt} /> },
          {
            key: 'ends',
            name: words.maintainedUntil,
            cell: ({ endsAt }) => (endsAt === undefined ? '–' : <RelativeTime at={endsAt} />),
          },
          { key: 'list', name: words.statusList, cell: ({ statusList }) => <code>{statusList}</code> },
          { key: 'index', name: words.index, cell: ({ statusListIndex }) => statusListIndex },
        ]}
      />
    </Panel>
  )
}
