import { useFormContext } from 'react-hook-form'
import { useTexts } from '../../../texts/use-texts.js'
import { Field } from '../../../ui/field.js'
import { NameRows } from '../../../ui/name-rows.js'
import { Panel } from '../../../ui/panel.js'
import type { TypeDraft } from '../draft.js'
import { localeOf, NO_LOOK, withoutLanguage } from '../names.js'

const NAME = /^[a-zA-Z0-9_]+$/

const TAG = /^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/i

/** The error of a language tag: the titles of claims need a valid tag, and each language may come once. */
function validate(tag: string, at: number, { names }: TypeDraft, words: ReturnType<typeof useTexts>['types']) {
  if (tag.trim() !== '' && !TAG.test(tag.trim())) return words.localeWrong
  const same = names.findIndex((other) => localeOf(other).toLowerCase() === localeOf({ locale: tag }).toLowerCase())
  return same === at ? true : words.localeTwice
}

/** A new language has the look of the first language, until the author changes it. */
function lookOf(first: TypeDraft['names'][number] | undefined): object {
  const {
    name: _name,
    locale: _locale,
    description: _description,
    logoText: _text,
    ...look
  } = first ?? { ...NO_LOOK, name: '', locale: '' }
  return look
}

/** The technical name of a type, its names by language, and its description. */
export function About({ isNew }: { readonly isNew: boolean }) {
  const { types: words, form: formWords } = useTexts()
  const { register, formState, getValues, setValue } = useFormContext<TypeDraft>()
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
        fresh={() => ({ ...NO_LOOK, ...lookOf(getValues('names')[0]) })}
      />
      <Field label={words.description} error={errors.description?.message}>
        {(props) => <input {...props} {...register('description')} />}
      </Field>
    </Panel>
  )
}
