import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ListedSigner, type SignerKind, signers } from '../../queries/trust.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf, nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId, shortened } from '../../ui/short-id.js'
import { useRights } from '../../ui/use-rights.js'
import { CertificateEnd } from './certificate-end.js'
import { Sections } from './sections.js'

/** Issuer and verifier records, with their signing keys. */
export function Trust() {
  const { nav, trust: words } = useTexts()
  const { mayIssue, mayVerify } = useRights()
  return (
    <Screen title={nav.trust} intro={words.intro}>
      <Sections />
      <div className="stack">
        {mayIssue && (
          <Panel title={words.issuers} intro={words.issuersIntro}>
            <Signers kind="issuer" />
          </Panel>
        )}
        {mayVerify && (
          <Panel title={words.verifiers} intro={words.verifiersIntro}>
            <Signers kind="verifier" />
          </Panel>
        )}
      </div>
    </Screen>
  )
}

function Signers({ kind }: { readonly kind: SignerKind }) {
  const { trust: words } = useTexts()
  const { isAdmin } = useRights()
  const query = useInfiniteQuery(signers(kind))
  const make = isAdmin && (
    <p>
      {kind === 'issuer' ? (
        <Link to="/trust/issuers/new-issuer" className="button">
          {words.newIssuer}
        </Link>
      ) : (
        <Link to="/trust/verifiers/new-verifier" className="button">
          {words.newVerifier}
        </Link>
      )}
    </p>
  )
  return (
    <Asked query={query}>
      {(listed) =>
        listed.length === 0 ? (
          <Empty title={words.noRecord} text={words.noRecordText}>
            {make}
          </Empty>
        ) : (
          <>
            <SignerTable kind={kind} signers={listed} />
            <More query={query} />
            {make}
          </>
        )
      }
    </Asked>
  )
}

interface TableProps {
  readonly kind: SignerKind
  readonly signers: readonly ListedSigner[]
}

function SignerTable({ kind, signers: rows }: TableProps) {
  const { language, texts } = useSpoken()
  const { trust: words, overview } = texts
  return (
    <Listing
      label={kind === 'issuer' ? words.issuers : words.verifiers}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          name: words.name,
          cell: ({ id, display, did, isDefault }) => (
            <span className="row">
              {kind === 'issuer' ? (
                <Link to="/trust/issuers/$id" params={{ id }} lang={langOf(display, language)}>
                  {nameOf(display, language) ?? <code title={did}>{shortened(did)}</code>}
                </Link>
              ) : (
                <Link to="/trust/verifiers/$id" params={{ id }} lang={langOf(display, language)}>
                  {nameOf(display, language) ?? <code title={did}>{shortened(did)}</code>}
                </Link>
              )}
              {isDefault && <span className="tag">{overview.byDefault}</span>}
            </span>
          ),
        },
        { key: 'did', name: 'DID', cell: ({ did }) => <ShortId id={did} what="DID" /> },
        { key: 'algorithm', name: words.signsWith, cell: ({ algorithm }) => algorithm },
        {
          key: 'certificate',
          name: words.certificate,
          cell: ({ certifiedUntil }) =>
            certifiedUntil === null ? (
              <span className="soft">{words.noCertificate}</span>
            ) : (
              <CertificateEnd until={certifiedUntil} />
            ),
        },
        { key: 'made', name: words.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
      ]}
    />
  )
}
