import { loginAddress, SIGNED_IN } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'

/**
 * A bar that reports that the session has ended. The user signs in again in a second window, so input in this window is
 * not lost.
 */
export function SessionBar() {
  const { session: words } = useTexts()
  return (
    <div role="alert">
      <p className="away">
        <span>{words.ended}</span>
        {/* The new window reports the sign-in over a channel, and needs no `window.opener`. */}
        <a href={loginAddress(SIGNED_IN)} target="_blank" rel="noreferrer" className="button">
          {words.signInAgain}
        </a>
      </p>
    </div>
  )
}
