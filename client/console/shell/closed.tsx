import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'

/** What is shown to whom the service does not know. */
export function Closed() {
  const { session } = useTexts()
  return (
    <Screen title={session.closedTitle}>
      <p>{session.closed}</p>
    </Screen>
  )
}
