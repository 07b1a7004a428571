import { CopyButton } from './copy-button.js'

interface Props {
  readonly id: string
  /** The thing that the id names. */
  readonly what: string
}

const HEAD = 18
const TAIL = 6

/** The beginning and the end of an id, enough to tell it from others. */
export const shortened = (id: string): string =>
  id.length > HEAD + TAIL + 1 ? `${id.slice(0, HEAD)}…${id.slice(-TAIL)}` : id

/** The beginning and the end of an id, which is whole in the title and when it is copied. */
export function ShortId({ id, what }: Props) {
  return (
    <span className="id">
      <code title={id}>{shortened(id)}</code>
      <CopyButton value={id} what={what} />
    </span>
  )
}

/** A client identifier without the prefix that says it is a DID (OpenID4VP 1.0 §5.9.3), which hides what tells it from others. */
export const shortenedClient = (clientId: string): string =>
  shortened(clientId.replace(/^decentralized_identifier:(?=did:)/, ''))
