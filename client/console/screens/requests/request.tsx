import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { pageOf } from '../../queries/requests.js'
import type { VerificationSession } from '../../queries/shapes.js'
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
import { Result } from './result.js'

const route = getRouteApi('/requests/$id')

/** The screen of one request: its QR code, its progress and its result. */
export function Request() {
  const { requests: words } = useTexts()
  const { id } = route.useParams()
  const { data, all, error } = useEvents<VerificationSession>(id, (sessionId, callbacks) =>
    credence.verificationSessions.events.subscribe({ sessionId, lastEventId: BEFORE_THE_FIRST }, callbacks),
  )
  const isOver = data?.state === 'ResponseVerified' || data?.state === 'Error'
  const again = (
    <Link to="/requests/new-request" className="button">
      {words.another}
    </Link>
  )
  return (
    <Screen title={words.one} intro={isOver ? undefined : words.oneIntro} actions={again}>
      <div className="panels">
        {data !== undefined && !isOver && <Code session={data} />}
        <Panel title={words.progress}>
          {error === undefined ? <Progress sessions={all} /> : <ProblemNote error={error} />}
        </Panel>
        {data?.state === 'ResponseVerified' && <Result sessionId={id} />}
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
