import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Delivery, deliveries, type Outcome } from '../../queries/webhooks.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Field } from '../../ui/field.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Tag } from '../../ui/tag.js'
import type { Tone } from '../../ui/tone.js'

const OUTCOMES: readonly Outcome[] = ['pending', 'delivered', 'failed', 'held']

const TONES: Readonly<Record<Outcome, Tone>> = { pending: 'waiting', delivered: 'good', failed: 'bad', held: 'warn' }

/** The deliveries of a webhook with the answers of the receiver. The user can send a delivery again. */
export function Deliveries({ id }: { readonly id: string }) {
  const { webhooks: words } = useTexts()
  const client = useQueryClient()
  const [outcome, setOutcome] = useState<Outcome>()
  const query = useInfiniteQuery(deliveries(id, outcome))
  const resending = useMutation({
    mutationFn: (deliveryId: string) => credence.webhooks.resend.mutate({ id, deliveryId }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['webhooks'] }),
  })
  return (
    <>
      <div className="fields">
        <Field label={words.outcome}>
          {(control) => (
            <select
              {...control}
              value={outcome ?? ''}
              onChange={({ target }) => setOutcome(OUTCOMES.find((each) => each === target.value))}
            >
              <option value="">{words.anyOutcome}</option>
              {OUTCOMES.map((each) => (
                <option key={each} value={each}>
                  {words.outcomes[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {resending.isError && <ProblemNote error={resending.error} />}
      <Asked query={query}>
        {(rows) => (
          <>
            {rows.length === 0 ? (
              <p className="soft">{words.noDelivery}</p>
            ) : (
              <Rows rows={rows} resend={(row) => resending.mutate(row.id)} isResending={resending.isPending} />
            )}
            <More query={query} />
          </>
        )}
      </Asked>
    </>
  )
}

interface RowsProps {
  readonly rows: readonly Delivery[]
  readonly resend: (row: Delivery) => void
  readonly isResending: boolean
}

function Rows({ rows, resend, isResending }: RowsProps) {
  const { webhooks: words } = useTexts()
  return (
    <Listing
      label={words.deliveries}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { key: 'type', name: words.event, cell: ({ type }) => <code>{type}</code> },
        { key: 'at', name: words.at, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'outcome',
          name: words.outcome,
          cell: ({ outcome: one }) => <Tag tone={TONES[one]}>{words.outcomes[one]}</Tag>,
        },
        { key: 'answer', name: words.answer, cell: (row) => <Answer row={row} /> },
        {
          key: 'actions',
          name: words.actions,
          nameless: true,
          cell: (row) =>
            row.outcome === 'pending' ? null : (
              <button
                type="button"
                className="quiet"
                disabled={isResending}
                aria-label={words.resendOf(row.type)}
                onClick={() => resend(row)}
              >
                {words.resend}
              </button>
            ),
        },
      ]}
    />
  )
}

function Answer({ row: { tries, status, milliseconds, answer, error } }: { readonly row: Delivery }) {
  const { webhooks: words } = useTexts()
  if (tries === 0) return <>{words.notTried}</>
  return (
    <div className="asks">
      <span>{words.answered(tries, status, milliseconds)}</span>
      {error !== undefined && <Reason>{error}</Reason>}
      {answer !== undefined && answer !== '' && <code>{answer}</code>}
    </div>
  )
}
