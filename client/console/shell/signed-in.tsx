import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { tellSignedIn } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'

/** Where the login of a second window ends: the first one goes on where it was. */
export function SignedIn() {
  const { common, session: words } = useTexts()
  useEffect(() => {
    tellSignedIn()
    window.close()
  }, [])
  return (
    <Screen title={words.signedInTitle}>
      <p>{words.signedIn}</p>
      <p>
        <Link to="/">{common.toOverview}</Link>
      </p>
    </Screen>
  )
}
