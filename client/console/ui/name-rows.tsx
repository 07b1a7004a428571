import { Fragment, type ReactNode } from 'react'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { useTexts } from '../texts/use-texts.js'
import { Field } from './field.js'

/** The part of a form with names by language. */
export interface NamesForm {
  names: { name: string; locale: string }[]
}

interface Props {
  readonly legend: string
  /** The least number of names. */
  readonly least?: number
  /** The error of a name's language tag, or true if the tag is valid. */
  readonly validate?: (tag: string, at: number) => true | string
  readonly onRemoved?: (at: number) => void
  /** Further members of a new name, for a form that has them. */
  readonly fresh?: () => object
  /** Further fields of a name, for a form that has them. */
  readonly further?: (at: number) => ReactNode
}

/** Fields for names by language, in a form whose values include {@link NamesForm}. */
export function NameRows({ legend, least = 0, validate = () => true, onRemoved, fresh, further }: Props) {
  const { types: words, common } = useTexts()
  const { control, register, formState } = useFormContext<NamesForm>()
  const { errors } = formState
  const names = useFieldArray({ control, name: 'names' })
  function remove(at: number): void {
    names.remove(at)
    onRemoved?.(at)
  }
  return (
    <fieldset>
      <legend>{legend}</legend>
      {names.fields.map(({ id }, at) => (
        <Fragment key={id}>
          <div className="name-row">
            <Field label={words.shownName} error={errors.names?.[at]?.name?.message}>
              {(props) => <input {...props} {...register(`names.${at}.name`)} />}
            </Field>
            <Field label={words.locale} error={errors.names?.[at]?.locale?.message}>
              {(props) => (
                <input
                  {...props}
                  {...register(`names.${at}.locale`, { validate: (tag) => validate(tag, at) })}
                  placeholder="en"
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </Field>
            {names.fields.length > least && (
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
          {further?.(at)}
        </Fragment>
      ))}
      <button type="button" onClick={() => names.append({ ...fresh?.(), name: '', locale: '' })}>
        {words.addLanguage}
      </button>
    </fieldset>
  )
}
