import { CopyButton } from './copy-button.js'

interface Props {
  readonly id: string
  /** The kind of thing that the id names, for users of a screen reader. */
  readonly what: string
}

const HEAD = 18
const TAIL = 6

/** Shortens an id to its beginning and its end. They are long enough to distinguish ids. */
export const shortened = (id: string): string =>
  id.length > HEAD + TAIL + 1 ? `${id.slice(0, HEAD)}…${id.slice(-TAIL)}` : id

/** Shows the beginning and the end of an id. The tooltip and the copied text have the whole id. */
export function ShortId({ id, what }: Props) {
  return (
    <span className="id">
      <code title={id}>{shortened(id)}</code>
      <CopyButton value={id} what={what} />
    </span>
  )
}
