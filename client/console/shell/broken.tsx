import { readAgain } from '../leave-to.js'
import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'

/** Shown after an error in the console, or if a part of the console could not be loaded. */
export function Broken() {
  const { common } = useTexts()
  return (
    <Screen title={common.brokenTitle}>
      <p>{common.broken}</p>
      <p>
        <button type="button" onClick={() => void readAgain()}>
          {common.reload}
        </button>
      </p>
    </Screen>
  )
}
