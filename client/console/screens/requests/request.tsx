import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { pageOf, sessionChecks } from '../../queries/requests.js'
import type { VerificationSession } from '../../queries/shapes.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Fact } from '../../ui/fact.js'
import { HostedWallet } from '../../ui/hosted-wallet.js'
import { NameFacts } from '../../ui/name-fields.js'
import { knownAs } from '../../ui/names.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { QrCode } from '../../ui/qr-code.js'
import { Screen } from '../../ui/screen.js'
import { BEFORE_THE_FIRST, useEvents } from '../../ui/use-events.js'
import { May, useMay } from '../../ui/use-may.js'
import { Approved } from './approved.js'
import { Progress } from './progress.js'
import { Refusal } from './refusal.js'
import { Result } from './result.js'
import { useAsks } from './use-asks.js'

const route = getRouteApi('/requests/$id')

/** The screen of one request: what it asks for, its QR code or its result, and its progress. */
export function Request() {
  const { requests: words } = useTexts()
  const { id } = route.useParams()
  const { data, all, error } = useEvents<VerificationSession>(id, (sessionId, callbacks) =>
    credence.verificationSessions.events.subscribe({ sessionId, lastEventId: BEFORE_THE_FIRST }, callbacks),
  )
  const isOver = data?.state === 'ResponseVerified' || data?.state === 'Error'
  const may = useMay()
  const read = useQuery({
    ...sessionChecks(id, isOver),
    enabled: data !== undefined && may.call('verificationSessions.checks'),
    placeholderData: keepPreviousData,
  })
  // Until the checks of the ended session are read, only what it asks for is known.
  const checked = read.isPlaceholderData ? undefined : read.data
  const asks = useAsks().titleOf(read.data?.asks)
  const label = knownAs(data ?? {})
  const again = (
    <May open="/requests/new-request">
      <Link to="/requests/new-request" className="button">
        {words.another}
      </Link>
    </May>
  )
  // The request does not exist, or belongs to another user.
  if (error !== undefined && data === undefined)
    return (
      <Screen title={words.one} actions={again}>
        <ProblemNote error={error} />
      </Screen>
    )
  return (
    <Screen title={label ?? asks ?? words.one} intro={isOver ? undefined : words.oneIntro} actions={again}>
      <div className="panels">
        {data !== undefined && !isOver && <Code session={data} />}
        {!isOver && checked?.transactionData !== undefined && <Approved transactions={checked.transactionData} />}
        {data?.state === 'ResponseVerified' && <Result sessionId={id} checked={checked} />}
        {data?.state === 'Error' && checked !== undefined && <Refusal session={data} checked={checked} />}
        <Panel title={words.progress}>
          {data !== undefined && (label !== undefined || data.purpose !== undefined) && (
            <dl>
              <NameFacts {...data} />
              {label !== undefined && asks !== undefined && <Fact name={words.asksFor}>{asks}</Fact>}
              {data.purpose !== undefined && <Fact name={words.purpose}>{data.purpose}</Fact>}
            </dl>
          )}
          {error === undefined ? <Progress sessions={all} checked={checked} /> : <ProblemNote error={error} />}
        </Panel>
      </div>
    </Screen>
  )
}

function Code({ session }: { readonly session: VerificationSession }) {
  const { requests: words } = useTexts()
  const page = pageOf(useQueryClient(), session.id)
  const { authorizationRequestUri: link } = session
  return (
    <Panel title={words.code}>
      {link === '' ? (
        <p>{words.overBrowser}</p>
      ) : (
        <>
          <QrCode text={link} label={words.code} />
          <p className="row">
            <a href={link}>{words.link}</a>
            <CopyButton value={link} what={words.link} />
          </p>
          <HostedWallet uri={link} kind="request" />
        </>
      )}
      {page !== undefined && (
        <p className="row">
          <a href={page} target="_blank" rel="noreferrer">
            {words.page}
          </a>
          <CopyButton value={page} what={words.page} />
        </p>
      )}
    </Panel>
  )
}
