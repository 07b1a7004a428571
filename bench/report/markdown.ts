/** A Markdown table. The columns in `textColumns` are text, the others are figures. */
export function markdown(lines: readonly (readonly string[])[], textColumns: readonly number[]): string {
  const [head = [], ...body] = lines
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const isText = (column: number) => textColumns.includes(column)
  const row = (line: readonly string[]) => {
    const cells = line.map((cell, column) => {
      const width = widths[column] ?? 0
      return isText(column) ? cell.padEnd(width) : cell.padStart(width)
    })
    return `| ${cells.join(' | ')} |`
  }
  const rule = widths.map((width, column) =>
    isText(column) ? `:${'-'.repeat(width + 1)}` : `${'-'.repeat(width + 1)}:`,
  )
  return [row(head), `|${rule.join('|')}|`, ...body.map(row)].join('\n')
}
