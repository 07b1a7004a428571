import { useFieldArray, useFormContext } from 'react-hook-form'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Panel } from '../../ui/panel.js'
import type { TypeDraft } from './draft.js'
import { localeOf, withoutLanguage } from './names.js'

const NAME = /^[a-zA-Z0-9_]+$/

const TAG = /^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/i

/** What is wrong with a language: titles of claims stand in it, each language has one. */
function validate(tag: string, at: number, { names }: TypeDraft, words: ReturnType<typeof useTexts>['types']) {
  if (tag.trim() !== '' && !TAG.test(tag.trim())) return words.localeWrong
  const same = names.findIndex((other) => localeOf(other).toLowerCase() === localeOf({ locale: tag }).toLowerCase())
  return same === at ? true : words.localeTwice
}

/** What a type is called, by language, and what it looks like. */
export function About({ isNew }: { readonly isNew: boolean }) {
  const { types: words, form: formWords, common } = useTexts()
  const { control, register, formState, getValues, setValue } = useFormContext<TypeDraft>()
  const { errors } = formState
  const names = useFieldArray({ control, name: 'names' })
  function remove(at: number): void {
    names.remove(at)
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
      <fieldset>
        <legend>{words.shownNames}</legend>
        {names.fields.map(({ id }, at) => (
          <div className="name-row" key={id}>
            <Field label={words.shownName} error={errors.names?.[at]?.name?.message}>
              {(props) => <input {...props} {...register(`names.${at}.name`)} />}
            </Field>
            <Field label={words.locale} error={errors.names?.[at]?.locale?.message}>
              {(props) => (
                <input
                  {...props}
                  {...register(`names.${at}.locale`, { validate: (tag, draft) => validate(tag, at, draft, words) })}
                  placeholder="en"
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </Field>
            {names.fields.length > 1 && (
              <button
                type="button"
                className="quiet"
                aria-label={words.removeLanguage(at + 1)}
                onClick={() => remove(at)}
              >
                {common.remove}
              </button>
            )}
          </div>
        ))}
        <button type="button" onClick={() => names.append({ name: '', locale: '' })}>
          {words.addLanguage}
        </button>
      </fieldset>
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
        <div className="row colors">
          <Field label={words.background} required>
            {(props) => <input {...props} type="color" {...register('backgroundColor')} />}
          </Field>
          <Field label={words.textColor} required>
            {(props) => <input {...props} type="color" {...register('textColor')} />}
          </Field>
        </div>
      </div>
    </Panel>
  )
}
