import { useId } from 'react'
import { useTexts } from '../texts/use-texts.js'
import { CopyButton } from './copy-button.js'

interface Props {
  readonly id: string
  /** The kind of thing that the id names. */
  readonly what: string
  /** Whether the button names the kind, because no column does. */
  readonly isNamed?: boolean
}

/** A small button that shows a whole id with a button to copy it. People read names, so lists show ids only on demand. */
export function IdOnDemand({ id, what, isNamed = false }: Props) {
  const { common } = useTexts()
  const key = useId()
  return (
    <>
      <button type="button" className="quiet copy" popoverTarget={key} aria-label={common.showOf(what)}>
        {isNamed ? common.showOf(what) : common.show}
      </button>
      {/* A span, because a paragraph may contain the button. */}
      <span id={key} popover="auto" className="id-shown" role="dialog" aria-label={what}>
        <strong>{what}</strong>
        <code>{id}</code>
        <CopyButton value={id} what={what} />
      </span>
    </>
  )
}
