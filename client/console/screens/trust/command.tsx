import { CopyButton } from '../../ui/copy-button.js'

interface Props {
  /** What the command does, for whoever hears the button alone. */
  readonly what: string
  readonly command: string
}

/** A command as it is typed into a terminal, to be copied. */
export function Command({ what, command }: Props) {
  return (
    <div className="command">
      <pre className="code">{command}</pre>
      <CopyButton value={command} what={what} />
    </div>
  )
}
