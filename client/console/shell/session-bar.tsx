import { loginAddress, SIGNED_IN } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { ServiceLink } from './service-link.js'

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
        {/* The new window reports the sign-in over a channel. */}
        <ServiceLink href={loginAddress(SIGNED_IN)} className="button" opensWindow>
          {words.signInAgain}
        </ServiceLink>
      </p>
    </div>
  )
}
