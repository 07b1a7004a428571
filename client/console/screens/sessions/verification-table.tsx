import { Link } from '@tanstack/react-router'
import type { ListedVerification } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { Listing } from '../../ui/listing.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { shortened } from '../../ui/short-id.js'
import { StateTag } from './state-tag.js'

interface Props {
  readonly label: string
  readonly sessions: readonly ListedVerification[]
}

/** Verification sessions as rows: when, how they stand, and why they failed. */
export function VerificationTable({ label, sessions }: Props) {
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
            <Link to="/requests/$id" params={{ id }}>
              <code title={id}>{shortened(id)}</code>
            </Link>
          ),
        },
        { key: 'made', name: words.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'state',
          name: words.state,
          cell: ({ state }) => (
            <StateTag isGood={state === 'ResponseVerified'} isBad={state === 'Error'}>
              {words.requestStates[state]}
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
