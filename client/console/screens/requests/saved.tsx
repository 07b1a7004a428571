import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../queries/requests.js'
import type { VpQuery } from '../../queries/shapes.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Listing } from '../../ui/listing.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { summaryOf } from './summary.js'

/** Queries that were saved, each to be asked at once. */
export function SavedQueries({ queries }: { readonly queries: readonly VpQuery[] }) {
  const { requests: words } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<VpQuery>()
  const asking = useMutation({
    mutationFn: ({ queryBody }: VpQuery) => ask(client, { query: queryBody }),
    onSuccess: (id) => void navigate({ to: '/requests/$id', params: { id } }),
  })
  if (queries.length === 0) return <p className="soft">{words.noSaved}</p>
  const nameOf = ({ queryBody }: VpQuery) =>
    queryBody.map((item) => summaryOf(item).type ?? words.anyCredential).join(', ')
  return (
    <>
      {asking.isError && <ProblemNote error={asking.error} />}
      <Listing
        label={words.saved}
        rows={queries}
        keyOf={({ id }) => id}
        columns={[
          { key: 'asks', name: words.asksFor, cell: (query) => <Asks query={query} /> },
          {
            key: 'saved',
            name: words.savedAt,
            cell: ({ createdAt }) => <RelativeTime at={new Date(createdAt).toISOString()} />,
          },
          {
            key: 'actions',
            name: words.rowActions,
            nameless: true,
            cell: (query) => (
              <span className="row-actions">
                <button
                  type="button"
                  aria-label={words.askQuery(nameOf(query))}
                  disabled={asking.isPending}
                  onClick={() => asking.mutate(query)}
                >
                  {words.askIt}
                </button>
                <Link
                  to="/requests/new-request"
                  search={{ query: query.id }}
                  className="button"
                  aria-label={words.reopenQuery(nameOf(query))}
                >
                  {words.reopenIt}
                </Link>
                <button
                  type="button"
                  className="quiet"
                  aria-label={words.deleteQuery(nameOf(query))}
                  onClick={() => setLeaving(query)}
                >
                  {words.deleteIt}
                </button>
              </span>
            ),
          },
        ]}
      />
      {leaving !== undefined && <Deletion query={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}

/** What a query asks for: of each credential its type, and the names of its claims. */
function Asks({ query }: { readonly query: VpQuery }) {
  const { requests: words } = useTexts()
  return (
    <span className="asks">
      {query.queryBody.map(summaryOf).map(({ type, claims }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a stored query never change.
        <span key={at}>
          {type ?? words.anyCredential}
          <span className="soft"> {claims.length === 0 ? words.wholeCredential : claims.join(', ')}</span>
        </span>
      ))}
    </span>
  )
}

function Deletion({ query, onClose }: { readonly query: VpQuery; readonly onClose: () => void }) {
  const { requests: words } = useTexts()
  return (
    <Confirmation
      title={words.deleteTitle}
      text={words.deleteText}
      action={words.deleteIt}
      act={() => credence.vpQueries.delete.mutate({ id: query.id })}
      changes="vp-queries"
      onClose={onClose}
    />
  )
}
