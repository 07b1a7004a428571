import { localeOf } from '../../../../../server/protocol/credential-card/values.js'
import { useSpoken, useTexts } from '../../../texts/use-texts.js'
import { Field } from '../../../ui/field.js'
import { Panel } from '../../../ui/panel.js'
import type { Control } from '../../../ui/schema-form/plan.js'
import type { Sheet } from './csv.js'
import type { Reading } from './reading.js'
import { type Mapping, NAME_FIELDS, typedOf, unusedColumns } from './rows.js'
import { Written } from './written.js'

interface Props {
  readonly controls: readonly Control[]
  readonly sheet: Sheet
  readonly mapping: Mapping
  readonly reading: Reading
  readonly onMap: (field: string, column: number) => void
  readonly onRead: (reading: Reading) => void
}

/** Number of rows in the preview. */
const PREVIEWED = 5

/** The columns for the claims and the names, and a preview of the first rows. */
export function Columns({ controls, sheet, mapping, reading, onMap, onRead }: Props) {
  const { many: words, names } = useTexts()
  const named = [
    { field: NAME_FIELDS.label, title: names.label, needed: false },
    { field: NAME_FIELDS.reference, title: names.reference, needed: false },
  ]
  const fields = [...controls, ...named]
  const mapped = [
    ...controls.map((control) => ({ ...control, control })),
    ...named.map((name) => ({ ...name, control: undefined })),
  ].filter(({ field }) => (mapping[field] ?? -1) >= 0)
  const unused = unusedColumns(controls, sheet.columns, mapping)
  return (
    <>
      <Panel title={words.columns} intro={words.columnsIntro}>
        <div className="columns">
          {fields.map(({ field, title, needed }) => (
            <Field key={field} label={title} required={needed}>
              {(props) => (
                <select
                  {...props}
                  value={mapping[field] ?? -1}
                  onChange={({ target }) => onMap(field, Number(target.value))}
                >
                  <option value={-1}>{words.noColumn}</option>
                  {sheet.columns.map((name, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns have no key except their positions.
                    <option key={at} value={at}>
                      {name === '' ? words.nthColumn(at + 1) : name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          ))}
        </div>
        {unused.length > 0 && (
          <ul className="plain" aria-label={words.unused}>
            {unused.map(({ at, name, meant }) => (
              <li key={at}>
                {words.isUnused(name)}
                {meant !== undefined && (
                  <>
                    {' '}
                    <button type="button" className="quiet" onClick={() => onMap(meant.field, at)}>
                      {words.didYouMean(meant.title)}
                    </button>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
        <Written reading={reading} onRead={onRead} />
      </Panel>
      <Panel title={words.preview} intro={words.rows(sheet.rows.length)}>
        <table className="list" aria-label={words.preview}>
          <thead>
            <tr>
              <th scope="col">{words.row}</th>
              {mapped.map(({ field, title }) => (
                <th key={field} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sheet.rows.slice(0, PREVIEWED).map(({ number, cells }) => (
              <tr key={number}>
                <th scope="row">{number}</th>
                {mapped.map(({ field, title, control }) => (
                  <td key={field} data-label={title}>
                    <Cell text={cells[mapping[field] ?? -1] ?? ''} control={control} reading={reading} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </>
  )
}

interface CellProps {
  readonly text: string
  /** The claim of the cell; undefined for a name. */
  readonly control: Control | undefined
  readonly reading: Reading
}

/** A cell of the file. A number or date also shows how it was read, because other countries write it differently. */
function Cell({ text, control, reading }: CellProps) {
  const { language } = useSpoken()
  const typed = control === undefined ? '' : typedOf(control, text, reading)
  if (control === undefined || typeof typed !== 'string' || typed === '' || typed === text.trim())
    return <span>{text}</span>
  const read =
    control.kind === 'number' || control.kind === 'integer'
      ? new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(Number(typed))
      : control.kind === 'date'
        ? new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(typed))
        : undefined
  return read === undefined ? (
    <span>{text}</span>
  ) : (
    <>
      {text} <span className="soft">= {read}</span>
    </>
  )
}
