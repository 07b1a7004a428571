import { Link } from '@tanstack/react-router'
import type { ListedOffer } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { Listing } from '../../ui/listing.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { shortened } from '../../ui/short-id.js'
import { StateTag } from './state-tag.js'

interface Props {
  readonly label: string
  readonly sessions: readonly ListedOffer[]
}

/** Credential-offer sessions as rows: what is offered, when, how they stand, and why they failed. */
export function OfferTable({ label, sessions }: Props) {
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
            <Link to="/offers/$id" params={{ id }}>
              <code title={id}>{shortened(id)}</code>
            </Link>
          ),
        },
        {
          key: 'offered',
          name: words.offered,
          cell: ({ credentialConfigurationIds: ids }) => <span>{ids.join(', ')}</span>,
        },
        { key: 'made', name: words.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'state',
          name: words.state,
          cell: ({ state }) => (
            <StateTag isGood={state === 'CredentialIssued' || state === 'Accepted'} isBad={state === 'Error'}>
              {words.offerStates[state]}
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
