import type { Registration, SignerKind } from '../../queries/trust.js'
import { useCertificateTexts, useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { Sentence } from '../../ui/sentence.js'
import { Tag } from '../../ui/tag.js'
import type { Tone } from '../../ui/tone.js'

const TONES: Readonly<Record<Registration['state'], Tone>> = {
  usable: 'good',
  expired: 'bad',
  'not-yet-valid': 'waiting',
  'other-subject': 'bad',
  signer: 'bad',
  revoked: 'bad',
  suspended: 'bad',
  'status-unknown': 'warn',
  malformed: 'bad',
}

/** Whether a registration certificate can be used. */
export function StateOfRegistration({ state }: Pick<Registration, 'state'>) {
  const { certificates: words } = useRegistrationTexts()
  return <Tag tone={TONES[state]}>{words.states[state]}</Tag>
}

/** Why a registration certificate cannot be used, with the message of the service. A usable certificate has no fault. */
export function FaultOfRegistration({
  kind,
  state,
  reason,
}: Pick<Registration, 'state' | 'reason'> & { readonly kind: SignerKind }) {
  const words = useCertificateTexts(kind)
  if (state === 'usable') return null
  return (
    <>
      <p className={TONES[state] === 'bad' ? 'bad' : 'attention'}>
        {words.faults[state]} {words.unusable}
      </p>
      {reason !== null && (
        <details>
          <summary>{words.message}</summary>
          <p>
            <Sentence>{reason}</Sentence>
          </p>
        </details>
      )}
    </>
  )
}
