import type { ReactNode } from 'react'

/** A column of a list. The first column names the row, and its link opens the row. */
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
  /** Whether a card on a phone is short, without the names of the columns. For columns whose values explain themselves. */
  readonly isCompact?: boolean
}

const isEmpty = (cell: ReactNode): boolean => cell === undefined || cell === null || cell === false || cell === ''

/**
 * A table of a list; on a phone each row is a card with the name of the column before each value. A column without any
 * value is left out. The link in the first column covers the whole row (styles/listing.css).
 */
export function Listing<Row>({ label, columns, rows, keyOf, isCompact = false }: Props<Row>) {
  const drawn = rows.map((row) => ({ key: keyOf(row), cells: columns.map(({ cell }) => cell(row)) }))
  const shown = columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ at }) => at === 0 || drawn.some(({ cells }) => !isEmpty(cells[at])))
  return (
    <table className={isCompact ? 'list compact' : 'list'} aria-label={label}>
      <thead>
        <tr>
          {shown.map(({ key, name, nameless }) => (
            <th key={key} scope="col">
              {nameless === true ? <span className="hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {drawn.map(({ key: rowKey, cells }) => (
          <tr key={rowKey}>
            {shown.map(({ key, name, nameless, at }) =>
              at === 0 ? (
                <th key={key} scope="row">
                  {cells[at]}
                </th>
              ) : isEmpty(cells[at]) ? (
                <td key={key} />
              ) : (
                <td key={key} data-label={nameless === true ? undefined : name}>
                  <div>{cells[at]}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
