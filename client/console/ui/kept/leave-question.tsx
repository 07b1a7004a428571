import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../dialog.js'
import { hasDraftHere, hasDrafts } from './drafts.js'

// A change of the address's search stays on the screen.
const isLeft: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname && hasDraftHere()

/**
 * Asks before a form that was begun is left: by a link, by the buttons of the browser, or because the window closes.
 */
export function LeaveQuestion() {
  const { kept: words } = useTexts()
  const blocked = useBlocker({
    shouldBlockFn: isLeft,
    // A window that closes or loads another page loses the drafts of every screen.
    enableBeforeUnload: hasDrafts,
    withResolver: true,
  })
  if (blocked.status !== 'blocked') return null
  return (
    <Dialog title={words.leaveTitle} onClose={blocked.reset}>
      <p>{words.leaveText}</p>
      <div className="row">
        <button type="button" className="primary" onClick={blocked.reset}>
          {words.stay}
        </button>
        <button type="button" onClick={blocked.proceed}>
          {words.leave}
        </button>
      </div>
    </Dialog>
  )
}
