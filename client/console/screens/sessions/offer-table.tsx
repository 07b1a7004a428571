import type { ListedOffer } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { SessionTable } from './session-table.js'

interface Props {
  readonly label: string
  readonly sessions: readonly ListedOffer[]
}

/** A table of credential-offer sessions, with the offered credential of each session. */
export function OfferTable(props: Props) {
  const { sessions: words } = useTexts()
  return (
    <SessionTable
      {...props}
      to="/offers/$id"
      stateNames={words.offerStates}
      good={['CredentialIssued', 'Accepted']}
      columns={[
        {
          key: 'offered',
          name: words.offered,
          cell: ({ credentialConfigurationIds: ids }) => <span>{ids.join(', ')}</span>,
        },
      ]}
    />
  )
}
