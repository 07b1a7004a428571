import type { Asking } from '../queries/wallets.js'
import { useRegistrationTexts } from '../texts/registrations/use-registration-texts.js'
import { useSpoken } from '../texts/use-texts.js'
import { Covered } from './covered.js'
import { Fact } from './fact.js'
import { textIn } from './registered.js'
import { Sentence } from './sentence.js'
import { Tag } from './tag.js'
import type { Tone } from './tone.js'

type Registration = Asking['registration']

const TONES: Readonly<Record<Registration['state'], Tone>> = {
  registered: 'good',
  beyond: 'warn',
  invalid: 'bad',
  none: 'plain',
}

/**
 * The registration of a verifier as a hosted wallet found it (ETSI TS 119 475): the registered party, its purpose, the covered
 * credentials, and the parts of the request beyond them.
 */
export function PartyRegistration({ registration }: { readonly registration: Registration }) {
  const { wallet: words } = useRegistrationTexts()
  const { state, reason, beyond, certificates } = registration
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
        <Certificate key={JSON.stringify(certificate)} certificate={certificate} />
      ))}
    </section>
  )
}

/** One valid registration certificate: the party, its purpose, and what it covers. */
function Certificate({ certificate }: { readonly certificate: Registration['certificates'][number] }) {
  const { language } = useSpoken()
  const { certificates: words, wallet } = useRegistrationTexts()
  const { name, legalName, identifier, intermediary, purposes, covers, privacyPolicy } = certificate
  const purpose = textIn(purposes, language)
  return (
    <dl>
      <Fact name={words.party}>{legalName ?? name}</Fact>
      <Fact name={words.identifier}>{identifier}</Fact>
      {intermediary !== undefined && <Fact name={words.intermediary}>{intermediary}</Fact>}
      {purpose !== undefined && (
        <Fact name={wallet.purpose}>
          <span lang={purpose.lang}>{purpose.text}</span>
        </Fact>
      )}
      <Fact name={wallet.registeredFor}>
        <Covered credentials={covers} none={words.noClaims} />
      </Fact>
      {privacyPolicy !== undefined && <Fact name={words.privacy}>{privacyPolicy}</Fact>}
    </dl>
  )
}
