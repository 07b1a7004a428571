import { useFormContext } from 'react-hook-form'
import { useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Field } from '../../ui/field.js'
import { NameRows } from '../../ui/name-rows.js'
import { Panel } from '../../ui/panel.js'
import type { TypeDraft } from './draft.js'
import { localeOf, withoutLanguage } from './names.js'

const NAME = /^[a-zA-Z0-9_]+$/

const TAG = /^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/i

/** The error of a language tag: the titles of claims need a valid tag, and each language may come once. */
function validate(tag: string, at: number, { names }: TypeDraft, words: ReturnType<typeof useTexts>['types']) {
  if (tag.trim() !== '' && !TAG.test(tag.trim())) return words.localeWrong
  const same = names.findIndex((other) => localeOf(other).toLowerCase() === localeOf({ locale: tag }).toLowerCase())
  return same === at ? true : words.localeTwice
}

const RETENTIONS: readonly TypeDraft['retention'][] = ['default', 'never', 'untilIssued', 'days']

/** The names of a type by language, its look and its times. */
export function About({ isNew }: { readonly isNew: boolean }) {
  const { types: words, form: formWords } = useTexts()
  const { register, formState, getValues, setValue, watch } = useFormContext<TypeDraft>()
  const { errors } = formState
  /** Removes a name, and the titles of claims in its language. */
  function removed(at: number): void {
    setValue(
      'rows',
      getValues('rows').map((row) => withoutLanguage(row, at)),
    )
  }
  return (
    <Panel title={words.about}>
      <Field label={words.name} hint={words.nameHint} required error={errors.name?.message}>
        {(props) => (
          <input
            {...props}
            {...register('name', {
              required: formWords.required,
              pattern: { value: NAME, message: words.nameWrong },
            })}
            readOnly={!isNew}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <NameRows
        legend={words.shownNames}
        least={1}
        validate={(tag, at) => validate(tag, at, getValues(), words)}
        onRemoved={removed}
      />
      <Field label={words.description} error={errors.description?.message}>
        {(props) => <input {...props} {...register('description')} />}
      </Field>
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
        <Field label={words.retention} hint={words.retentionHint}>
          {(props) => (
            <select {...props} {...register('retention')}>
              {RETENTIONS.map((retention) => (
                <option key={retention} value={retention}>
                  {words.retentions[retention]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {watch('retention') === 'days' && (
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
        <div className="row colors">
          <Field label={words.background} required>
            {(props) => <input {...props} type="color" {...register('backgroundColor')} />}
          </Field>
          <Field label={words.textColor} required>
            {(props) => <input {...props} type="color" {...register('textColor')} />}
          </Field>
        </div>
      </div>
      <Check {...register('suspendable')}>{words.suspendable}</Check>
      <p className="hint">{words.suspendableHint}</p>
    </Panel>
  )
}
