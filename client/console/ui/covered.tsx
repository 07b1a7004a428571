import { useAsks } from '../screens/requests/use-asks.js'
import { askOf, type RegisteredCredential } from './registered.js'

interface Props {
  readonly credentials: readonly RegisteredCredential[]
  /** The words for a credential without claims; undefined for credentials that are about no claims. */
  readonly none?: string
}

/** Credentials with their claims in words: of a registration certificate, of a query, or of an issuer. */
export function Covered({ credentials, none }: Props) {
  const { queryName, claimNames } = useAsks()
  return (
    <ul className="plain covered">
      {credentials.map((credential) => {
        const ask = askOf(credential)
        const names = claimNames(ask)
        return (
          <li key={JSON.stringify(credential)}>
            <strong>{queryName(ask)}</strong>
            {(names.length > 0 || none !== undefined) && <p>{names.length === 0 ? none : names.join(', ')}</p>}
          </li>
        )
      })}
    </ul>
  )
}
