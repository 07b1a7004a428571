import type { ReactNode } from 'react'
import { useTexts } from '../texts/use-texts.js'
import { ProblemNote } from './problem-note.js'

/** What is used of the result of `useQuery` and `useInfiniteQuery`. */
interface Query<Data> {
  readonly data: Data | undefined
  readonly isError: boolean
  readonly error: unknown
}

interface Props<Data> {
  readonly query: Query<Data>
  readonly children: (data: Data) => ReactNode
}

/** What a query brought; before that that it is under way, or why it failed. */
export function Asked<Data>({ query, children }: Props<Data>) {
  const { common } = useTexts()
  // What was read before stays to be seen while the service is away.
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ProblemNote error={query.error} />
  return (
    <p className="loading" role="status">
      {common.loading}
    </p>
  )
}
