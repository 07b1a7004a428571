import { useTexts } from '../../../texts/use-texts.js'
import { Field } from '../../../ui/field.js'
import type { DateOrder, Reading } from './reading.js'

interface Props {
  readonly reading: Reading
  readonly onRead: (reading: Reading) => void
}

const ORDERS: readonly DateOrder[] = ['ask', 'dmy', 'mdy']

/** How the numbers and dates of the file are written. The browser's language decides at first. */
export function Written({ reading, onRead }: Props) {
  const { many: words } = useTexts()
  return (
    <div className="columns">
      <Field label={words.decimal} required>
        {(props) => (
          <select
            {...props}
            value={reading.decimal}
            onChange={({ target }) => onRead({ ...reading, decimal: target.value === ',' ? ',' : '.' })}
          >
            <option value=",">1.234,56</option>
            <option value=".">1,234.56</option>
          </select>
        )}
      </Field>
      <Field label={words.dateOrder} hint={words.dateOrderHint} required>
        {(props) => (
          <select
            {...props}
            value={reading.dates}
            onChange={({ target }) =>
              onRead({ ...reading, dates: ORDERS.find((order) => order === target.value) ?? reading.dates })
            }
          >
            {ORDERS.map((order) => (
              <option key={order} value={order}>
                {words.dateOrders[order]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}
