import type { MouseEvent, ReactNode } from 'react'
import { connection } from '../connection.js'
import { leaveTo } from '../leave-to.js'

interface Props {
  readonly href: string
  readonly className: string
  /** Whether the link opens a window of its own. */
  readonly opensWindow?: boolean
  readonly children: ReactNode
}

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

/** A link to a page of the service outside the console. It waits until the service answers. */
export function ServiceLink({ href, className, opensWindow = false, children }: Props) {
  const open = (event: MouseEvent) => {
    if (!isPlain(event)) return
    if (!opensWindow) {
      event.preventDefault()
      void leaveTo(href)
    } else if (connection.isAway()) {
      // A window that opens later would be blocked, so the user presses the link again.
      event.preventDefault()
      void connection.ask()
    }
  }
  return (
    // The new window needs no `window.opener`.
    <a
      href={href}
      className={className}
      onClick={open}
      {...(opensWindow ? { target: '_blank', rel: 'noreferrer' } : {})}
    >
      {children}
    </a>
  )
}
