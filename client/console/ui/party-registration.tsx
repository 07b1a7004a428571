import type { Asking } from '../queries/wallets.js'
import { ToExplain } from '../screens/trust/explain/to-explain.js'
import { useRegistrationTexts } from '../texts/registrations/use-registration-texts.js'
import { useSpoken } from '../texts/use-texts.js'
import { Covered } from './covered.js'
import { Fact } from './fact.js'
import { textIn } from './registered.js'
import { Sentence } from './sentence.js'
import { Tag } from './tag.js'
import type { Tone } from './tone.js'

type Registration = Asking['registration']
type Texts = ReturnType<typeof useRegistrationTexts>

interface Props {
  /** The registered party is the verifier of a request, or the issuer of an offer. */
  readonly of: 'issuer' | 'verifier'
  readonly registration: Registration
}

const TONES: Readonly<Record<Registration['state'], Tone>> = {
  registered: 'good',
  beyond: 'warn',
  invalid: 'bad',
  none: 'plain',
}

/**
 * The registration of a verifier or an issuer as a hosted wallet found it (ETSI TS 119 475). It has the registered party, its registrar,
 * its purpose and the covered credentials. Then come the parts of the request or the offer beyond them.
 */
export function PartyRegistration({ of, registration }: Props) {
  const { wallet, offer } = useRegistrationTexts()
  const words = of === 'issuer' ? offer : wallet
  const { state, reason, signer, beyond, certificates } = registration
  return (
    <section className={state === 'beyond' || state === 'invalid' ? 'fields note' : 'fields'}>
      <p>
        <Tag tone={TONES[state]}>{words.states[state]}</Tag>
      </p>
      <p>{words.sentences[state]}</p>
      {reason !== undefined && (
        <p>
          <Sentence>{reason}</Sentence>
        </p>
      )}
      {signer !== undefined && <ToExplain signer={signer} />}
      {beyond.length > 0 && (
        <ul>
          {beyond.map((sentence) => (
            <li key={sentence}>
              <Sentence>{sentence}</Sentence>
            </li>
          ))}
        </ul>
      )}
      {certificates.map((certificate) => (
        <Certificate key={JSON.stringify(certificate)} of={of} certificate={certificate} />
      ))}
    </section>
  )
}

/** An entitlement in words. An unknown one is shown by the last part of its address (TS 119 475 annex A.2). */
function entitlementOf(uri: string, { entitlements }: Texts['wallet']): string {
  const name = uri.split('/').at(-1) ?? uri
  return Object.hasOwn(entitlements, name) ? entitlements[name as keyof typeof entitlements] : name
}

interface CertificateProps extends Pick<Props, 'of'> {
  readonly certificate: Registration['certificates'][number]
}

/** One valid registration certificate: the party, its registrar, its purpose, and what it covers. */
function Certificate({ of, certificate }: CertificateProps) {
  const { language } = useSpoken()
  const { certificates: words, wallet, offer } = useRegistrationTexts()
  const {
    name,
    legalName,
    identifier,
    registrar,
    intermediary,
    purposes,
    services,
    entitlements,
    covers,
    privacyPolicy,
  } = certificate
  const isIssuer = of === 'issuer'
  // An issuer has no purpose. The description of its service is the nearest to it.
  const purpose = textIn(purposes, language) ?? (isIssuer ? textIn(services, language) : undefined)
  return (
    <dl>
      <Fact name={words.party}>{legalName ?? name}</Fact>
      <Fact name={words.identifier}>{identifier}</Fact>
      {registrar !== undefined && <Fact name={wallet.registrar}>{registrar}</Fact>}
      {intermediary !== undefined && <Fact name={words.intermediary}>{intermediary}</Fact>}
      {purpose !== undefined && (
        <Fact name={wallet.purpose}>
          <span lang={purpose.lang}>{purpose.text}</span>
        </Fact>
      )}
      {isIssuer && entitlements.length > 0 && (
        <Fact name={wallet.entitled}>{entitlements.map((uri) => entitlementOf(uri, wallet)).join(', ')}</Fact>
      )}
      <Fact name={isIssuer ? offer.registeredFor : wallet.registeredFor}>
        {isIssuer ? <Covered credentials={covers} /> : <Covered credentials={covers} none={words.noClaims} />}
      </Fact>
      {privacyPolicy !== undefined && <Fact name={words.privacy}>{privacyPolicy}</Fact>}
    </dl>
  )
}
