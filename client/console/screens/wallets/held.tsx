import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { issuerMetadata } from '../../queries/metadata.js'
import type { HeldCredential, Wallet } from '../../queries/wallets.js'
import { credence } from '../../service.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Confirmation } from '../../ui/confirmation.js'
import { nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { Listing } from '../../ui/listing.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { shortened } from '../../ui/short-id.js'

interface Props {
  readonly wallet: Wallet
  readonly credentials: readonly HeldCredential[]
}

/**
 * The name of a credential. If this installation issues the type, the name comes from the metadata. Otherwise it is the
 * type itself.
 */
function useNames(): (credential: HeldCredential) => string {
  const { language } = useSpoken()
  const known = useQuery(issuerMetadata).data?.credential_configurations_supported ?? {}
  return ({ type, configurationId }) => {
    const written = type.at(-1) ?? ''
    const { vct, doctype, credential_definition, credential_metadata } = known[configurationId] ?? {}
    const isOurs = [vct, doctype, ...(credential_definition?.type ?? [])].includes(written)
    return (isOurs ? nameOf(credential_metadata?.display, language) : undefined) ?? shortened(written)
  }
}

/** The credentials in a wallet: type, issuer and status. No claim is shown. */
export function Held({ wallet, credentials }: Props) {
  const { wallets: words, requests } = useTexts()
  const called = useNames()
  const [leaving, setLeaving] = useState<HeldCredential>()
  return (
    <>
      {credentials.length === 0 ? (
        <Empty title={words.holdsNothing} text={words.holdsNothingText}>
          <Link to="/offers" className="button">
            {words.makeOffer}
          </Link>
        </Empty>
      ) : (
        <Panel title={words.held}>
          <Listing
            label={words.held}
            rows={credentials}
            keyOf={({ id }) => id}
            columns={[
              {
                key: 'type',
                name: words.type,
                cell: (credential) => <span title={credential.type.at(-1)}>{called(credential)}</span>,
              },
              {
                key: 'format',
                name: requests.format,
                cell: ({ format }) => requests.formats[format as keyof typeof requests.formats] ?? format,
              },
              {
                key: 'issuer',
                name: words.issuer,
                cell: ({ issuer }) => <code title={issuer}>{shortened(issuer)}</code>,
              },
              {
                key: 'status',
                name: words.status,
                cell: ({ status }) => (
                  <span className={status === 'valid' ? 'tag good' : status === 'unknown' ? 'tag' : 'tag bad'}>
                    {words.statuses[status]}
                  </span>
                ),
              },
              { key: 'taken', name: words.takenAt, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
              {
                key: 'actions',
                name: words.rowActions,
                nameless: true,
                cell: (credential) => (
                  <button
                    type="button"
                    className="quiet"
                    aria-label={words.removeCredential(called(credential))}
                    onClick={() => setLeaving(credential)}
                  >
                    {words.remove}
                  </button>
                ),
              },
            ]}
          />
        </Panel>
      )}
      {leaving !== undefined && (
        <Removal
          wallet={wallet}
          credential={leaving}
          isGone={!credentials.some(({ id }) => id === leaving.id)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  )
}

interface RemovalProps {
  readonly wallet: Wallet
  readonly credential: HeldCredential
  readonly isGone: boolean
  readonly onClose: () => void
}

function Removal({ wallet, credential, isGone, onClose }: RemovalProps) {
  const { wallets: words } = useTexts()
  return (
    <Confirmation
      title={words.removeTitle}
      text={words.removeText}
      action={words.remove}
      act={() => credence.walletCredentials.remove.mutate({ holderId: wallet.id, credentialId: credential.id })}
      changes="wallets"
      isGone={isGone}
      onClose={onClose}
    />
  )
}
