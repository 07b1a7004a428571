import { CopyButton } from './copy-button.js'

interface Props {
  readonly id: string
  /** The thing that the id names. */
  readonly what: string
}

const HEAD = 18
const TAIL = 6

/** The beginning and the end of an id, enough to distinguish it. */
export const shortened = (id: string): string =>
  id.length > HEAD + TAIL + 1 ? `${id.slice(0, HEAD)}…${id.slice(-TAIL)}` : id

/** The beginning and the end of an id. The title and the copy have the whole id. */
export function ShortId({ id, what }: Props) {
  return (
    <span className="id">
      <code title={id}>{shortened(id)}</code>
      <CopyButton value={id} what={what} />
    </span>
  )
}

/** A client identifier without its DID prefix (OpenID4VP 1.0 §5.9.3): a shortened id would show only the prefix. */
export const shortenedClient = (clientId: string): string =>
  shortened(clientId.replace(/^decentralized_identifier:(?=did:)/, ''))
