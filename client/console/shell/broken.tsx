import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'

/** A fault of the console itself, or a part of it that could not be loaded. */
export function Broken() {
  const { common } = useTexts()
  return (
    <Screen title={common.brokenTitle}>
      <p>{common.broken}</p>
      <p>
        <button type="button" onClick={() => window.location.reload()}>
          {common.reload}
        </button>
      </p>
    </Screen>
  )
}
