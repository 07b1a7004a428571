import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { credentialTrust, type Roots, type TrustedIssuer, trustedIssuers, walletTrust } from '../../queries/trust.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { shortened } from '../../ui/short-id.js'
import { May, useMay } from '../../ui/use-may.js'
import { AddTrusted } from './add-trusted.js'
import { Certificates } from './certificates.js'
import { Sections } from './sections.js'

/** An address is shown whole. A DID is shortened to its beginning and its end. */
const written = (issuer: string): string => (issuer.startsWith('did:') ? shortened(issuer) : issuer)

/** The trusted issuers, and the trust anchors of issuers, status lists, verifiers and wallet providers. */
export function Trusted() {
  const { trust: words } = useTexts()
  return (
    <Screen title={words.trusted} intro={words.trustedIntro}>
      <Sections />
      <div className="stack">
        <May call="trustedIssuers.list">
          <OfCredentials />
        </May>
        <May call="trustedIssuers.configured">
          <CredentialRoots />
        </May>
        <May call="walletTrust.read">
          <WalletRoots />
        </May>
      </div>
    </Screen>
  )
}

function OfCredentials() {
  const { trust: words } = useTexts()
  const mayAdd = useMay().call('trustedIssuers.add')
  const query = useInfiniteQuery(trustedIssuers)
  return (
    <div className="panels">
      <Panel title={words.added} intro={words.addedIntro}>
        <Asked query={query}>
          {(listed) => (
            <>
              <Added issuers={listed} />
              <More query={query} />
            </>
          )}
        </Asked>
        {mayAdd ? <AddTrusted /> : <p className="soft">{words.onlyAdmins}</p>}
      </Panel>
      <Panel title={words.configured} intro={words.configuredIntro}>
        <Asked query={useQuery(credentialTrust)}>
          {({ trustedIssuers: entries, byDefault }) => (
            <>
              <ul className="plain">
                {entries.map((entry) => (
                  <li key={entry}>
                    {words.entries[entry as keyof typeof words.entries] ?? <code title={entry}>{written(entry)}</code>}
                  </li>
                ))}
              </ul>
              <p className="soft">{byDefault ? words.byProfile : words.byVariable}</p>
            </>
          )}
        </Asked>
      </Panel>
    </div>
  )
}

interface AddedProps {
  readonly issuers: readonly TrustedIssuer[]
}

function Added({ issuers }: AddedProps) {
  const { trust: words, common } = useTexts()
  const may = useMay()
  const [leaving, setLeaving] = useState<TrustedIssuer>()
  const calledOf = ({ issuer, note }: TrustedIssuer) => note ?? written(issuer)
  return (
    <>
      {issuers.length === 0 && (
        <p className="soft">{may.call('trustedIssuers.add') ? words.addedNone : words.addedNoneRead}</p>
      )}
      {issuers.length > 0 && (
        <Listing
          label={words.added}
          rows={issuers}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'issuer',
              name: words.trustedIssuer,
              cell: ({ issuer, note }) => (
                <span className="asks">
                  {note !== undefined && <span>{note}</span>}
                  <code title={issuer}>{written(issuer)}</code>
                </span>
              ),
            },
            { key: 'at', name: words.addedAt, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
            ...(may.call('trustedIssuers.remove')
              ? [
                  {
                    key: 'actions',
                    name: words.rowActions,
                    nameless: true,
                    cell: (row: TrustedIssuer) => (
                      <button
                        type="button"
                        className="quiet danger"
                        aria-label={words.removeTrusted(calledOf(row))}
                        onClick={() => setLeaving(row)}
                      >
                        {common.remove}
                      </button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {leaving !== undefined && (
        <Confirmation
          title={words.removeTitle(calledOf(leaving))}
          text={words.removeText}
          action={words.removeAction}
          act={() => credence.trustedIssuers.remove.mutate({ id: leaving.id })}
          changes="trust"
          isGone={!issuers.some(({ id }) => id === leaving.id)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  )
}

function CredentialRoots() {
  const { trust: words } = useTexts()
  return (
    <Asked query={useQuery(credentialTrust)}>
      {({ credentials, statusLists, verifiers }) => (
        <div className="panels">
          <RootsPanel title={words.rootsOfIssuers} roots={credentials} none={words.noRootsOfIssuers} />
          {statusLists !== null && (
            <RootsPanel title={words.rootsOfLists} roots={statusLists} none={words.noRootsOfIssuers} />
          )}
          <RootsPanel title={words.rootsOfVerifiers} roots={verifiers} none={words.noRootsOfVerifiers} />
        </div>
      )}
    </Asked>
  )
}

function WalletRoots() {
  const { trust: words } = useTexts()
  return (
    <Asked query={useQuery(walletTrust)}>
      {({ roots, providers }) => (
        <RootsPanel title={words.rootsOfWallets} roots={roots} none={words.noRootsOfWallets}>
          {providers.length > 0 && (
            <>
              <p>{words.providers}</p>
              <ul className="plain">
                {providers.map(({ clientId, issuer }) => (
                  <li key={clientId}>
                    {clientId} <span className="soft">{issuer}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </RootsPanel>
      )}
    </Asked>
  )
}

interface RootsProps {
  readonly title: string
  readonly roots: Roots
  readonly none: string
  readonly children?: ReactNode
}

function RootsPanel({ title, roots: { variable, count, certificates }, none, children }: RootsProps) {
  const { trust: words } = useTexts()
  return (
    <Panel title={title} intro={count === 0 ? none : words.rootsIntro(variable)}>
      {count > 0 && <Certificates certificates={certificates} />}
      {count > certificates.length && <p className="soft">{words.moreRoots(count - certificates.length)}</p>}
      {children}
    </Panel>
  )
}
