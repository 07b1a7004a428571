import { useTexts } from '../../../texts/use-texts.js'
import { type Made, madeSheet, type Sheet } from './csv.js'

interface Props {
  readonly sheet: Sheet
  readonly made: readonly Made[]
  readonly withPins: boolean
}

/**
 * A button that downloads the rows with the link, the share page and the PIN of each row. The browser makes this file,
 * and the service does not store it.
 */
export function Download({ sheet, made, withPins }: Props) {
  const { many: words, offers } = useTexts()
  const save = () => {
    const names = [offers.link, offers.page, offers.pinIs] as const
    const address = URL.createObjectURL(new Blob([madeSheet(sheet, made, names)], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'offers.csv'
    link.click()
    URL.revokeObjectURL(address)
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
