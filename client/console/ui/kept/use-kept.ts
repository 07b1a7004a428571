import { useEffect, useRef, useState } from 'react'
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form'
import { draftOf, followDraft, forgetDraft, hasSameContent, keepDraft, showForm } from './drafts.js'

/** A form whose input is kept. `<Restored>` uses the first two members. */
export interface Kept {
  /** Whether the form shows what the user typed on an earlier visit. */
  readonly isRestored: boolean
  /** Empties the form, and forgets what the user typed. */
  readonly startAnew: () => void
  /** Forgets what the user typed. For a form whose content the service has taken. */
  readonly done: () => void
}

export interface KeptForm<Values extends FieldValues, Base> extends Kept {
  readonly form: UseFormReturn<Values>
  /** The data with which the user began the form. Data that is read later does not replace it. */
  readonly base: Base
  /** Begins the form again with other data, and forgets what the user typed. */
  readonly beginWith: (base: Base) => void
}

/**
 * A form that asks before the user leaves it. It keeps the input as long as the window is open. After the service has taken the input,
 * call `done()`.
 *
 * @param key names the form and its subject. A component shows one form; give it a React key if its subject may change.
 * @param given the data that the form begins with
 * @param defaults the values of the form before the user types, for the data
 */
export function useKeptForm<Values extends FieldValues, Base>(
  key: string,
  given: Base,
  defaults: (base: Base) => Values,
): KeptForm<Values, Base> {
  // A draft under this key comes from this same form.
  const [draft] = useState(() => draftOf(key) as { readonly values: Values; readonly base: Base } | undefined)
  const [base, setBase] = useState(draft === undefined ? given : draft.base)
  const [isRestored, setRestored] = useState(draft !== undefined)
  const before = useRef<Values>(undefined)
  before.current ??= defaults(base)
  const form = useForm<Values>({ defaultValues: (draft?.values ?? before.current) as DefaultValues<Values> })
  useEffect(() => showForm(key), [key])
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) => {
          if (hasSameContent(values, before.current)) forgetDraft(key)
          else keepDraft(key, { values: structuredClone(values), base })
        },
      }),
    [form, key, base],
  )
  const done = () => {
    setRestored(false)
    forgetDraft(key)
  }
  const beginWith = (next: Base) => {
    before.current = defaults(next)
    setBase(next)
    form.reset(before.current)
    done()
  }
  return { form, base, isRestored, startAnew: () => beginWith(given), beginWith, done }
}

/** The kept values of a form without react-hook-form. */
export interface KeptState<Values> extends Kept {
  readonly values: Values
  /** Changes the values. Work that goes on after the user has left the screen may still change them. */
  readonly set: (change: (values: Values) => Values) => void
}

/**
 * Keeps the values of a form without react-hook-form, in the same way as `useKeptForm`.
 *
 * @param before the values before the user types
 * @param isBegun whether the values are worth keeping; if left out, every difference from `before` is
 */
export function useKeptState<Values>(
  key: string,
  before: Values,
  isBegun: (values: Values) => boolean = (values) => !hasSameContent(values, before),
): KeptState<Values> {
  // A draft under this key comes from this same form.
  const [values, setValues] = useState(() => (draftOf(key)?.values as Values | undefined) ?? before)
  const [isRestored, setRestored] = useState(() => draftOf(key) !== undefined)
  const latest = useRef(values)
  useEffect(() => showForm(key), [key])
  useEffect(
    () =>
      followDraft(key, (changed) => {
        latest.current = changed as Values
        setValues(latest.current)
      }),
    [key],
  )
  const set = (change: (values: Values) => Values) => {
    latest.current = change((draftOf(key)?.values as Values | undefined) ?? latest.current)
    setValues(latest.current)
    if (isBegun(latest.current)) keepDraft(key, { values: latest.current, base: undefined })
    else forgetDraft(key)
  }
  const done = () => {
    setRestored(false)
    forgetDraft(key)
  }
  const startAnew = () => {
    set(() => before)
    done()
  }
  return { values, set, isRestored, startAnew, done }
}
