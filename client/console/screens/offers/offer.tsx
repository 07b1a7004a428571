import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { madeOffer, type OfferSession } from '../../queries/offers.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { CopyButton } from '../../ui/copy-button.js'
import { HostedWallet } from '../../ui/hosted-wallet.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { QrCode } from '../../ui/qr-code.js'
import { Screen } from '../../ui/screen.js'
import { BEFORE_THE_FIRST, useEvents } from '../../ui/use-events.js'
import { Progress } from './progress.js'

const route = getRouteApi('/offers/$id')

/** The screen of one offer: its QR code and its progress. */
export function Offer() {
  const { offers: words } = useTexts()
  const { id } = route.useParams()
  const made = madeOffer(useQueryClient(), id)
  const isSession = made === undefined || made.limit === 1
  const { all, error } = useEvents<OfferSession>(isSession ? id : undefined, (session, callbacks) =>
    credence.credentialOffers.events.subscribe({ id: session, lastEventId: BEFORE_THE_FIRST }, callbacks),
  )
  const again = (
    <Link to="/offers" search={made === undefined ? {} : { type: made.type }} className="button">
      {words.another}
    </Link>
  )
  return (
    <Screen title={words.made} intro={made === undefined ? undefined : words.madeIntro} actions={again}>
      <div className="panels">
        {made === undefined ? (
          <Panel title={words.goneTitle}>
            <p>{words.gone}</p>
          </Panel>
        ) : (
          <Panel title={words.code}>
            <QrCode text={made.link} label={words.code} />
            {made.pin !== undefined && (
              <p>
                {words.pinIs}: <strong className="pin">{made.pin}</strong>
                <CopyButton value={made.pin} what={words.pinIs} />
                <br />
                <span className="soft">{words.pinHint}</span>
              </p>
            )}
            <p className="row">
              <a href={made.link}>{words.link}</a>
              <CopyButton value={made.link} what={words.link} />
            </p>
            {made.pageUrl !== undefined && (
              <p className="row">
                <a href={made.pageUrl} target="_blank" rel="noreferrer">
                  {words.page}
                </a>
                <CopyButton value={made.pageUrl} what={words.page} />
              </p>
            )}
            {made.inBrowser ? (
              <p className="soft">{words.notHosted}</p>
            ) : (
              <HostedWallet uri={made.link} pin={made.pin} kind="offer" />
            )}
          </Panel>
        )}
        <Panel title={words.progress}>
          {isSession ? <Progress sessions={all} /> : <p>{words.many(made.limit)}</p>}
          {error !== undefined && <ProblemNote error={error} />}
        </Panel>
      </div>
    </Screen>
  )
}
