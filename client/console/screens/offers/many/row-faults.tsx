import { useState } from 'react'
import { useTexts } from '../../../texts/use-texts.js'
import { Listing } from '../../../ui/listing.js'
import { Panel } from '../../../ui/panel.js'

/** The errors in a row of the file. */
export interface RowFault {
  readonly number: number
  readonly sentences: readonly string[]
}

/** Number of rows that are drawn at first, and that each further click adds. */
const SHOWN = 100

/** A list of all errors, row by row. */
export function RowFaults({ faults }: { readonly faults: readonly RowFault[] }) {
  const { many: words, common } = useTexts()
  const [shown, setShown] = useState(SHOWN)
  return (
    <Panel title={words.wrongRows(faults.length)} intro={words.wrongRowsIntro}>
      <Listing
        label={words.wrongRows(faults.length)}
        rows={faults.slice(0, shown)}
        keyOf={({ number }) => String(number)}
        columns={[
          { key: 'row', name: words.row, cell: ({ number }) => words.rowNumber(number) },
          {
            key: 'why',
            name: words.why,
            cell: ({ sentences }) => (
              <ul className="plain">
                {sentences.map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            ),
          },
        ]}
      />
      {shown < faults.length && (
        <button type="button" onClick={() => setShown(shown + SHOWN)}>
          {common.more}
        </button>
      )}
    </Panel>
  )
}
