import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'
import { Skeleton } from '../ui/skeleton.js'

/** Shown while the file of a screen is still loading. */
export function Pending() {
  const { common } = useTexts()
  return (
    <Screen title={common.loading}>
      <Skeleton />
    </Screen>
  )
}
