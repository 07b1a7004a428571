import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useForm } from 'react-hook-form'
import { type PersonsData as Found, findPerson, type Kept, type Order, saveExport } from '../../queries/exports.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Listing } from '../../ui/listing.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { Sentence } from '../../ui/sentence.js'
import { Erasure } from './erasure.js'

type Subject = NonNullable<Order['subject']>

const subjectOf = (who: string): Subject => (who.startsWith('did:') ? { did: who } : { sub: who })

/**
 * The screen for the data of a person. It finds the records, shows the purpose and the end of each record, and exports
 * them.
 */
export function PersonsData() {
  const { nav, person: words, form: formWords } = useTexts()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const { register, handleSubmit, formState } = useForm({ defaultValues: { who: '' } })
  const finding = useMutation({
    mutationFn: async (subject: Subject) => {
      abort.current?.abort()
      abort.current = new AbortController()
      return { subject, found: await findPerson(subject, abort.current.signal) }
    },
  })
  return (
    <Screen title={nav.person} intro={words.intro}>
      <div className="stack">
        <form
          className="fields"
          noValidate
          onSubmit={(event) => void handleSubmit(({ who }) => finding.mutate(subjectOf(who.trim())))(event)}
        >
          <Field label={words.who} hint={words.whoHint} required error={formState.errors.who?.message}>
            {(props) => (
              <input
                {...props}
                {...register('who', { validate: (value) => value.trim() !== '' || formWords.required })}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <div className="row">
            <button type="submit" className="primary" disabled={finding.isPending}>
              {words.find}
            </button>
          </div>
        </form>
        {finding.isError && <ProblemNote error={finding.error} />}
        <div role="status">{finding.isPending && <p>{words.finding}</p>}</div>
        {finding.isSuccess && <Person subject={finding.data.subject} found={finding.data.found} />}
      </div>
    </Screen>
  )
}

function Person({ subject, found }: { readonly subject: Subject; readonly found: Found }) {
  const { person: words } = useTexts()
  // Reading this list needs an export order, which is a record about the person too. If it is the only record, the list
  // counts as empty.
  const kept = found.kept.filter(({ record, count }) => record !== 'exportOrder' || count > 1)
  return (
    <>
      <Panel title={words.found}>
        {kept.length === 0 ? <p>{words.nothing}</p> : <Records kept={found.kept} />}
        <details>
          <summary>{words.limits}</summary>
          <ul>
            {found.cannotKnow.map((sentence) => (
              <li key={sentence}>
                <Sentence>{sentence}</Sentence>
              </li>
            ))}
          </ul>
        </details>
      </Panel>
      <Save subject={subject} />
      <Erasure credentialIds={found.credentialIds} others={found.others} />
    </>
  )
}

function Records({ kept }: { readonly kept: readonly Kept[] }) {
  const { language, texts } = useSpoken()
  const { person: words } = texts
  const names: Readonly<Record<string, readonly string[]>> = words.records
  const rules: Readonly<Record<string, string>> = words.rules
  return (
    <Listing
      label={words.found}
      rows={kept}
      keyOf={({ record }) => record}
      columns={[
        { key: 'record', name: words.record, cell: ({ record }) => names[record]?.[0] ?? record },
        { key: 'count', name: words.count, cell: ({ count }) => count.toLocaleString(language) },
        { key: 'why', name: words.why, cell: ({ record }) => names[record]?.[1] },
        {
          key: 'until',
          name: words.until,
          cell: ({ record, until }) => (
            <span>
              {rules[record]}
              {until !== undefined && (
                <>
                  . {words.latest}: <RelativeTime at={until} />
                </>
              )}
            </span>
          ),
        },
      ]}
    />
  )
}

function Save({ subject }: { readonly subject: Subject }) {
  const { person: words, exports: exportWords } = useTexts()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const saving = useMutation({
    mutationFn: (format: 'csv' | 'ndjson') => {
      abort.current = new AbortController()
      return saveExport({ subject, format }, abort.current.signal)
    },
  })
  return (
    <Panel title={words.save} intro={words.saveHint}>
      {saving.isError && <ProblemNote error={saving.error} />}
      <div role="status">
        {saving.isPending && <p>{exportWords.making}</p>}
        {saving.isSuccess && <p>{exportWords.done(saving.data)}</p>}
      </div>
      <div className="row">
        <button type="button" disabled={saving.isPending} onClick={() => saving.mutate('csv')}>
          {words.saveCsv}
        </button>
        <button type="button" disabled={saving.isPending} onClick={() => saving.mutate('ndjson')}>
          {words.saveNdjson}
        </button>
      </div>
    </Panel>
  )
}
