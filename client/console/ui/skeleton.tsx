import { useTexts } from '../texts/use-texts.js'

/** Shown at once in place of data that is still loading, about as large as a short list. */
export function Skeleton() {
  const { common } = useTexts()
  return (
    <div className="loading" role="status">
      <span className="hidden">{common.loading}</span>
      <div className="skeleton" aria-hidden="true">
        <span />
        <span />
        <span />
        <span />
      </div>
    </div>
  )
}
