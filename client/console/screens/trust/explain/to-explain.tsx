import { Link } from '@tanstack/react-router'
import type { Untrusted } from '../../../problems.js'
import { useTexts } from '../../../texts/use-texts.js'
import { forgetHanded, type Handed, handOver } from '../../../ui/kept/handed-over.js'
import { May } from '../../../ui/use-may.js'

interface Props {
  /** The credential to explain. */
  readonly credential?: string
  /** The signer to explain. Without it and without a credential, the user enters one on the screen of the explanation. */
  readonly signer?: Untrusted | undefined
}

const pemOf = (der: string): string =>
  `-----BEGIN CERTIFICATE-----\n${der.replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----`

function handedBy({ credential, signer }: Props): Handed | undefined {
  if (signer !== undefined) {
    const { purpose, certificates, types } = signer
    // The form has one type. The last type of a W3C credential is the most specific.
    return { given: certificates.map(pemOf).join('\n'), purpose, type: types.at(-1) ?? '' }
  }
  return credential === undefined ? undefined : { given: credential, purpose: 'credentials', type: '' }
}

/** A link to the screen that explains why an issuer or a verifier is trusted or not. What it explains goes there in memory alone. */
export function ToExplain(props: Props) {
  const { trust: words } = useTexts()
  const handed = handedBy(props)
  const purpose = handed?.purpose ?? 'credentials'
  const onClick = () => (handed === undefined ? forgetHanded() : handOver(handed))
  return (
    <May open="/trust/explain">
      <p>
        <Link to="/trust/explain" onClick={onClick}>
          {words.explainLinks[purpose]}
        </Link>
      </p>
    </May>
  )
}
