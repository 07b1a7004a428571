import { Link } from '@tanstack/react-router'
import type { CheckDone } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { type Column, Listing } from '../../ui/listing.js'
import { CutName, LongName } from '../../ui/long-name.js'
import { Maker } from '../../ui/maker.js'
import { knownAs, type Names } from '../../ui/names.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { StateTag } from './state-tag.js'

/** The members that both kinds of sessions have. */
interface Listed extends Names {
  readonly id: string
  readonly state: string
  readonly createdAt: string
  readonly createdBy?: string | undefined
  readonly errorMessage?: string | undefined
  readonly failedCheck?: CheckDone['check'] | undefined
}

interface Props<Session extends Listed> {
  readonly label: string
  readonly sessions: readonly Session[]
  /** The address of the session's timeline. */
  readonly to: '/offers/$id' | '/requests/$id'
  readonly stateNames: Readonly<Record<Session['state'], string>>
  /** The states that mean success. */
  readonly good: readonly Session['state'][]
  /** Names a session that has no label and no reference. */
  readonly nameless: (session: Session) => string
  /** Columns for this kind of session only. */
  readonly columns?: readonly Column<Session>[]
}

/** A table of sessions: time, state, and the reason of a failure. */
export function SessionTable<Session extends Listed>(props: Props<Session>) {
  const { label, sessions, to, stateNames, good, nameless, columns = [] } = props
  const { sessions: words, names } = useTexts()
  return (
    <Listing
      label={label}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'session',
          name: words.session,
          cell: (session) => (
            <Link to={to} params={{ id: session.id }}>
              <LongName>{knownAs(session) ?? nameless(session)}</LongName>
            </Link>
          ),
        },
        ...columns,
        {
          key: 'state',
          name: words.state,
          cell: ({ state }: Session) => (
            <StateTag isGood={good.includes(state)} isBad={state === 'Error'}>
              {stateNames[state as Session['state']]}
            </StateTag>
          ),
        },
        { key: 'made', name: words.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        { key: 'by', name: words.by, cell: ({ createdBy }) => <Maker sub={createdBy} /> },
        {
          key: 'reference',
          name: names.reference,
          cell: ({ reference }) => reference !== undefined && <CutName name={reference} what={names.reference} />,
        },
        {
          key: 'why',
          name: words.why,
          cell: ({ errorMessage, failedCheck }) =>
            errorMessage !== undefined && <Reason check={failedCheck}>{errorMessage}</Reason>,
        },
      ]}
    />
  )
}
