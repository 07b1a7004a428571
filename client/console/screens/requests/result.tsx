import { useQuery } from '@tanstack/react-query'
import { problemOf } from '../../problems.js'
import { verificationResult } from '../../queries/requests.js'
import type { CheckedSession, VerificationResult } from '../../queries/shapes.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor, langOf } from '../../ui/display-name.js'
import { formatName } from '../../ui/format-name.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Panel } from '../../ui/panel.js'
import { useIssuerNames } from '../../ui/party-names.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { useReader, useTitlesOfValues } from '../../ui/use-values.js'
import type { Ask } from './asks.js'
import { claimsOf, knownTo } from './known-type.js'
import { useAsks } from './use-asks.js'

type Proven = VerificationResult['credentials'][number]

interface Props {
  readonly sessionId: string
  /** The credentials that the request asks for, and the checks of the answer; undefined until they are read. */
  readonly checked: Pick<CheckedSession, 'asks' | 'checks'> | undefined
}

/** The result of a session: each credential as a card. */
export function Result({ sessionId, checked: { asks, checks } = { asks: [], checks: [] } }: Props) {
  const { requests: words } = useSpoken().texts
  const query = useQuery(verificationResult(sessionId))
  if (query.isError && problemOf(query.error).status === 410) {
    return (
      <Panel title={words.result}>
        <p role="status">{words.resultErased}</p>
      </Panel>
    )
  }
  return (
    <Panel title={words.result}>
      <Asked query={query}>
        {({ credentials, discarded, verifiedAt }) => (
          <>
            {credentials.map((credential, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes.
              <Card key={at} credential={credential} asks={asks} />
            ))}
            <Discarded discarded={discarded} checks={checks} />
            <p className="soft">
              {words.verifiedAt} <RelativeTime at={verifiedAt} />
            </p>
          </>
        )}
      </Asked>
    </Panel>
  )
}

function Card({ credential, asks }: { readonly credential: Proven; readonly asks: readonly Ask[] }) {
  const { language, texts } = useSpoken()
  const { requests: words } = texts
  const reader = useReader()
  const issuerName = useIssuerNames()
  const { titleOf, types } = useAsks()
  const known = knownTo(types, credential)
  const { credentialQueryId, issuer, type, claims, format, transactionData } = credential
  const asked = titleOf(asks.filter((ask) => ask.credentialQueryId === credentialQueryId))
  const named = useTitlesOfValues(known?.id)
  const look = entryFor(known?.display ?? [], language)
  const shown = claimsOf(claims, format, known, reader, named)
  return (
    <div className="proven">
      <CredentialCard
        title={look?.name ?? type.at(-1) ?? words.anyCredential}
        titleLang={langOf(known?.display, language)}
        issuer={issuerName(issuer)}
        display={look}
        claims={shown}
      />
      {shown.length === 0 && <p className="soft">{words.noClaimsShown}</p>}
      <p className="soft">
        {formatName(format, words.formats) ?? format}
        {asked !== undefined && ` · ${words.resultFor(asked)}`}{' '}
        <IdOnDemand id={credentialQueryId} what={words.queryId} />
      </p>
      {transactionData !== undefined && transactionData.length > 0 && (
        <p className="good">{words.authorized(transactionData.length)}</p>
      )}
    </div>
  )
}

type DiscardedProps = Pick<VerificationResult, 'discarded'> & Pick<CheckedSession, 'checks'>

function Discarded({ discarded, checks }: DiscardedProps) {
  const { requests: words } = useSpoken().texts
  const failedOf = (id: string) =>
    checks.find(({ credentialQueryId, outcome }) => credentialQueryId === id && outcome === 'failed')?.check
  if (discarded.length === 0) return null
  return (
    <>
      <h3>{words.discarded}</h3>
      <p className="soft">{words.discardedIntro}</p>
      <ul>
        {discarded.map(({ credentialQueryId, reason }) => (
          <li key={`${credentialQueryId} ${reason}`}>
            <Reason check={failedOf(credentialQueryId)}>{reason}</Reason>
          </li>
        ))}
      </ul>
    </>
  )
}
