import type { ReactNode } from 'react'
import { ProblemNote } from './problem-note.js'
import { Skeleton } from './skeleton.js'

/** The used members of the results of `useQuery` and `useInfiniteQuery`. */
interface Query<Data> {
  readonly data: Data | undefined
  readonly isError: boolean
  readonly error: unknown
}

interface Props<Data> {
  readonly query: Query<Data>
  readonly children: (data: Data) => ReactNode
}

/** Draws the answer of a query. Until there is an answer, it shows a skeleton, or the error. */
export function Asked<Data>({ query, children }: Props<Data>) {
  // Earlier data stays visible while the service is unreachable.
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ProblemNote error={query.error} />
  return <Skeleton />
}
