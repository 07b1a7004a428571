import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { waitingOffers } from '../../queries/offers.js'
import { useTexts } from '../../texts/use-texts.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { shortened } from '../../ui/short-id.js'
import { Decision } from './decision.js'

/** The offers whose wallets wait for a decision. Draws nothing if there are no such offers. */
export function Waiting() {
  const { offers: words, sessions } = useTexts()
  const waiting = useInfiniteQuery(waitingOffers)
  if (waiting.data === undefined || waiting.data.length === 0) return null
  return (
    <Panel title={words.waitingTitle} intro={words.waitingIntro}>
      <Listing
        label={words.waitingTitle}
        rows={waiting.data}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'session',
            name: sessions.session,
            cell: ({ id }) => (
              <Link to="/offers/$id" params={{ id }}>
                <code title={id}>{shortened(id)}</code>
              </Link>
            ),
          },
          {
            key: 'type',
            name: words.type,
            cell: ({ credentialConfigurationIds: ids }) => ids.map((each) => each.split('-', 1)[0]).join(', '),
          },
          { key: 'made', name: sessions.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
          {
            key: 'decision',
            name: words.decision,
            nameless: true,
            cell: ({ id }) => <Decision id={id} about={shortened(id)} />,
          },
        ]}
      />
      <More query={waiting} />
    </Panel>
  )
}
