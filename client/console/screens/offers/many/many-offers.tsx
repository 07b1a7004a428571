import { type ChangeEvent, useMemo, useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { Configuration, TypeVersion } from '../../../queries/types.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { titlesOf } from '../../../ui/claim-titles.js'
import { Field } from '../../../ui/field.js'
import { Panel } from '../../../ui/panel.js'
import { controlsOf, planOf } from '../../../ui/schema-form/plan.js'
import { type OfferForm, offerDefaults } from '../offer-form.js'
import { Expires, Format } from '../offer-options.js'
import { Columns } from './columns.js'
import { readSheet, type Sheet, type SheetFault } from './csv.js'
import { Making } from './making.js'
import { guessed, type Mapping } from './rows.js'

interface Props {
  readonly type: TypeVersion
  readonly configurations: readonly Configuration[]
}

interface Chosen {
  readonly sheet: Sheet
  readonly mapping: Mapping
  /**
   * A counter of the changes of the file and the columns. A change discards the checks and offers of the former
   * content.
   */
  readonly edition: number
}

/** Offers from a file: the file, the columns for the claims, and the offers of its rows. */
export function ManyOffers({ type, configurations }: Props) {
  const { language, texts } = useSpoken()
  const { many: words, offers } = texts
  const parts = useMemo(() => planOf(type.schemaBody, titlesOf(type, language)), [type, language])
  const controls = useMemo(() => controlsOf(parts), [parts])
  const form = useForm<OfferForm>({ defaultValues: offerDefaults(configurations) })
  const [chosen, setChosen] = useState<Chosen>()
  const [fault, setFault] = useState<SheetFault>()
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file === undefined) return
    const read = readSheet(await file.arrayBuffer())
    // Cleared, so that the user can choose the same file again after correcting it.
    target.value = ''
    setFault('fault' in read ? read : undefined)
    setChosen((before) => {
      if ('fault' in read) return undefined
      const isSame = before !== undefined && before.sheet.columns.join('\0') === read.columns.join('\0')
      const mapping = isSame ? before.mapping : guessed(controls, read.columns)
      return { sheet: read, mapping, edition: (before?.edition ?? 0) + 1 }
    })
  }
  const map = (field: string, column: number) =>
    setChosen((before) =>
      before === undefined
        ? undefined
        : { ...before, mapping: { ...before.mapping, [field]: column }, edition: before.edition + 1 },
    )
  const options = form.watch()
  return (
    <FormProvider {...form}>
      <div className="fields">
        <Panel title={words.file} intro={words.fileIntro}>
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
        {chosen !== undefined && (
          <>
            <Columns controls={controls} sheet={chosen.sheet} mapping={chosen.mapping} onMap={map} />
            <Panel title={offers.how}>
              <div className="columns">
                <Expires />
                <Format configurations={configurations} />
              </div>
              <Check {...form.register('pin')}>{words.pins}</Check>
              <Check {...form.register('deferred')}>{offers.deferred}</Check>
            </Panel>
            <Making
              // After every change the rows must be checked again.
              key={[chosen.edition, options.expires, options.configurationId, options.pin, options.deferred].join()}
              parts={parts}
              sheet={chosen.sheet}
              mapping={chosen.mapping}
              form={form.getValues()}
            />
          </>
        )}
      </div>
    </FormProvider>
  )
}
