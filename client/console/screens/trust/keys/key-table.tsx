import { Link } from '@tanstack/react-router'
import type { SigningKey } from '../../../queries/signing-keys.js'
import { useSigningKeyTexts } from '../../../texts/signing-keys/use-signing-key-texts.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { langOf } from '../../../ui/display-name.js'
import { Listing } from '../../../ui/listing.js'
import { nameOfRecord } from '../../../ui/party-names.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Tag } from '../../../ui/tag.js'
import { useMay } from '../../../ui/use-may.js'
import { CertificateEnd } from '../certificate-end.js'

interface Props {
  readonly label: string
  readonly keys: readonly SigningKey[]
  readonly onRotate: (key: SigningKey) => void
}

/** The keys of one place. A row is one record with its key. */
export function KeyTable({ label, keys, onRotate }: Props) {
  const { language, texts } = useSpoken()
  const { overview } = texts
  const words = useSigningKeyTexts()
  const { call } = useMay()
  const mayRotate = ({ kind }: SigningKey) =>
    call(kind === 'issuer' ? 'signingKeys.rotateIssuer' : 'signingKeys.rotateVerifier')
  return (
    <Listing
      label={label}
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'record',
          name: words.record,
          cell: (key) => (
            <span className="row">
              <Link
                to={key.kind === 'issuer' ? '/trust/issuers/$id' : '/trust/verifiers/$id'}
                params={{ id: key.id }}
                lang={langOf(key.display, language)}
              >
                {nameOfRecord(key, language)}
              </Link>
              <Tag>{words.recordKinds[key.kind]}</Tag>
              {key.isDefault && <Tag>{overview.byDefault}</Tag>}
            </span>
          ),
        },
        { key: 'algorithm', name: words.signsWith, cell: ({ algorithm }) => algorithm },
        {
          key: 'signing',
          name: words.signing,
          cell: ({ signing, certifiedUntil }) =>
            signing === 'delegated' && words.signings[certifiedUntil === null ? 'uncertified' : 'delegated'],
        },
        { key: 'made', name: words.keyMade, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'reference',
          name: words.reference,
          cell: ({ reference }) => reference !== null && <code className="sentence">{reference}</code>,
        },
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
        {
          key: 'former',
          name: words.former,
          cell: ({ formerKeys }) => formerKeys > 0 && words.formerKeys(formerKeys),
        },
        {
          key: 'actions',
          name: words.actions,
          nameless: true,
          cell: (key) =>
            key.keptBecause !== null ? (
              <span className="soft">{words.kept[key.keptBecause]}</span>
            ) : (
              key.changeable &&
              mayRotate(key) && (
                <button
                  type="button"
                  className="quiet"
                  aria-label={words.rotateOf[key.kind](nameOfRecord(key, language))}
                  onClick={() => onRotate(key)}
                >
                  {words.rotate}
                </button>
              )
            ),
        },
      ]}
    />
  )
}
