import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ask } from '../../queries/requests.js'
import type { VpQuery } from '../../queries/shapes.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Listing } from '../../ui/listing.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { summaryOf } from './summary.js'

interface Props {
  readonly queries: readonly VpQuery[]
  readonly onDelete: (query: VpQuery) => void
}

/** Saved queries. Each can become a request with one click. */
export function SavedQueries({ queries, onDelete }: Props) {
  const { requests: words } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const asking = useMutation({
    mutationFn: ({ name, purpose, queryBody }: VpQuery) =>
      ask(client, {
        query: queryBody,
        ...(name === undefined ? {} : { label: name }),
        ...(purpose === undefined ? {} : { purpose }),
      }),
    onSuccess: (id) => void navigate({ to: '/requests/$id', params: { id } }),
  })
  const typeNameOf = useTypeNames()
  const nameOf = ({ name, queryBody }: VpQuery) =>
    name ?? queryBody.map((item) => typeNameOf(summaryOf(item).types)).join(', ')
  return (
    <>
      {asking.isError && <ProblemNote error={asking.error} />}
      {queries.length === 0 && <p className="soft">{words.noSaved}</p>}
      {queries.length > 0 && (
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
                    className="quiet danger"
                    aria-label={words.deleteQuery(nameOf(query))}
                    onClick={() => onDelete(query)}
                  >
                    {words.deleteIt}
                  </button>
                </span>
              ),
            },
          ]}
        />
      )}
    </>
  )
}

/** Returns the titles of types in the user's language, in one text. Without a type, any credential is asked for. */
function useTypeNames(): (types: readonly string[]) => string {
  const { requests: words } = useTexts()
  const titleOf = useTypeTitles()
  return (types) => (types.length === 0 ? words.anyCredential : types.map(titleOf).join(', '))
}

/** The type and the claim names of each credential in a query. */
function Asks({ query }: { readonly query: VpQuery }) {
  const { requests: words } = useTexts()
  const typeNameOf = useTypeNames()
  return (
    <span className="asks">
      {query.name !== undefined && <strong>{query.name}</strong>}
      {query.queryBody.map(summaryOf).map(({ types, claims }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a stored query never change.
        <span key={at}>
          {typeNameOf(types)}
          <span className="soft"> {claims.length === 0 ? words.wholeCredential : claims.join(', ')}</span>
        </span>
      ))}
    </span>
  )
}

interface DeletionProps {
  readonly query: VpQuery
  readonly isGone: boolean
  readonly onClose: () => void
}

/** Asks before a query is deleted. */
export function Deletion({ query, isGone, onClose }: DeletionProps) {
  const { requests: words } = useTexts()
  return (
    <Confirmation
      title={words.deleteTitle}
      text={words.deleteText}
      action={words.deleteIt}
      act={() => credence.vpQueries.delete.mutate({ id: query.id })}
      changes="vp-queries"
      isGone={isGone}
      onClose={onClose}
    />
  )
}
