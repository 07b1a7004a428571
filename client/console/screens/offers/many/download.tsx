import { useTexts } from '../../../texts/use-texts.js'
import { type Made, madeSheet, type Sheet } from './csv.js'
import { separatorOf } from './reading.js'
import { fileNameOf, saveTable } from './save-table.js'

interface Props {
  readonly sheet: Sheet
  readonly made: readonly Made[]
  readonly withPins: boolean
  /** The name of the batch. */
  readonly name: string
}

/**
 * A button that downloads the rows with the link, the share page and the PIN of each row. The browser makes this file,
 * and the service does not store it.
 */
export function Download({ sheet, made, withPins, name }: Props) {
  const { many: words, offers } = useTexts()
  const save = () => {
    const names = [offers.link, offers.page, offers.pinIs] as const
    const separator = separatorOf(navigator.language)
    saveTable(madeSheet(sheet, made, names, separator), fileNameOf(name === '' ? words.fileName : name, 'csv'))
  }
  return (
    <>
      <button type="button" className="primary" onClick={save}>
        {words.download}
      </button>
      <p className="soft">{withPins ? words.downloadPins : words.downloadHint}</p>
    </>
  )
}
