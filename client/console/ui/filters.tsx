import { type FormEvent, useRef } from 'react'
import { useTexts } from '../texts/use-texts.js'
import { Field } from './field.js'

/** One filter of a list. */
export interface Filter {
  readonly name: string
  readonly label: string
  /** The values to choose from, with their labels; undefined for a text field. */
  readonly options?: readonly (readonly [value: string, words: string])[]
  readonly type?: 'text' | 'date'
}

interface Props {
  readonly label: string
  readonly filters: readonly Filter[]
  /** The values in the address. */
  readonly values: Readonly<Record<string, string | undefined>>
  /** Empty members are left out. */
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

/** The filters of a list. A choice applies at once; text applies with Enter or the button. */
export function Filters({ label, filters, values, onChange }: Props) {
  const { common } = useTexts()
  const form = useRef<HTMLFormElement>(null)
  const isWritten = filters.some(({ options, type }) => options === undefined && type !== 'date')
  const apply = (event?: FormEvent) => {
    event?.preventDefault()
    if (form.current === null) return
    const given = [...new FormData(form.current)].map(([name, value]) => [name, String(value).trim()] as const)
    onChange(Object.fromEntries(given.filter(([, value]) => value !== '')))
  }
  return (
    // If the address changes, the form starts again with the values of the new address.
    <search key={JSON.stringify(values)} aria-label={label}>
      <form ref={form} className="filters" onSubmit={apply}>
        {filters.map(({ name, label: named, options, type = 'text' }) => (
          <Field key={name} label={named} required>
            {({ 'aria-required': _, ...props }) =>
              options === undefined ? (
                <input
                  {...props}
                  name={name}
                  type={type}
                  defaultValue={values[name] ?? ''}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={type === 'date' ? () => apply() : undefined}
                />
              ) : (
                <select {...props} name={name} defaultValue={values[name] ?? ''} onChange={() => apply()}>
                  {options.map(([value, words]) => (
                    <option key={value} value={value}>
                      {words}
                    </option>
                  ))}
                </select>
              )
            }
          </Field>
        ))}
        {isWritten && <button type="submit">{common.search}</button>}
      </form>
    </search>
  )
}
