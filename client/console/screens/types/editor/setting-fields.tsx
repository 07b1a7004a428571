import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Field } from '../../../ui/field.js'
import type { TypeDraft } from '../draft.js'
import { Section } from './section.js'

/** From when until when credentials are valid, and how their status changes. */
export function ValidityFields() {
  const { types: words, form: formWords } = useTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const { errors } = formState
  const [expiresInDays, validFrom, ...checked] = useWatch({
    control,
    name: ['expiresInDays', 'validFrom', 'suspendable', 'oneActiveSet', 'revokePrevious', 'watchAttestations'],
  })
  const checks = [
    ['suspendable', words.suspendable, words.suspendableHint],
    ['oneActiveSet', words.oneActiveSet, words.oneActiveSetHint],
    ['revokePrevious', words.revokePrevious, words.revokePreviousHint],
    ['watchAttestations', words.watchAttestations, words.watchAttestationsHint],
  ] as const
  return (
    <Section
      name="validity"
      settings={[
        ...(expiresInDays.trim() === '' ? [] : [`${words.expires}: ${expiresInDays.trim()}`]),
        ...(validFrom === '' ? [] : [`${words.validFrom}: ${validFrom.replace('T', ' ')}`]),
        ...checks.filter((_, at) => checked[at] === true).map(([, label]) => label),
      ]}
    >
      <div className="columns">
        <Field label={words.expires} hint={words.expiresHint} error={errors.expiresInDays?.message}>
          {(props) => (
            <input
              {...props}
              {...register('expiresInDays', { pattern: { value: /^\s*\d*\s*$/, message: formWords.number } })}
              inputMode="numeric"
            />
          )}
        </Field>
        <Field label={words.validFrom} hint={words.validFromHint} error={errors.validFrom?.message}>
          {(props) => <input {...props} {...register('validFrom')} type="datetime-local" step="1" />}
        </Field>
      </div>
      {checks.map(([name, label, hint]) => (
        <div key={name}>
          <Check {...register(name)}>{label}</Check>
          <p className="hint">{hint}</p>
          {errors[name]?.message !== undefined && <p className="wrong">{errors[name].message}</p>}
        </div>
      ))}
    </Section>
  )
}

const RETENTIONS: readonly TypeDraft['retention'][] = ['default', 'never', 'untilIssued', 'days']

/** How long the service stores claims and records. */
export function RetentionFields() {
  const { types: words, form: formWords } = useTexts()
  const more = useEditorTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const { errors } = formState
  const retention = useWatch({ control, name: 'retention' })
  return (
    <Section
      name="retention"
      settings={retention === 'default' ? [] : [`${words.retention}: ${words.retentions[retention]}`]}
    >
      <div className="columns">
        <Field label={words.retention} hint={words.retentionHint}>
          {(props) => (
            <select {...props} {...register('retention')}>
              {RETENTIONS.map((each) => (
                <option key={each} value={each}>
                  {words.retentions[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {retention === 'days' && (
          <Field label={words.retentionDays} required error={errors.retentionDays?.message}>
            {(props) => (
              <input
                {...props}
                {...register('retentionDays', {
                  required: formWords.required,
                  pattern: { value: /^\s*\d+\s*$/, message: formWords.number },
                })}
                inputMode="numeric"
              />
            )}
          </Field>
        )}
        {retention !== 'default' && (
          <Field label={more.recordDays} hint={more.recordDaysHint} error={errors.recordDays?.message}>
            {(props) => (
              <input
                {...props}
                {...register('recordDays', { pattern: { value: /^\s*\d*\s*$/, message: formWords.number } })}
                inputMode="numeric"
              />
            )}
          </Field>
        )}
      </div>
    </Section>
  )
}

/** The attestations that wallets need for their keys (OpenID4VCI 1.0 Appendix D.2). */
export function KeyFields() {
  const { keys: words } = useEditorTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const { errors } = formState
  const isNeeded = useWatch({ control, name: 'needsKeyAttestation' })
  return (
    <Section name="keys" settings={isNeeded ? [words.needs] : []}>
      <Check {...register('needsKeyAttestation')}>{words.needs}</Check>
      <p className="hint">{words.needsHint}</p>
      {/* The service refuses the demand itself if no provider is trusted. */}
      {isNeeded && errors.needsKeyAttestation?.message !== undefined && (
        <p className="wrong">{errors.needsKeyAttestation.message}</p>
      )}
      {isNeeded && (
        <div className="columns">
          <Field label={words.storage} hint={words.hint} error={errors.keyStorage?.message}>
            {(props) => <textarea {...props} {...register('keyStorage')} rows={3} spellCheck={false} />}
          </Field>
          <Field label={words.user} hint={words.hint} error={errors.userAuthentication?.message}>
            {(props) => <textarea {...props} {...register('userAuthentication')} rows={3} spellCheck={false} />}
          </Field>
        </div>
      )}
    </Section>
  )
}

/** The title in the type metadata, and the number of the version. */
export function MoreFields() {
  const words = useEditorTexts()
  const { form: formWords } = useTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const { errors } = formState
  const title = useWatch({ control, name: 'title' })
  return (
    <Section name="more" settings={title.trim() === '' ? [] : [title.trim()]}>
      <div className="columns">
        <Field label={words.title} hint={words.titleHint} error={errors.title?.message}>
          {(props) => <input {...props} {...register('title')} maxLength={200} />}
        </Field>
        <Field label={words.version} hint={words.versionHint} required error={errors.version?.message}>
          {(props) => (
            <input
              {...props}
              {...register('version', {
                required: formWords.required,
                pattern: { value: /^\s*\d+(?:\.\d+)?\s*$/, message: formWords.number },
              })}
              inputMode="decimal"
            />
          )}
        </Field>
      </div>
    </Section>
  )
}
