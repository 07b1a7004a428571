import type { ReactNode } from 'react'
import { type FieldValues, type Path, useFormContext } from 'react-hook-form'
import { useTexts } from '../texts/use-texts.js'
import { Fact } from './fact.js'
import { Field } from './field.js'
import type { Filter } from './filters.js'
import { MAX_NAME, type Names, type NamesForm } from './names.js'

/** The names of a thing as facts, for the list of facts about it. */
export function NameFacts({ label, reference }: Names): ReactNode {
  const { names: words } = useTexts()
  return (
    <>
      {label !== undefined && <Fact name={words.label}>{label}</Fact>}
      {reference !== undefined && <Fact name={words.reference}>{reference}</Fact>}
    </>
  )
}

interface NameFieldsProps {
  /** The hint of the label, if it differs. */
  readonly hint?: string
  /** Makes the reference mandatory, with this hint. */
  readonly referenceHint?: string
}

/** The fields for the names of a new thing. */
export function NameFields({ hint, referenceHint }: NameFieldsProps) {
  const { names: words } = useTexts()
  return (
    <div className="columns">
      <NameField name="label" label={words.label} hint={hint ?? words.labelHint} />
      <NameField
        name="reference"
        label={words.reference}
        hint={referenceHint ?? words.referenceHint}
        required={referenceHint !== undefined}
      />
    </div>
  )
}

interface NameFieldProps {
  readonly name: keyof NamesForm
  readonly label: string
  readonly hint: string
  readonly required?: boolean
}

function NameField({ name, label, hint, required = false }: NameFieldProps) {
  const { form: formWords } = useTexts()
  const { register, formState } = useFormContext<NamesForm & FieldValues>()
  // The forms of all things with names have these two fields.
  const path = name as Path<NamesForm & FieldValues>
  return (
    <Field label={label} hint={hint} required={required} error={formState.errors[name]?.message?.toString()}>
      {(props) => (
        <input
          {...props}
          {...register(path, required ? { required: formWords.required } : {})}
          maxLength={MAX_NAME}
          autoComplete="off"
        />
      )}
    </Field>
  )
}

/** The filters of a list by names. */
export function useNameFilters(): readonly Filter[] {
  const { names: words } = useTexts()
  return [
    { name: 'label', label: words.labelFilter },
    { name: 'reference', label: words.reference },
  ]
}
