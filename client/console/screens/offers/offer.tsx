import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { type MadeOffer, madeOffer, type OfferAgain, type OfferSession, offerAgain } from '../../queries/offers.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { CopyButton } from '../../ui/copy-button.js'
import { HostedWallet } from '../../ui/hosted-wallet.js'
import { NameFacts } from '../../ui/name-fields.js'
import { knownAs } from '../../ui/names.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { QrCode } from '../../ui/qr-code.js'
import { Screen } from '../../ui/screen.js'
import { Sentence } from '../../ui/sentence.js'
import { typeOfConfiguration } from '../../ui/type-of-configuration.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { BEFORE_THE_FIRST, useEvents } from '../../ui/use-events.js'
import { May } from '../../ui/use-may.js'
import { Progress } from './progress.js'
import { ReasonDialog } from './reason-dialog.js'
import { ResendDialog } from './resend-dialog.js'
import { Undecided } from './undecided.js'

const route = getRouteApi('/offers/$id')

type OfferLink = Pick<MadeOffer, 'link' | 'pin' | 'pageUrl' | 'inBrowser'>

/** The link of an offer that is open. */
const linkOf = ({ credentialOfferUri: link, txCode: pin, pageUrl, grant }: OfferAgain): OfferLink | undefined =>
  link === undefined ? undefined : { link, pin, pageUrl, inBrowser: grant === 'authorization_code' }

/** The screen of one offer: its QR code, its progress, and the actions that are possible. */
export function Offer() {
  const { offers: words } = useTexts()
  const { id } = route.useParams()
  const client = useQueryClient()
  const made = madeOffer(client, id)
  const isSession = made === undefined || made.limit === 1
  const {
    all,
    data: session,
    error,
  } = useEvents<OfferSession>(isSession ? id : undefined, (key, callbacks) =>
    credence.credentialOffers.events.subscribe({ id: key, lastEventId: BEFORE_THE_FIRST }, callbacks),
  )
  const { data: offer, isPending } = useQuery({ ...offerAgain(id), enabled: isSession })
  // The link ends when a wallet takes the offer, and a resend by another user makes a new link.
  const [state, deferred] = [session?.state, session?.deferred]
  useEffect(() => {
    if (state !== undefined || deferred !== undefined)
      void client.invalidateQueries({ queryKey: offerAgain(id).queryKey })
  }, [client, id, state, deferred])
  const link = isSession && offer !== undefined ? linkOf(offer) : made
  const subject = offer?.credentialSubject
  const titleOf = useTypeTitles()
  const type = made?.type ?? session?.credentialConfigurationIds.map(typeOfConfiguration)[0]
  const names = session ?? made?.names ?? {}
  const title = knownAs(names) ?? (type === undefined ? words.made : titleOf(type))
  // The panel about the hosted wallet stays after the wallet has taken the offer, because it tells the outcome.
  const lastLink = useRef(link)
  if (link !== undefined) lastLink.current = link
  const hosted = hostedUse(lastLink.current)
  const another = (
    <May open="/offers">
      <Link to="/offers" search={made === undefined ? {} : { type: made.type }} className="button">
        {words.another}
      </Link>
    </May>
  )
  // The offer does not exist, or belongs to another user.
  if (error !== undefined && session === undefined)
    return (
      <Screen title={words.made} actions={another}>
        <ProblemNote error={error} />
      </Screen>
    )
  return (
    <Screen title={title} intro={link === undefined ? undefined : words.madeIntro} actions={another}>
      <div className="panels">
        {link !== undefined && <Code {...link} />}
        <div className="stack">
          {hosted !== undefined && (
            <div className="panel">
              <HostedWallet {...hosted} kind="offer" isOpen={link !== undefined} />
            </div>
          )}
          <Panel title={words.progress}>
            {knownAs(names) !== undefined && (
              <dl>
                <NameFacts {...names} />
              </dl>
            )}
            {isSession ? <Progress sessions={all} /> : <p>{words.many(made.limit)}</p>}
            {error !== undefined && <ProblemNote error={error} />}
            {offer !== undefined && <Actions offer={offer} />}
          </Panel>
        </div>
        {offer !== undefined && subject !== undefined && (
          <Undecided offer={{ ...offer, credentialSubject: subject }} waits={offer.deferred === 'pending'} />
        )}
        {link === undefined && !(isPending && isSession) && (
          <Panel title={words.goneTitle}>
            <p>{words.gone}</p>
            {offer?.reason !== undefined && (
              <p>
                {words.reason}: <Sentence>{offer.reason}</Sentence>
              </p>
            )}
          </Panel>
        )}
      </div>
    </Screen>
  )
}

/** What a hosted wallet needs to take an offer; undefined if no hosted wallet can take it. */
function hostedUse(link: OfferLink | undefined) {
  return link === undefined || link.inBrowser ? undefined : { uri: link.link, pin: link.pin }
}

function Code({ link, pin, pageUrl, inBrowser }: OfferLink) {
  const { offers: words } = useTexts()
  return (
    <Panel title={words.code}>
      <QrCode text={link} label={words.code} />
      {pin !== undefined && (
        <p>
          {words.pinIs}: <strong className="pin">{pin}</strong>
          <CopyButton value={pin} what={words.pinIs} />
          <br />
          <span className="soft">{words.pinHint}</span>
        </p>
      )}
      <p className="row">
        <a href={link}>{words.link}</a>
        <CopyButton value={link} what={words.link} />
      </p>
      {pageUrl !== undefined && (
        <p className="row">
          <a href={pageUrl} target="_blank" rel="noreferrer">
            {words.page}
          </a>
          <CopyButton value={pageUrl} what={words.page} />
        </p>
      )}
      {inBrowser && <p className="soft">{words.notHosted}</p>}
    </Panel>
  )
}

const OPEN: readonly OfferAgain['state'][] = ['Created', 'OfferRetrieved', 'Authorized', 'TokenIssued']

/** The buttons that cancel an offer and give it a new link. */
function Actions({ offer }: { readonly offer: OfferAgain }) {
  const { offers: words } = useTexts()
  const [asks, setAsks] = useState<'cancel' | 'resend'>()
  const { id, state, credentialOfferUri, grant, txCodeLocked } = offer
  const isOpen = OPEN.includes(state)
  const close = () => setAsks(undefined)
  return (
    <>
      {(isOpen || txCodeLocked) && (
        <div className="row">
          {(credentialOfferUri !== undefined || txCodeLocked) && (
            <button type="button" onClick={() => setAsks('resend')}>
              {words.resend}
            </button>
          )}
          {isOpen && (
            <button type="button" className="danger" onClick={() => setAsks('cancel')}>
              {words.cancel}
            </button>
          )}
        </div>
      )}
      {asks === 'resend' && (
        <ResendDialog id={id} mayHavePin={grant === 'pre-authorized_code' && !txCodeLocked} onClose={close} />
      )}
      {asks === 'cancel' && (
        <ReasonDialog
          title={words.cancelTitle}
          text={words.cancelText}
          action={words.cancel}
          act={(reason) => credence.credentialOffers.cancel.mutate({ id, ...reason })}
          onClose={close}
        />
      )}
    </>
  )
}
