import { useFormContext, useWatch } from 'react-hook-form'
import { useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Field } from '../../ui/field.js'
import { Panel } from '../../ui/panel.js'
import { EMPTY_SCHEMA, emptyRow, rowsOf, schemaOf, selectiveOf } from './claims.js'
import { ClaimsTable } from './claims-table.js'
import { claimNamesOfDraft, objectIn, type TypeDraft, written } from './draft.js'
import { claimNamesIn, withLanguages, withNames } from './names.js'

/** The claims of a type, as a table or as JSON Schema. */
export function SchemaEditor() {
  const { types: words, form: formWords } = useTexts()
  const { control, register, formState, getValues, setValue, setError, clearErrors } = useFormContext<TypeDraft>()
  const mode = useWatch({ control, name: 'mode' })

  function showTable(): void {
    const draft = getValues()
    const schema = objectIn(draft.json)
    // Claims that were already in the table keep their setting of selective disclosure.
    const rows = schema && rowsOf(schema, undefined)
    if (rows === undefined) {
      setError('json', { message: schema === undefined ? formWords.wrongJson : words.notInTable })
      return
    }
    const known = new Set(draft.rows.map(({ path }) => path))
    const selective = new Set(selectiveOf(draft.rows))
    const claims = claimNamesIn(draft.claimsJson)
    if (claims === undefined) {
      setError('claimsJson', { message: words.namesWrong })
      return
    }
    clearErrors(['json', 'claimsJson'])
    const names = withLanguages(draft.names, claims)
    setValue('names', names)
    setValue(
      'rows',
      rows.length === 0
        ? [emptyRow()]
        : withNames(rows, claims, names).map((row) =>
            known.has(row.path) ? { ...row, selective: selective.has(row.path) } : row,
          ),
    )
    setValue('mode', 'table')
  }

  function showJson(): void {
    const claims = claimNamesOfDraft(getValues()) ?? []
    setValue('claimsJson', claims.length === 0 ? '' : written(claims))
    setValue('json', written(schemaOf(getValues('rows'), objectIn(getValues('json')) ?? EMPTY_SCHEMA)))
    setValue('mode', 'json')
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
        </>
      )}
    </Panel>
  )
}
