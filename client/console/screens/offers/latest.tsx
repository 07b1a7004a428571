import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { offerSessions } from '../../queries/offers.js'
import { useTexts } from '../../texts/use-texts.js'
import { Panel } from '../../ui/panel.js'
import { May } from '../../ui/use-may.js'
import { OfferTable } from '../sessions/offer-table.js'

/** Number of offers in the list of latest offers. */
const LATEST = 5

/** The latest offers with their states. Draws nothing if there is no offer. */
export function LatestOffers() {
  const { offers: words } = useTexts()
  const latest = useInfiniteQuery(offerSessions({})).data ?? []
  if (latest.length === 0) return null
  return (
    <div className="after">
      <Panel title={words.latest}>
        <OfferTable label={words.latest} sessions={latest.slice(0, LATEST)} />
        <May open="/sessions">
          <p>
            <Link to="/sessions" search={{ kind: 'offers' }}>
              {words.allOffers}
            </Link>
          </p>
        </May>
      </Panel>
    </div>
  )
}
