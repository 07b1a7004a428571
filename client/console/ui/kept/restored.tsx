import { useTexts } from '../../texts/use-texts.js'
import type { Kept } from './use-kept.js'

/** A line above a form that shows what the user typed on an earlier visit. */
export function Restored({ isRestored, startAnew }: Pick<Kept, 'isRestored' | 'startAnew'>) {
  const { kept: words } = useTexts()
  if (!isRestored) return null
  return (
    <p className="restored" role="status">
      {words.restored} ·{' '}
      <button type="button" className="quiet" onClick={startAnew}>
        {words.startAnew}
      </button>
    </p>
  )
}
