import { CopyButton } from '../../ui/copy-button.js'

interface Props {
  /** What the command does, for users of a screen reader. */
  readonly what: string
  readonly command: string
}

/** A command for a terminal, with a button that copies it. */
export function Command({ what, command }: Props) {
  return (
    <div className="command">
      <pre className="code">{command}</pre>
      <CopyButton value={command} what={what} />
    </div>
  )
}
