/** Tells spreadsheet programs that the file is UTF-8 (RFC 3629 §6). */
const BYTE_ORDER_MARK = '\uFEFF'

/** Saves a table of comma-separated values as a file that spreadsheet programs open with its accents. */
export function saveTable(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** The name of a file for a thing with a name: without the characters that file systems refuse. */
export const fileNameOf = (name: string, ending: string): string =>
  `${name.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '-').slice(0, 100)}.${ending}`
