import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ListedSigner, type SignerKind, signers } from '../../queries/trust.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { nameOfRecord } from '../../ui/party-names.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { Tag } from '../../ui/tag.js'
import { May } from '../../ui/use-may.js'
import { CertificateEnd } from './certificate-end.js'
import { Sections } from './sections.js'

/** Issuer and verifier records, with their signing keys. */
export function Trust() {
  const { nav, trust: words } = useTexts()
  return (
    <Screen title={nav.trust} intro={words.intro}>
      <Sections />
      <div className="stack">
        <May call="signers.issuers">
          <Panel title={words.issuers} intro={words.issuersIntro}>
            <Signers kind="issuer" />
          </Panel>
        </May>
        <May call="signers.verifiers">
          <Panel title={words.verifiers} intro={words.verifiersIntro}>
            <Signers kind="verifier" />
          </Panel>
        </May>
      </div>
    </Screen>
  )
}

function Signers({ kind }: { readonly kind: SignerKind }) {
  const { trust: words } = useTexts()
  const query = useInfiniteQuery(signers(kind))
  const make =
    kind === 'issuer' ? (
      <May open="/trust/issuers/new-issuer">
        <p>
          <Link to="/trust/issuers/new-issuer" className="button">
            {words.newIssuer}
          </Link>
        </p>
      </May>
    ) : (
      <May open="/trust/verifiers/new-verifier">
        <p>
          <Link to="/trust/verifiers/new-verifier" className="button">
            {words.newVerifier}
          </Link>
        </p>
      </May>
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
          cell: ({ id, did, display, isDefault }) => (
            <span className="row">
              {kind === 'issuer' ? (
                <Link to="/trust/issuers/$id" params={{ id }} lang={langOf(display, language)}>
                  {nameOfRecord({ did, display }, language)}
                </Link>
              ) : (
                <Link to="/trust/verifiers/$id" params={{ id }} lang={langOf(display, language)}>
                  {nameOfRecord({ did, display }, language)}
                </Link>
              )}
              {isDefault && <Tag>{overview.byDefault}</Tag>}
            </span>
          ),
        },
        { key: 'did', name: 'DID', cell: ({ did }) => <IdOnDemand id={did} what="DID" /> },
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
