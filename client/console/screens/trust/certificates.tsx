import type { Certificate } from '../../queries/trust.js'
import { useSpoken } from '../../texts/use-texts.js'
import { ShortId } from '../../ui/short-id.js'
import { CertificateEnd } from './certificate-end.js'

/** The common name of a subject, else all of it. */
export const commonName = (subject: string): string => /(?:^|, )CN=([^,]+)/.exec(subject)?.[1] ?? subject

/** Certificates, each with whose it is, who says so, and how long it is good. */
export function Certificates({ certificates }: { readonly certificates: readonly Certificate[] }) {
  const { language, texts } = useSpoken()
  const { trust: words } = texts
  const day = (at: string) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(at))
  return (
    <ul className="plain certificates">
      {certificates.map(({ subject, issuer, serialNumber, validFrom, validUntil, fingerprint, names }) => (
        <li key={fingerprint}>
          <p className="row">
            <strong>{commonName(subject)}</strong>
            <CertificateEnd until={validUntil} />
          </p>
          <dl>
            <div>
              <dt>{words.subject}</dt>
              <dd>{subject}</dd>
            </div>
            <div>
              <dt>{words.certifiedBy}</dt>
              <dd>{issuer}</dd>
            </div>
            {names.length > 0 && (
              <div>
                <dt>{words.certifiedNames}</dt>
                <dd>{names.join(', ')}</dd>
              </div>
            )}
            <div>
              <dt>{words.serial}</dt>
              <dd>
                <ShortId id={serialNumber} what={words.serial} />
              </dd>
            </div>
            <div>
              <dt>{words.validity}</dt>
              <dd>{words.fromTo(day(validFrom), day(validUntil))}</dd>
            </div>
            <div>
              <dt>{words.fingerprint}</dt>
              <dd>
                <ShortId id={fingerprint} what={words.fingerprint} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  )
}
