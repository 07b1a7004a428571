import { Link } from '@tanstack/react-router'
import type { HeldCredential, Wallet } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { CredentialFace } from '../../ui/credential-face.js'
import { Empty } from '../../ui/empty.js'
import { Panel } from '../../ui/panel.js'
import { May } from '../../ui/use-may.js'
import { useHeldFace } from './held-names.js'

interface Props {
  readonly wallet: Wallet
  readonly credentials: readonly HeldCredential[]
}

/** The credentials in a wallet as cards. A card opens its credential. No claim is shown here. */
export function Held({ wallet, credentials }: Props) {
  const { wallets: words } = useTexts()
  const faceOf = useHeldFace()
  if (credentials.length === 0) {
    return (
      <Empty title={words.holdsNothing} text={words.holdsNothingText}>
        <May open="/offers">
          <Link to="/offers" className="button">
            {words.makeOffer}
          </Link>
        </May>
      </Empty>
    )
  }
  return (
    <Panel title={words.held}>
      <ul className="plain credential-cards" aria-label={words.held}>
        {credentials.map((credential) => (
          <li key={credential.id}>
            <Link
              to="/wallets/$id/credentials/$credentialId"
              params={{ id: wallet.id, credentialId: credential.id }}
              className="credential-link"
            >
              <CredentialFace {...faceOf(credential)} />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
