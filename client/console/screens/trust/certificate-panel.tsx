import { type ReactNode, useState } from 'react'
import type { IssuerSigner, VerifierSigner } from '../../queries/trust.js'
import { useTexts } from '../../texts/use-texts.js'
import { Panel } from '../../ui/panel.js'
import { Certificates } from './certificates.js'

interface Props {
  readonly signer: IssuerSigner | VerifierSigner
  /** The sentence for a record without a certificate. */
  readonly none: string
  /** Instructions for a certificate, if the user can get one. */
  readonly children?: ReactNode
}

/** The certificates of a record's key, and instructions how to get a certificate. */
export function CertificatePanel({ signer: { chain }, none, children }: Props) {
  const { trust: words } = useTexts()
  // The details stay unfolded when the certificate is stored, because they contain the success message.
  const [isOpen] = useState(chain.length === 0)
  return (
    <Panel title={words.certificate} intro={chain.length === 0 ? none : words.chainIntro}>
      {chain.length > 0 && <Certificates certificates={chain} />}
      {children !== undefined && (
        <details open={isOpen}>
          <summary>{chain.length === 0 ? words.getCertificate : words.renewCertificate}</summary>
          {children}
        </details>
      )}
    </Panel>
  )
}
