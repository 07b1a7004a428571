import { useSyncExternalStore } from 'react'
import { connection } from '../connection.js'
import { useTexts } from '../texts/use-texts.js'

/** A bar that is shown as long as the service is unreachable. The screen below the bar stays unchanged. */
export function ConnectionBar() {
  const { connection: words } = useTexts()
  const isAway = useSyncExternalStore(connection.subscribe, connection.isAway)
  return (
    <div role="status">
      {isAway && (
        <p className="away">
          <span>{words.away}</span>
          <button type="button" onClick={() => void connection.ask()}>
            {words.now}
          </button>
        </p>
      )}
    </div>
  )
}
