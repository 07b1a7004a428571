import type { ListedOffer } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { typeOfConfiguration } from '../../ui/type-of-configuration.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { SessionTable } from './session-table.js'

interface Props {
  readonly label: string
  readonly sessions: readonly ListedOffer[]
}

/** A table of credential-offer sessions, with the offered credential of each session. An offer without a name is called by its type. */
export function OfferTable(props: Props) {
  const { sessions: words } = useTexts()
  const titleOf = useTypeTitles()
  const typesOf = ({ credentialConfigurationIds: ids }: ListedOffer) =>
    [...new Set(ids.map(typeOfConfiguration))].map(titleOf).join(', ')
  return (
    <SessionTable
      {...props}
      nameless={typesOf}
      to="/offers/$id"
      stateNames={words.offerStates}
      good={['CredentialIssued', 'Accepted']}
      columns={[
        {
          key: 'offered',
          name: words.offered,
          cell: (offer) => <span title={offer.credentialConfigurationIds.join(', ')}>{typesOf(offer)}</span>,
        },
      ]}
    />
  )
}
