import { pictureOf } from '../../../server/protocol/credential-card/picture.js'
import { CredentialFace, type FaceProps } from './credential-face.js'

/** A claim with its title. A preview has no values. */
export interface ShownClaim {
  readonly key: string
  readonly title: string
  readonly value?: string | undefined
}

interface Props extends FaceProps {
  readonly claims: readonly ShownClaim[]
}

/** A credential as a wallet may draw it: the card, and below it its claims. */
export function CredentialCard({ claims, ...face }: Props) {
  return (
    <div className="credential">
      <CredentialFace {...face} />
      {claims.length > 0 && (
        <ul className="credential-claims">
          {claims.map(({ key, title, value }) => (
            <li key={key}>
              <span>{title}</span>
              {value !== undefined && <Value title={title} value={value} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The value of a claim. An image is shown as a picture. */
function Value({ title, value }: { readonly title: string; readonly value: string }) {
  const picture = pictureOf(value)
  return picture === undefined ? <strong>{value}</strong> : <img className="picture" src={picture} alt={title} />
}
