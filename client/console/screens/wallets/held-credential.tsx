import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf } from '../../problems.js'
import { type HeldDetail, heldCredential, presentationsOf } from '../../queries/wallets.js'
import { credence } from '../../service.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { Fact } from '../../ui/fact.js'
import { formatName } from '../../ui/format-name.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId } from '../../ui/short-id.js'
import { Tag } from '../../ui/tag.js'
import { useReader } from '../../ui/use-values.js'
import { ToExplain } from '../trust/explain/to-explain.js'
import { heldClaims } from './held-claims.js'
import { useHeldFace, useHeldValues } from './held-names.js'
import { PresentedOf } from './presented.js'

const route = getRouteApi('/wallets/$id/credentials/$credentialId')

const TONES = { valid: 'good', unknown: 'plain', suspended: 'warn', expired: 'ended', revoked: 'bad' } as const

/** One credential in a hosted wallet: its card, its claims, and what was shown of it to whom. */
export function HeldCredential() {
  const { language, texts } = useSpoken()
  const { wallets: words } = texts
  const { id, credentialId } = route.useParams()
  const [isLeaving, setLeaving] = useState(false)
  const navigate = useNavigate()
  const faceOf = useHeldFace()
  const query = useQuery(heldCredential(id, credentialId, language))
  const status = query.isError ? problemOf(query.error).status : undefined
  const isUnknown = status === 404
  const face = query.data === undefined ? undefined : faceOf(query.data)
  return (
    <Screen
      title={face?.title ?? texts.credentials.credential}
      titleLang={face?.titleLang}
      intro={words.credentialIntro}
      actions={
        <>
          <Link to="/wallets/$id" params={{ id }} className="button">
            {words.openWallet}
          </Link>
          {query.data !== undefined && (
            <button type="button" className="danger" onClick={() => setLeaving(true)}>
              {words.remove}
            </button>
          )}
        </>
      }
    >
      {isUnknown ? (
        <p className="bad">{words.unknownCredential}</p>
      ) : status === 403 ? (
        // The service answers the same for a wallet of another user and for a wallet that does not exist.
        <p className="bad">{words.unknown}</p>
      ) : (
        <Asked query={query}>{(credential) => <Whole walletId={id} credential={credential} />}</Asked>
      )}
      {isLeaving && (
        <Confirmation
          title={words.removeTitle}
          text={words.removeText}
          action={words.remove}
          act={async () => {
            await credence.walletCredentials.remove.mutate({ holderId: id, credentialId })
            await navigate({ to: '/wallets/$id', params: { id } })
          }}
          changes="wallets"
          isGone={isUnknown}
          onClose={() => setLeaving(false)}
        />
      )}
    </Screen>
  )
}

interface Props {
  readonly walletId: string
  readonly credential: HeldDetail
}

function Whole({ walletId, credential }: Props) {
  const { wallets: words, credentials, requests } = useTexts()
  const faceOf = useHeldFace()
  const { format, issuer, status, issuedAt, expiresAt, createdAt, type } = credential
  const reader = useReader()
  const named = useHeldValues(credential)
  const face = faceOf(credential)
  return (
    <div className="stack">
      <div className="panels">
        <Panel title={credentials.content}>
          <CredentialCard {...face} claims={heldClaims(credential, reader, named)} />
        </Panel>
        <Panel title={words.about}>
          <dl>
            <Fact name={words.issuer}>
              {face.issuer} <ShortId id={issuer} what={words.issuer} />
            </Fact>
            <Fact name={words.status}>
              <Tag tone={TONES[status]}>{words.statuses[status]}</Tag>
            </Fact>
            {issuedAt !== undefined && (
              <Fact name={credentials.issued}>
                <RelativeTime at={issuedAt} />
              </Fact>
            )}
            <Fact name={status === 'expired' ? credentials.expiredAt : credentials.expiresAt}>
              {expiresAt === undefined ? words.never : <RelativeTime at={expiresAt} />}
            </Fact>
            <Fact name={words.takenAt}>
              <RelativeTime at={createdAt} />
            </Fact>
            <Fact name={requests.format}>{formatName(format, requests.formats) ?? format}</Fact>
            <Fact name={words.type}>
              <ShortId id={type.at(-1) ?? ''} what={words.type} />
            </Fact>
          </dl>
          <ToExplain credential={credential.credential} />
        </Panel>
      </div>
      <Panel title={words.shownTo} intro={words.shownToIntro}>
        <Asked query={useQuery(presentationsOf(walletId, credential.id))}>
          {(shown) =>
            shown.length === 0 ? (
              <p role="status">{words.shownToNobody}</p>
            ) : (
              <PresentedOf credential={credential} presentations={shown} />
            )
          }
        </Asked>
      </Panel>
    </div>
  )
}
