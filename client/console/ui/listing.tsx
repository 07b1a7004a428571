import type { ReactNode } from 'react'

/** A column of a list. The first column names the row. */
export interface Column<Row> {
  readonly key: string
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** Whether the column's name is only for screen readers, for example over buttons. */
  readonly nameless?: boolean
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A table of a list; on a phone each row is a card. */
export function Listing<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  return (
    <table className="list" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ key, name, nameless }) => (
            <th key={key} scope="col">
              {nameless === true ? <span className="hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ key, name, nameless, cell }, at) =>
              at === 0 ? (
                <th key={key} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={key} data-label={nameless === true ? undefined : name}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
