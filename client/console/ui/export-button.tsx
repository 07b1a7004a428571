import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { type Order, saveExport } from '../queries/exports.js'
import { useTexts } from '../texts/use-texts.js'
import { momentsOf } from './days.js'
import { Dialog } from './dialog.js'
import { Field } from './field.js'
import { ProblemNote } from './problem-note.js'

/** Number of days in the period, if the filters of the list name no days. */
const DAYS = 30

interface Props {
  readonly kind: NonNullable<Order['kind']>
  /** The days of the list's filters. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The credential type of the list's filters. */
  readonly schema?: string | undefined
}

/** The day some days ago in the user's time zone, as date fields write it. */
function dayBefore(days: number): string {
  const then = new Date()
  then.setDate(then.getDate() - days)
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** A button that exports the records of a list. */
export function ExportButton(props: Props) {
  const { exports: words } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {words.open}
      </button>
      {isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function ExportDialog({ kind, from, to, schema, onClose }: Props & { readonly onClose: () => void }) {
  const { exports: words, common } = useTexts()
  const client = useQueryClient()
  const abort = useRef<AbortController>(undefined)
  // When the dialog is closed, the download ends.
  useEffect(() => () => abort.current?.abort(), [])
  const { register, handleSubmit } = useForm({
    defaultValues: { from: from ?? dayBefore(DAYS), to: to ?? dayBefore(0), format: 'csv' as 'csv' | 'ndjson' },
  })
  const saving = useMutation({
    mutationFn: ({ format, ...days }: { from: string; to: string; format: 'csv' | 'ndjson' }) => {
      abort.current = new AbortController()
      const order = { kind, ...momentsOf(days), ...(schema === undefined ? {} : { schema }), format }
      return saveExport(order, abort.current.signal)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['audit'] }),
  })
  return (
    <Dialog title={words.title[kind]} onClose={onClose}>
      <p>{kind === 'audit' ? words.introAudit : words.intro}</p>
      <form
        className="fields"
        noValidate
        onSubmit={(event) => void handleSubmit((values) => saving.mutate(values))(event)}
      >
        <Field label={words.from} required>
          {(field) => <input {...field} {...register('from')} type="date" />}
        </Field>
        <Field label={words.to} required>
          {(field) => <input {...field} {...register('to')} type="date" />}
        </Field>
        <Field label={words.format} required>
          {(field) => (
            <select {...field} {...register('format')}>
              <option value="csv">{words.formats.csv}</option>
              <option value="ndjson">{words.formats.ndjson}</option>
            </select>
          )}
        </Field>
        {saving.isError && <ProblemNote error={saving.error} />}
        <div role="status">
          {saving.isPending && <p>{words.making}</p>}
          {saving.isSuccess && <p>{words.done(saving.data)}</p>}
        </div>
        <div className="row">
          <button type="submit" className="primary" disabled={saving.isPending}>
            {words.make}
          </button>
          <button type="button" onClick={onClose}>
            {saving.isSuccess ? common.close : common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
