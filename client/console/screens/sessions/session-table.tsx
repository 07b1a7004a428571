import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { type Column, Listing } from '../../ui/listing.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { shortened } from '../../ui/short-id.js'
import { StateTag } from './state-tag.js'

/** The members that both kinds of sessions have. */
interface Listed {
  readonly id: string
  readonly state: string
  readonly createdAt: string
  readonly errorMessage?: string | undefined
}

interface Props<Session extends Listed> {
  readonly label: string
  readonly sessions: readonly Session[]
  /** The address of the session's timeline. */
  readonly to: '/offers/$id' | '/requests/$id'
  readonly stateNames: Readonly<Record<Session['state'], string>>
  /** The states that mean success. */
  readonly good: readonly Session['state'][]
  /** Columns for this kind of session only. */
  readonly columns?: readonly Column<Session>[]
}

/** A table of sessions: time, state, and the reason of a failure. */
export function SessionTable<Session extends Listed>(props: Props<Session>) {
  const { label, sessions, to, stateNames, good, columns = [] } = props
  const { sessions: words } = useTexts()
  return (
    <Listing
      label={label}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'session',
          name: words.session,
          cell: ({ id }) => (
            <Link to={to} params={{ id }}>
              <code title={id}>{shortened(id)}</code>
            </Link>
          ),
        },
        ...columns,
        { key: 'made', name: words.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'state',
          name: words.state,
          cell: ({ state }: Session) => (
            <StateTag isGood={good.includes(state)} isBad={state === 'Error'}>
              {stateNames[state as Session['state']]}
            </StateTag>
          ),
        },
        {
          key: 'why',
          name: words.why,
          cell: ({ errorMessage }) => errorMessage !== undefined && <Sentence>{errorMessage}</Sentence>,
        },
      ]}
    />
  )
}
