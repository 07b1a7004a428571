import { type ChangeEvent, useEffect, useMemo, useRef, useState } from 'react'
import { FormProvider } from 'react-hook-form'
import type { TypeVersion } from '../../../queries/shapes.js'
import type { Configuration } from '../../../queries/types.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { titlesOf } from '../../../ui/claim-titles.js'
import { Field } from '../../../ui/field.js'
import { forgetDraft } from '../../../ui/kept/drafts.js'
import { Restored } from '../../../ui/kept/restored.js'
import { useKeptForm, useKeptState } from '../../../ui/kept/use-kept.js'
import { Panel } from '../../../ui/panel.js'
import { controlsOf, planOf } from '../../../ui/schema-form/plan.js'
import { type OfferForm, offerDefaults } from '../offer-form.js'
import { Expires, Format } from '../offer-options.js'
import { Columns } from './columns.js'
import { readSheet, type Sheet, type SheetFault } from './csv.js'
import { discardWork, Making } from './making.js'
import { type Reading, readingOf } from './reading.js'
import { guessed, guessedNames, type Mapping } from './rows.js'
import { fileNameOf, saveTable } from './save-table.js'
import { templateOf } from './template.js'

interface Props {
  readonly type: TypeVersion
  readonly configurations: readonly Configuration[]
}

/** The service accepts names of this length. */
const LONGEST_NAME = 200

/** The file and how its rows become claims. */
interface Chosen {
  readonly sheet: Sheet
  readonly mapping: Mapping
  /** Changes with each change of the file and the columns. A change discards the checks and offers of the former content. */
  readonly edition: string
}

interface Given {
  readonly chosen?: Chosen | undefined
  readonly name: string
  readonly reading: Reading
}

const isBegun = ({ chosen }: Given) => chosen !== undefined

/** Discards the work on rows when the user changes the rows. Work of a screen that the user only leaves goes on. */
function useWorkOf(key: string | undefined): void {
  const before = useRef(key)
  useEffect(() => {
    if (before.current !== undefined && before.current !== key) {
      discardWork(before.current)
      forgetDraft(before.current)
    }
    before.current = key
  }, [key])
}

/** Offers from a file: the file, the columns for the claims, and the offers of its rows. */
export function ManyOffers({ type, configurations }: Props) {
  const { language, texts } = useSpoken()
  const { many: words, batches, offers, names, common } = texts
  const parts = useMemo(() => planOf(type.schemaBody, titlesOf(type, language)), [type, language])
  const controls = useMemo(() => controlsOf(parts), [parts])
  const key = `offers/from-file/${type.id}`
  const kept = useKeptForm<OfferForm, typeof configurations>(`${key}/options`, configurations, offerDefaults)
  const { form } = kept
  const given = useKeptState<Given>(key, { name: '', reading: readingOf(navigator.language) }, isBegun)
  const { chosen, name, reading } = given.values
  const [fault, setFault] = useState<SheetFault>()
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file === undefined) return
    const read = readSheet(await file.arrayBuffer())
    // Cleared, so that the user can choose the same file again after correcting it.
    target.value = ''
    setFault('fault' in read ? read : undefined)
    given.set((before) => {
      const named = { ...before, name: file.name.replace(/\.csv$/i, '').slice(0, LONGEST_NAME) }
      if ('fault' in read) return { ...named, chosen: undefined }
      const isSame = before.chosen?.sheet.columns.join('\0') === read.columns.join('\0')
      const mapping =
        before.chosen !== undefined && isSame
          ? before.chosen.mapping
          : guessedNames(guessed(controls, read.columns), read.columns, names)
      return { ...named, chosen: { sheet: read, mapping, edition: crypto.randomUUID() } }
    })
  }
  /** Changes how the rows are read. */
  const change = (members: Partial<Pick<Given, 'reading'> & Pick<Chosen, 'mapping'>>) =>
    given.set((before) => {
      if (before.chosen === undefined) return before
      const { mapping = before.chosen.mapping, reading: next = before.reading } = members
      return { ...before, reading: next, chosen: { ...before.chosen, mapping, edition: crypto.randomUUID() } }
    })
  const options = form.watch()
  // After every change the rows must be checked again.
  const work =
    chosen === undefined
      ? undefined
      : [key, chosen.edition, options.expires, options.configurationId, options.pin, options.deferred].join()
  useWorkOf(work)
  const saveTemplate = () =>
    saveTable(
      templateOf(controls, { label: names.label, reference: names.reference, yes: common.yes }, navigator.language),
      fileNameOf(type.name, 'csv'),
    )
  return (
    <FormProvider {...form}>
      <div className="fields">
        <Restored
          isRestored={given.isRestored || kept.isRestored}
          startAnew={() => {
            given.startAnew()
            kept.startAnew()
          }}
        />
        <Panel title={words.file} intro={words.fileIntro}>
          <p className="row">
            <button type="button" onClick={saveTemplate}>
              {words.template}
            </button>
            <span className="soft">{words.templateHint}</span>
          </p>
          <Field
            label={words.chooseFile}
            hint={words.columnsWanted(controls.map(({ path }) => path.join('.')).join(', '))}
            required
            error={fault === undefined ? undefined : words.fault(fault)}
          >
            {(props) => (
              <input {...props} type="file" accept=".csv,text/csv" onChange={(event) => void choose(event)} />
            )}
          </Field>
        </Panel>
        {chosen !== undefined && work !== undefined && (
          <>
            <Columns
              controls={controls}
              sheet={chosen.sheet}
              mapping={chosen.mapping}
              reading={reading}
              onMap={(field, column) => change({ mapping: { ...chosen.mapping, [field]: column } })}
              onRead={(next) => change({ reading: next })}
            />
            <Panel title={offers.how}>
              <Field label={batches.name}>
                {(props) => (
                  <input
                    {...props}
                    value={name}
                    maxLength={LONGEST_NAME}
                    autoComplete="off"
                    onChange={({ target }) => given.set((before) => ({ ...before, name: target.value }))}
                  />
                )}
              </Field>
              <div className="columns">
                <Expires />
                <Format configurations={configurations} />
              </div>
              <Check {...form.register('pin')}>{words.pins}</Check>
              <Check {...form.register('deferred')}>{offers.deferred}</Check>
            </Panel>
            <Making
              key={work}
              keptAs={work}
              parts={parts}
              sheet={chosen.sheet}
              mapping={chosen.mapping}
              reading={reading}
              form={form.getValues()}
              name={name.trim()}
              onMade={() => {
                given.done()
                kept.done()
              }}
            />
          </>
        )}
      </div>
    </FormProvider>
  )
}
