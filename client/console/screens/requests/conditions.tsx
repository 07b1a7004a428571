import { useFormContext, useWatch } from 'react-hook-form'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { NameFields } from '../../ui/name-fields.js'
import { Panel } from '../../ui/panel.js'
import type { IntendedUse } from './intended-uses.js'
import { DURATIONS, type Duration, MAX_PURPOSE, type RequestForm } from './request-form.js'

const TRUSTS = ['configured', 'own', 'listed'] as const

interface Props {
  /** The intended uses of the verifier. Only with several uses is there something to choose. */
  readonly uses: readonly IntendedUse[]
}

/** The fields for the intended use, the accepted issuers and the lifetime of a request. */
export function Conditions({ uses }: Props) {
  const { certificates, request: useWords } = useRegistrationTexts()
  const { requests: words, form: formWords, names } = useTexts()
  const { control, register, formState } = useFormContext<RequestForm>()
  const trust = useWatch({ control, name: 'trust' })
  return (
    <Panel title={words.conditions}>
      <NameFields hint={names.labelOfQueryHint} />
      {uses.length > 1 && (
        <Field label={useWords.intendedUse} hint={useWords.hint} required error={formState.errors.intendedUse?.message}>
          {(props) => (
            <select {...props} {...register('intendedUse')}>
              <option value="">{useWords.automatic}</option>
              {uses.map(({ value, name, lang, state }) => (
                <option key={value} value={value} lang={lang}>
                  {state === 'usable' ? name : `${name} – ${certificates.states[state]}`}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label={words.purpose} hint={words.purposeHint} error={formState.errors.purpose?.message}>
        {(props) => <input {...props} {...register('purpose')} maxLength={MAX_PURPOSE} />}
      </Field>
      <div className="columns">
        <Field label={words.trust} required>
          {(props) => (
            <select {...props} {...register('trust')}>
              {TRUSTS.map((name) => (
                <option key={name} value={name}>
                  {words.trusts[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={words.validity} required error={formState.errors.validity?.message}>
          {(props) => (
            <select {...props} {...register('validity')}>
              {Object.keys(DURATIONS).map((name) => (
                <option key={name} value={name}>
                  {words.validities[name as Duration]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {trust === 'listed' && (
        <Field label={words.trusted} hint={words.trustedHint} required error={formState.errors.trusted?.message}>
          {(props) => (
            <textarea
              {...props}
              {...register('trusted', { validate: (value) => value.trim() !== '' || formWords.required })}
              spellCheck={false}
            />
          )}
        </Field>
      )}
    </Panel>
  )
}
