import { type ReactNode, useEffect, useRef } from 'react'
import { withoutDirectionControls } from '../../../server/protocol/text-direction.js'
import { useTexts } from '../texts/use-texts.js'

interface Props {
  readonly title: string
  /** The title's language, if it differs from the console's language. */
  readonly titleLang?: string | undefined
  /** A sentence below the title. */
  readonly intro?: ReactNode
  /** The word that the screen is about, and its meaning in the glossary. */
  readonly term?: readonly string[] | undefined
  /** Buttons and links that belong to the screen as a whole. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The first screen after the page is loaded does not take the focus. */
let isFirst = true

/**
 * One screen. The title of the screen is the title of the page. The heading of the screen gets the focus when the user
 * comes from another screen.
 */
export function Screen({ title, titleLang, intro, term, actions, children }: Props) {
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
          {term !== undefined && (
            <p className="intro">
              <dfn>{term[0]}</dfn>: {term[1]}
            </p>
          )}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  )
}
