import { loginAddress, SIGNED_IN } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'

/** Says that the session has ended. The login is in a window of its own, so that what was typed here stays. */
export function SessionBar() {
  const { session: words } = useTexts()
  return (
    <div role="alert">
      <p className="away">
        <span>{words.ended}</span>
        {/* The window that opens tells this one that it is done by a channel, and needs no handle on it. */}
        <a href={loginAddress(SIGNED_IN)} target="_blank" rel="noreferrer" className="button">
          {words.signInAgain}
        </a>
      </p>
    </div>
  )
}
