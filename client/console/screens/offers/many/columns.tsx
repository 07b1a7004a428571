import { useTexts } from '../../../texts/use-texts.js'
import { Field } from '../../../ui/field.js'
import { Panel } from '../../../ui/panel.js'
import type { Control } from '../../../ui/schema-form/plan.js'
import type { Sheet } from './csv.js'
import type { Mapping } from './rows.js'

interface Props {
  readonly controls: readonly Control[]
  readonly sheet: Sheet
  readonly mapping: Mapping
  readonly onMap: (field: string, column: number) => void
}

/** Number of rows in the preview. */
const PREVIEWED = 5

/** The columns for the claims, and a preview of the first rows. */
export function Columns({ controls, sheet, mapping, onMap }: Props) {
  const { many: words } = useTexts()
  const mapped = controls.filter(({ field }) => (mapping[field] ?? -1) >= 0)
  return (
    <>
      <Panel title={words.columns} intro={words.columnsIntro}>
        <div className="columns">
          {controls.map(({ field, title, required }) => (
            <Field key={field} label={title} required={required}>
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
                {mapped.map(({ field, title }) => (
                  <td key={field} data-label={title}>
                    {cells[mapping[field] ?? -1]}
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
