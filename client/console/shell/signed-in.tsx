import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { tellSignedIn } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'

/** The last screen of a sign-in in a second window. The first window continues. */
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
