interface Props {
  readonly title: string
  readonly issuer?: string | undefined
  readonly backgroundColor?: string | undefined
  readonly textColor?: string | undefined
  /** The claims with their titles. A preview has no values. */
  readonly claims: readonly { readonly key: string; readonly title: string; readonly value?: string | undefined }[]
}

/** A credential as a wallet may draw it. */
export function CredentialCard({ title, issuer, backgroundColor, textColor, claims }: Props) {
  return (
    <div className="credential" style={{ backgroundColor, color: textColor }}>
      <p className="credential-title">{title}</p>
      {claims.length > 0 && (
        <ul>
          {claims.map(({ key, title: name, value }) => (
            <li key={key}>
              <span>{name}</span>
              {value !== undefined && <strong>{value}</strong>}
            </li>
          ))}
        </ul>
      )}
      {issuer !== undefined && <p className="credential-issuer">{issuer}</p>}
    </div>
  )
}
