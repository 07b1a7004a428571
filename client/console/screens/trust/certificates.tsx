import { localeOf } from '../../../../server/protocol/credential-card/values.js'
import type { Certificate } from '../../queries/trust.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Fact } from '../../ui/fact.js'
import { ShortId } from '../../ui/short-id.js'
import { CertificateEnd } from './certificate-end.js'

/** The common name of a subject. Without a common name, the whole subject. */
export const commonName = (subject: string): string => /(?:^|, )CN=([^,]+)/.exec(subject)?.[1] ?? subject

/** Certificates, each with subject, issuer and validity. */
export function Certificates({ certificates }: { readonly certificates: readonly Certificate[] }) {
  const { language, texts } = useSpoken()
  const { trust: words } = texts
  const day = (at: string) => new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium' }).format(new Date(at))
  return (
    <ul className="plain certificates">
      {certificates.map(({ subject, issuer, serialNumber, validFrom, validUntil, fingerprint, names }) => (
        <li key={fingerprint}>
          <p className="row">
            <strong>{commonName(subject)}</strong>
            <CertificateEnd until={validUntil} />
          </p>
          <dl>
            <Fact name={words.subject}>{subject}</Fact>
            <Fact name={words.certifiedBy}>{issuer}</Fact>
            {names.length > 0 && <Fact name={words.certifiedNames}>{names.join(', ')}</Fact>}
            <Fact name={words.serial}>
              <ShortId id={serialNumber} what={words.serial} />
            </Fact>
            <Fact name={words.validity}>{words.fromTo(day(validFrom), day(validUntil))}</Fact>
            <Fact name={words.fingerprint}>
              <ShortId id={fingerprint} what={words.fingerprint} />
            </Fact>
          </dl>
        </li>
      ))}
    </ul>
  )
}
