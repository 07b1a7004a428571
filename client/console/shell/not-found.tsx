import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'

export function NotFound() {
  const { common } = useTexts()
  return (
    <Screen title={common.notFoundTitle}>
      <p>{common.notFound}</p>
      <p>
        <Link to="/">{common.toOverview}</Link>
      </p>
    </Screen>
  )
}
