import { Link } from '@tanstack/react-router'
import type { HeldCredential, HeldDetail, Presentation } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { type Column, Listing } from '../../ui/listing.js'
import { useVerifierNames } from '../../ui/party-names.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Tag } from '../../ui/tag.js'
import { shownTitles } from './held-claims.js'
import { useHeldFace } from './held-names.js'

interface Props {
  readonly presentations: readonly Presentation[]
  /** What was presented. */
  readonly what: Column<Presentation>
}

/** Presentations: the verifier, when, what, and the outcome. */
function Presented({ presentations, what }: Props) {
  const { wallets: words, reasons } = useTexts()
  const verifierName = useVerifierNames()
  return (
    <Listing
      label={words.presentations}
      rows={presentations}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'verifier',
          name: words.verifier,
          cell: ({ verifier, verifierName: claimed }) => (
            <span title={verifier}>{verifierName(verifier, claimed)}</span>
          ),
        },
        what,
        { key: 'at', name: words.presentedAt, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'state',
          name: words.state,
          cell: ({ state }) => <Tag tone={state === 'accepted' ? 'good' : 'bad'}>{words.states[state]}</Tag>,
        },
        {
          key: 'why',
          name: words.why,
          cell: ({ errorMessage }) =>
            errorMessage !== undefined && <Reason otherwise={reasons.presentationFailed}>{errorMessage}</Reason>,
        },
      ]}
    />
  )
}

interface WalletProps {
  readonly walletId: string
  readonly presentations: readonly Presentation[]
  /** The credentials that the wallet has now; undefined until they are known. */
  readonly held: readonly HeldCredential[] | undefined
}

/** The presentations of a wallet, with links to the presented credentials that the wallet still has. */
export function PresentedByWallet({ walletId, presentations, held }: WalletProps) {
  const { wallets: words, credentials } = useTexts()
  const faceOf = useHeldFace()
  const shownIn = ({ credentials: shown }: Presentation) => {
    if (held === undefined) return undefined
    const ids = new Set(shown.map(({ credentialId }) => credentialId))
    const still = held.filter(({ id }) => ids.has(id))
    if (still.length === 0) return words.notHeld
    return (
      <ul className="plain">
        {still.map((credential) => (
          <li key={credential.id}>
            <Link to="/wallets/$id/credentials/$credentialId" params={{ id: walletId, credentialId: credential.id }}>
              {faceOf(credential).title}
            </Link>
          </li>
        ))}
      </ul>
    )
  }
  return <Presented presentations={presentations} what={{ key: 'what', name: credentials.credential, cell: shownIn }} />
}

/** The presentations of one credential, with the titles of the claims that each of them showed. */
export function PresentedOf({
  credential,
  presentations,
}: {
  readonly credential: HeldDetail
  readonly presentations: readonly Presentation[]
}) {
  const { wallets: words, credentials } = useTexts()
  const shown = (presentation: Presentation) => {
    const titles = shownTitles(presentation, credential)
    if (titles === undefined) return words.notRecorded
    return titles.length === 0 ? words.noClaimShown : titles.join(', ')
  }
  return <Presented presentations={presentations} what={{ key: 'what', name: credentials.content, cell: shown }} />
}
