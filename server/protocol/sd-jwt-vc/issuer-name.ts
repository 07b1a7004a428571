/** Settings of an installation for the issuer's name in its SD-JWT VCs. */
export interface IssuerNaming {
  readonly issuerBaseUrl: string
  readonly sdJwtIssuer: 'did' | 'url'
}

/**
 * `iss` of an SD-JWT VC, and of the Token Status List with its status. It is the URL if a certificate names the URL or the URL's
 * metadata hold the key, otherwise the DID.
 *
 * @param x5c the certificate chain of the signing key, if it has one.
 */
export function issuerNameOf(naming: IssuerNaming, did: string, x5c: readonly string[] | null | undefined): string {
  return (x5c ?? null) !== null || naming.sdJwtIssuer === 'url' ? naming.issuerBaseUrl : did
}
