import { createContext, type ReactNode, useContext } from 'react'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import type { Section as Name } from '../fields.js'

interface Opened {
  readonly opened: ReadonlySet<Name>
  readonly onOpened: (section: Name, isOpen: boolean) => void
}

const OpenedContext = createContext<Opened>({ opened: new Set(), onOpened: () => {} })

/** Provides which sections are open. The editor opens the section of a field with an error. */
export const OpenedSections = OpenedContext

interface Props {
  readonly name: Name
  /** The settings of the section in words. The heading shows them while the section is closed. */
  readonly settings: readonly string[]
  readonly intro?: string
  readonly children: ReactNode
}

/** A part of the editor that opens, so that a newcomer sees only names and claims. */
export function Section({ name, settings, intro, children }: Props) {
  const words = useEditorTexts()
  const { common } = useTexts()
  const { opened, onOpened } = useContext(OpenedContext)
  return (
    <details
      className="panel opening"
      open={opened.has(name)}
      onToggle={({ currentTarget }) => onOpened(name, currentTarget.open)}
    >
      <summary>
        {words.sections[name]}
        {settings.length === 0 ? (
          <span className="soft"> ({common.optional})</span>
        ) : (
          <span className="soft summary"> {settings.join(' · ')}</span>
        )}
      </summary>
      <div className="fields">
        {intro !== undefined && <p className="soft">{intro}</p>}
        {children}
      </div>
    </details>
  )
}
