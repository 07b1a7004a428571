/** The settings that decide how an installation names the issuer in its SD-JWT VCs. */
export interface IssuerNaming {
  readonly issuerBaseUrl: string
  readonly sdJwtIssuer: 'did' | 'url'
}

/**
 * Returns the `iss` for an SD-JWT VC, and for the Token Status List that has the credential's status. `iss` is the
 * issuer's URL if the key has a certificate chain or `sdJwtIssuer` is `url`, otherwise the DID.
 *
 * @param x5c the certificate chain of the signing key, if it has one.
 */
export function issuerNameOf(naming: IssuerNaming, did: string, x5c: readonly string[] | null | undefined): string {
  return (x5c ?? null) !== null || naming.sdJwtIssuer === 'url' ? naming.issuerBaseUrl : did
}
