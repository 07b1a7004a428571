import { type ReactNode, useEffect, useRef } from 'react'
import { withoutDirectionControls } from '../../../server/protocol/text-direction.js'
import { useTexts } from '../texts/use-texts.js'

interface Props {
  readonly title: string
  /** Its language, where it is a name in another one than the console. */
  readonly titleLang?: string | undefined
  /** A sentence below the title. */
  readonly intro?: ReactNode
  /** Buttons and links that belong to the screen as a whole. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The first screen leaves the focus where the browser has it. */
let isFirst = true

/** One screen: its title is the page's, and gets the focus when somebody comes to it from another screen. */
export function Screen({ title, titleLang, intro, actions, children }: Props) {
  const { common } = useTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = withoutDirectionControls(common.pageTitle(title))
  }, [common, title])
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  return (
    <>
      <div className="screen-head">
        <div>
          <h1 ref={heading} tabIndex={-1} lang={titleLang}>
            {title}
          </h1>
          {intro !== undefined && <p className="intro">{intro}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  )
}
