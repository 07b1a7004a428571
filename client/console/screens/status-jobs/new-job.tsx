import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { batch } from '../../queries/batches.js'
import { beginJob, countJob, type JobCounts, type JobOrder } from '../../queries/status-jobs.js'
import { typeNames } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Confirmation } from '../../ui/confirmation.js'
import { nameOf } from '../../ui/display-name.js'
import { Field } from '../../ui/field.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptState } from '../../ui/kept/use-kept.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Why } from '../credentials/status-change.js'
import { Failures } from './failures.js'
import { EMPTY, isEmpty, type JobForm, orderOf } from './job-form.js'

const ACTIONS = ['revoke', 'suspend', 'reinstate'] as const

const route = getRouteApi('/credentials/jobs')

/** The form for a new job. It counts first, and a job begins only after the counts are confirmed. */
export function NewJob() {
  const { language, texts } = useSpoken()
  const { statusJobs: words, credentials } = texts
  const { batch: batchId = '' } = route.useSearch()
  const kept = useKeptState<JobForm>(`credentials/jobs/${batchId}`, { ...EMPTY, batch: batchId })
  const { values: form } = kept
  const counting = useMutation({ mutationFn: async (order: JobOrder) => ({ order, counts: await countJob(order) }) })
  const [isAsking, setAsking] = useState(false)
  const names = useQuery(typeNames)
  const batchName = useQuery({ ...batch(batchId), enabled: batchId !== '' && form.batch === batchId }).data?.name
  const navigate = useNavigate()
  // Counts belong to the form that was counted.
  const set = (members: Partial<JobForm>) => {
    kept.set((before) => ({ ...before, ...members }))
    counting.reset()
  }
  const count = (event: FormEvent) => {
    event.preventDefault()
    counting.mutate(orderOf(form))
  }
  const counted = counting.data
  const begin = async (order: JobOrder) => {
    const id = await beginJob(order)
    kept.done()
    await navigate({ to: '/credentials/jobs/$id', params: { id } })
  }
  const isUnclear = isEmpty(form) && !form.all
  return (
    <Panel title={words.newTitle} intro={words.newIntro}>
      <form className="fields" onSubmit={count}>
        <Restored {...kept} />
        <div className="columns">
          <Field label={words.action} required>
            {({ 'aria-required': _, ...control }) => (
              <select
                {...control}
                value={form.action}
                onChange={({ target }) =>
                  set({ action: ACTIONS.find((action) => action === target.value) ?? form.action })
                }
              >
                {ACTIONS.map((action) => (
                  <option key={action} value={action}>
                    {credentials.changes[action].act}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={credentials.type}>
            {(control) =>
              names.data?.isWhole === true ? (
                <select {...control} value={form.schema} onChange={({ target }) => set({ schema: target.value })}>
                  <option value="">{credentials.anyType}</option>
                  {names.data.types.map(({ name, title, display }) => (
                    <option key={name} value={name}>
                      {nameOf(display, language) ?? title ?? name}
                    </option>
                  ))}
                </select>
              ) : (
                <input {...control} value={form.schema} onChange={({ target }) => set({ schema: target.value })} />
              )
            }
          </Field>
          <Field label={words.issuedFrom}>
            {(control) => (
              <input
                {...control}
                type="date"
                value={form.from}
                onChange={({ target }) => set({ from: target.value })}
              />
            )}
          </Field>
          <Field label={words.issuedTo}>
            {(control) => (
              <input {...control} type="date" value={form.to} onChange={({ target }) => set({ to: target.value })} />
            )}
          </Field>
          <Field label={words.offering}>
            {(control) => (
              <input
                {...control}
                value={form.offering}
                autoComplete="off"
                spellCheck={false}
                onChange={({ target }) => set({ offering: target.value })}
              />
            )}
          </Field>
          <Field label={words.batch} hint={batchName}>
            {(control) => (
              <input
                {...control}
                value={form.batch}
                autoComplete="off"
                spellCheck={false}
                onChange={({ target }) => set({ batch: target.value })}
              />
            )}
          </Field>
        </div>
        <Field label={words.ids} hint={words.idsHint}>
          {(control) => (
            <textarea
              {...control}
              rows={4}
              value={form.ids}
              spellCheck={false}
              onChange={({ target }) => set({ ids: target.value })}
            />
          )}
        </Field>
        <Field label={words.references} hint={words.referencesHint}>
          {(control) => (
            <textarea
              {...control}
              rows={4}
              value={form.references}
              spellCheck={false}
              onChange={({ target }) => set({ references: target.value })}
            />
          )}
        </Field>
        {isEmpty(form) && (
          <Check checked={form.all} onChange={({ target }) => set({ all: target.checked })}>
            {words.all}
          </Check>
        )}
        <Why
          reason={form.reason}
          note={form.note}
          onReason={(reason) => set({ reason })}
          onNote={(note) => set({ note })}
        />
        <div className="row">
          <button type="submit" className="primary" disabled={isUnclear || counting.isPending}>
            {words.count}
          </button>
        </div>
      </form>
      {counting.isError && <ProblemNote error={counting.error} />}
      <div role="status">{counted !== undefined && <Counted counts={counted.counts} action={form.action} />}</div>
      {counted !== undefined && counted.counts.change > 0 && (
        <div className="row">
          <button
            type="button"
            className={form.action === 'reinstate' ? 'primary' : 'danger'}
            onClick={() => setAsking(true)}
          >
            {words.begin[form.action](counted.counts.change)}
          </button>
        </div>
      )}
      {isAsking && counted !== undefined && (
        <Confirmation
          title={credentials.changes[form.action].title(counted.counts.change)}
          text={words.confirm[form.action](counted.counts.change)}
          action={words.begin[form.action](counted.counts.change)}
          act={() => begin(counted.order)}
          changes="credentials"
          onClose={() => setAsking(false)}
        />
      )}
    </Panel>
  )
}

function Counted({ counts, action }: { readonly counts: JobCounts; readonly action: JobOrder['action'] }) {
  const { texts } = useSpoken()
  const { statusJobs: words } = texts
  return (
    <>
      <p>
        {words.matches(counts.matched)} {words.wouldChange[action](counts.change)}
      </p>
      {counts.unchanged > 0 && <p>{words.haveAlready(counts.unchanged)}</p>}
      <Failures failures={counts.failures} />
    </>
  )
}
