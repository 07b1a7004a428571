import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Field } from '../../../ui/field.js'
import { VALUED, valuesOf } from '../claims.js'
import { objectIn, type TypeDraft, written } from '../draft.js'

/** The parts of a claim that most claims do not need. */
export function ClaimMore({ at }: { readonly at: number }) {
  const { types: words } = useTexts()
  const more = useEditorTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const [kind, several, values] = useWatch({
    control,
    name: [`rows.${at}.kind`, `rows.${at}.several`, `rows.${at}.values`],
  })
  const listed = VALUED.has(kind) ? valuesOf(values) : []
  const named = (what: string) => words.ofClaim(what, at + 1)
  return (
    <div className="fields">
      {several && <Check {...register(`rows.${at}.eachSelective`)}>{more.eachSelective}</Check>}
      <Field label={named(words.description)} error={formState.errors.rows?.[at]?.description?.message}>
        {(props) => <input {...props} {...register(`rows.${at}.description`)} />}
      </Field>
      {listed.length > 0 && (
        <fieldset className="columns">
          <legend>{more.valueTitles}</legend>
          {listed.map((value, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the titles belong to the positions of the values.
            <Field key={place} label={more.valueTitle(value)}>
              {(props) => <input {...props} {...register(`rows.${at}.valueTitles.${place}`)} />}
            </Field>
          ))}
        </fieldset>
      )}
      <Rules key={`${kind}${several}`} at={at} member="rest" label={named(more.rules)} hint={more.rulesHint} />
      {several && <Rules at={at} member="listRest" label={named(more.listRules)} hint={more.listRulesHint} />}
    </div>
  )
}

interface RulesProps {
  readonly at: number
  readonly member: 'rest' | 'listRest'
  readonly label: string
  readonly hint: string
}

/** The members of a claim's schema that have no column, as JSON. A text that is no object changes nothing. */
function Rules({ at, member, label, hint }: RulesProps) {
  const { form: formWords } = useTexts()
  const { getValues, setValue, setError, clearErrors, formState } = useFormContext<TypeDraft>()
  const field = `rows.${at}.${member}` as const
  const [text, setText] = useState(() => {
    const rules = getValues(field)
    return Object.keys(rules).length === 0 ? '' : written(rules)
  })
  // A message of the service is about the whole member, so it has no path inside the member.
  const message = formState.errors.rows?.[at]?.[member]?.message
  const type = (typed: string) => {
    setText(typed)
    const rules = typed.trim() === '' ? {} : objectIn(typed)
    if (rules === undefined) return setError(field, { message: formWords.wrongJson })
    clearErrors(field)
    setValue(field, rules, { shouldDirty: true })
  }
  return (
    <Field label={label} hint={hint} error={typeof message === 'string' ? message : undefined}>
      {(props) => (
        <textarea
          {...props}
          className="rules"
          value={text}
          onChange={({ target }) => type(target.value)}
          rows={3}
          spellCheck={false}
        />
      )}
    </Field>
  )
}
