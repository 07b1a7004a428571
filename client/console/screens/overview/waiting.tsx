import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { waitingOffers } from '../../queries/offers.js'
import { type Failure, failures } from '../../queries/overview.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { LongName } from '../../ui/long-name.js'
import { knownAs } from '../../ui/names.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Tag } from '../../ui/tag.js'
import { typeOfConfiguration } from '../../ui/type-of-configuration.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { May, useMay } from '../../ui/use-may.js'
import { useAsks } from '../requests/use-asks.js'

/** How many wallets wait for a decision of the user, with the way to the decision. Draws nothing if none waits. */
export function WaitingOffers() {
  const may = useMay()
  return may.call('credentialOffers.sessions') && may.open('/offers') ? <Deferred /> : null
}

function Deferred() {
  const { overview: words } = useTexts()
  const waiting = useInfiniteQuery(waitingOffers)
  const count = waiting.data?.length ?? 0
  if (count === 0) return null
  return (
    <p className="attention">
      <Link to="/offers">{words.waitingOffers(count, waiting.hasNextPage)}</Link>
    </p>
  )
}

/** The latest failed sessions, each with its reason. */
export function Failures() {
  const { overview: words } = useTexts()
  const may = useMay()
  const query = useQuery(failures(may.call('credentialOffers.sessions'), may.call('verificationSessions.list')))
  return (
    <Asked query={query}>
      {(failed) =>
        failed.length === 0 ? (
          <p className="soft">{words.noFailures}</p>
        ) : (
          <>
            <h3 id="failures">{words.failures}</h3>
            <ul className="checklist" aria-labelledby="failures">
              {failed.map((failure) => (
                <li key={failure.id}>
                  <Failed failure={failure} />
                </li>
              ))}
            </ul>
            <May open="/sessions">
              <Link to="/sessions" search={{ state: 'Error' }}>
                {words.allFailures}
              </Link>
            </May>
          </>
        )
      }
    </Asked>
  )
}

function Failed({ failure }: { readonly failure: Failure }) {
  const { createdAt, errorMessage } = failure
  const failedCheck = failure.kind === 'request' ? failure.failedCheck : undefined
  return (
    <>
      <p className="checklist-title">
        {failure.kind === 'offer' ? <FailedOffer offer={failure} /> : <FailedRequest request={failure} />}
        <span className="soft">
          {' '}
          <RelativeTime at={createdAt} />
        </span>
      </p>
      {errorMessage !== undefined && <Reason check={failedCheck}>{errorMessage}</Reason>}
    </>
  )
}

function FailedOffer({ offer }: { readonly offer: Extract<Failure, { kind: 'offer' }> }) {
  const { overview: words } = useTexts()
  const titleOf = useTypeTitles()
  const [type] = offer.credentialConfigurationIds.map(typeOfConfiguration)
  return (
    <Link to="/offers/$id" params={{ id: offer.id }}>
      <LongName>
        {knownAs(offer) ??
          (type === undefined ? words.failedOffer : words.failedNamed(words.failedOffer, titleOf(type)))}
      </LongName>
    </Link>
  )
}

function FailedRequest({ request }: { readonly request: Extract<Failure, { kind: 'request' }> }) {
  const { overview: words, checks } = useTexts()
  const asked = useAsks().titleOf(request.asks)
  return (
    <>
      <Link to="/requests/$id" params={{ id: request.id }}>
        <LongName>
          {knownAs(request) ??
            (asked === undefined ? words.failedRequest : words.failedNamed(words.failedRequest, asked))}
        </LongName>
      </Link>{' '}
      {request.failedCheck !== undefined && <Tag tone="bad">{checks.names[request.failedCheck]}</Tag>}
    </>
  )
}
