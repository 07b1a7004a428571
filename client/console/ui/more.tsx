import { useTexts } from '../texts/use-texts.js'

interface Props {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetching: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}

/** The button that reads the next page of a list, if there is a next page. */
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
