import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { localeOf } from '../../../../../server/protocol/credential-card/values.js'
import { batch } from '../../../queries/batches.js'
import { batchResult, saveResponse } from '../../../queries/exports.js'
import { credence } from '../../../service.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Asked } from '../../../ui/asked.js'
import { Fact } from '../../../ui/fact.js'
import { Panel } from '../../../ui/panel.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Screen } from '../../../ui/screen.js'
import { Sentence } from '../../../ui/sentence.js'
import { May } from '../../../ui/use-may.js'
import { separatorOf } from '../many/reading.js'
import { fileNameOf, saveTable } from '../many/save-table.js'
import { ReasonDialog } from '../reason-dialog.js'
import { resultTable } from './result-table.js'

const route = getRouteApi('/offers/batches/$id')

/** The screen of one batch: the numbers of its offers, its result file, and its cancellation. */
export function OfferBatch() {
  const { language, texts } = useSpoken()
  const { batches: words, offers, sessions } = texts
  const { id } = route.useParams()
  const query = useQuery(batch(id))
  const title =
    query.data === undefined
      ? words.batch
      : (query.data.name ??
        words.unnamed(
          new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }).format(
            new Date(query.data.createdAt),
          ),
        ))
  const [isAsking, setAsking] = useState(false)
  const saving = useMutation({
    mutationFn: async (format: 'csv' | 'ndjson') => {
      const response = await batchResult(id, format, new AbortController().signal)
      const file = fileNameOf(title, format)
      if (format === 'ndjson') await saveResponse(response, file)
      else saveTable(resultTable(await response.text(), texts, separatorOf(navigator.language)), file)
    },
  })
  const all = (
    <Link to="/offers/batches" className="button">
      {words.title}
    </Link>
  )
  return (
    <Screen title={title} actions={all}>
      <Asked query={query}>
        {({ createdAt, createdBy, offers: count, counts, taken, cancelled, cancelledAt, reason }) => (
          <div className="panels">
            <Panel title={words.numbers}>
              <dl>
                <Fact name={words.offers}>{count}</Fact>
                <Fact name={words.taken}>{taken}</Fact>
                <Fact name={words.cancelled}>{cancelled}</Fact>
                {Object.entries(counts).map(([state, number]) => (
                  <Fact key={state} name={sessions.offerStates[state as keyof typeof sessions.offerStates]}>
                    {number}
                  </Fact>
                ))}
                <Fact name={sessions.made}>
                  <RelativeTime at={createdAt} />
                </Fact>
                <Fact name={words.createdBy}>{createdBy}</Fact>
                {cancelledAt !== undefined && (
                  <Fact name={words.cancelledAt}>
                    <RelativeTime at={cancelledAt} />
                  </Fact>
                )}
                {reason !== undefined && (
                  <Fact name={offers.reason}>
                    <Sentence>{reason}</Sentence>
                  </Fact>
                )}
              </dl>
            </Panel>
            <Panel title={words.result} intro={words.resultIntro}>
              {saving.isError && <ProblemNote error={saving.error} />}
              <div className="row">
                <button type="button" disabled={saving.isPending} onClick={() => saving.mutate('csv')}>
                  {words.resultCsv}
                </button>
                <button type="button" disabled={saving.isPending} onClick={() => saving.mutate('ndjson')}>
                  {words.resultNdjson}
                </button>
              </div>
              {taken > 0 && (
                <May call="statusJobs.create">
                  <p>
                    <Link to="/credentials/jobs" search={{ batch: id }}>
                      {words.changeStatus}
                    </Link>
                  </p>
                </May>
              )}
              {cancelledAt === undefined && (
                <p className="row">
                  <button type="button" className="danger" onClick={() => setAsking(true)}>
                    {words.cancel}
                  </button>
                </p>
              )}
            </Panel>
          </div>
        )}
      </Asked>
      {isAsking && (
        <ReasonDialog
          title={words.cancelTitle}
          text={words.cancelText}
          action={words.cancel}
          act={(reason) => credence.offerBatches.cancel.mutate({ id, ...reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </Screen>
  )
}
