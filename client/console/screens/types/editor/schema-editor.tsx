import { useFormContext, useWatch } from 'react-hook-form'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Field } from '../../../ui/field.js'
import { Panel } from '../../../ui/panel.js'
import { asJson, asTable, type TypeDraft } from '../draft.js'
import { BesideJson } from './beside-json.js'
import { ClaimsTable } from './claims-table.js'

/** The members of a draft that change with the view of the schema. */
const OF_VIEW = ['names', 'rows', 'json', 'claimsJson', 'beside', 'base', 'mode'] as const

/** The claims of a type, as a table or as JSON Schema. */
export function SchemaEditor() {
  const { types: words, form: formWords } = useTexts()
  const { control, register, formState, getValues, setValue, setError, clearErrors } = useFormContext<TypeDraft>()
  const mode = useWatch({ control, name: 'mode' })

  function show(draft: TypeDraft): void {
    clearErrors(['json', 'claimsJson', 'rows'])
    for (const member of OF_VIEW) setValue(member, draft[member])
  }

  function showTable(): void {
    const outcome = asTable(getValues())
    if (outcome === 'notInTable') setError('json', { message: words.notInTable })
    else if (!('wrong' in outcome)) show(outcome)
    else setError(outcome.wrong, { message: outcome.wrong === 'json' ? formWords.wrongJson : words.namesWrong })
  }

  function showJson(): void {
    const outcome = asJson(getValues())
    if (outcome !== undefined) show(outcome)
  }

  return (
    <Panel title={words.claims} intro={words.claimsIntro}>
      <div className="row" role="radiogroup" aria-label={words.mode}>
        <Check type="radio" name="mode" checked={mode === 'table'} onChange={showTable}>
          {words.asTable}
        </Check>
        <Check type="radio" name="mode" checked={mode === 'json'} onChange={showJson}>
          {words.asJson}
        </Check>
      </div>
      {mode === 'table' ? (
        <ClaimsTable />
      ) : (
        <>
          <Field label={words.jsonSchema} hint={words.jsonHint} required error={formState.errors.json?.message}>
            {(props) => <textarea {...props} {...register('json')} className="code" spellCheck={false} />}
          </Field>
          <Field label={words.claimNames} hint={words.claimNamesHint} error={formState.errors.claimsJson?.message}>
            {(props) => <textarea {...props} {...register('claimsJson')} rows={6} spellCheck={false} />}
          </Field>
          <BesideJson />
        </>
      )}
    </Panel>
  )
}
