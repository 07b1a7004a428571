import { useQuery } from '@tanstack/react-query'
import { problemOf } from '../../problems.js'
import { issuerMetadata } from '../../queries/metadata.js'
import { verificationResult } from '../../queries/requests.js'
import type { VerificationResult } from '../../queries/shapes.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { leavesOf } from '../../ui/claims.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor, nameOf } from '../../ui/display-name.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { shortened } from '../../ui/short-id.js'
import { type Askable, askables } from './askable.js'

type Proven = VerificationResult['credentials'][number]

/** The result of a session: each credential as a card. */
export function Result({ sessionId }: { readonly sessionId: string }) {
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
              <Card key={at} credential={credential} />
            ))}
            <Discarded discarded={discarded} />
            <p className="soft">
              {words.verifiedAt} <RelativeTime at={verifiedAt} />
            </p>
          </>
        )}
      </Asked>
    </Panel>
  )
}

/** The credential's type in this installation. The card has the names and colours of this type. */
const knownTo = (types: readonly Askable[], { type, format }: Proven): Askable | undefined =>
  types.find((each) => each.format === format && type.includes(each.type))

function Card({ credential }: { readonly credential: Proven }) {
  const { language, texts } = useSpoken()
  const { requests: words } = texts
  const metadata = useQuery(issuerMetadata)
  const known = knownTo(askables(metadata.data?.credential_configurations_supported ?? {}), credential)
  const { credentialQueryId, issuer, type, claims, format, transactionData } = credential
  const look = entryFor(known?.display ?? [], language)
  const titles = new Map(known?.claims.map(({ path, display }) => [path.join('\0'), nameOf(display, language)]))
  const prefix = format === 'jwt_vc_json' ? ['credentialSubject'] : []
  const shown = leavesOf(claims).map(({ path, value }) => ({
    key: path.join('\0'),
    title: titles.get([...prefix, ...path].join('\0')) ?? path.slice(format === 'mso_mdoc' ? 1 : 0).join('.'),
    value,
  }))
  return (
    <div className="proven">
      <CredentialCard
        title={look?.name ?? type.at(-1) ?? credentialQueryId}
        issuer={shortened(issuer)}
        backgroundColor={look?.background_color}
        textColor={look?.text_color}
        claims={shown}
      />
      {shown.length === 0 && <p className="soft">{words.noClaimsShown}</p>}
      <p className="soft">
        {words.formats[format as keyof typeof words.formats] ?? format} · {words.resultFor(credentialQueryId)}
      </p>
      {transactionData !== undefined && transactionData.length > 0 && (
        <p className="good">{words.authorized(transactionData.length)}</p>
      )}
    </div>
  )
}

function Discarded({ discarded }: Pick<VerificationResult, 'discarded'>) {
  const { requests: words } = useSpoken().texts
  if (discarded.length === 0) return null
  return (
    <>
      <h3>{words.discarded}</h3>
      <p className="soft">{words.discardedIntro}</p>
      <ul>
        {discarded.map(({ credentialQueryId, reason }) => (
          <li key={`${credentialQueryId} ${reason}`}>
            <Sentence>{reason}</Sentence>
          </li>
        ))}
      </ul>
    </>
  )
}
