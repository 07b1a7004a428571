import { useTexts } from '../texts/use-texts.js'

interface Props {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetching: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}

/** Reads the next page of a list, where there is one. */
export function More({ query }: Props) {
  const { common } = useTexts()
  if (!query.hasNextPage) return null
  return (
    <p className="more">
      <button type="button" disabled={query.isFetching} onClick={() => void query.fetchNextPage()}>
        {common.more}
      </button>
    </p>
  )
}
