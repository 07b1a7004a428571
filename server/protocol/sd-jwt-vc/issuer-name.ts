/** How an installation names the issuer of its SD-JWT VCs. */
export interface IssuerNaming {
  readonly issuerBaseUrl: string
  readonly sdJwtIssuer: 'did' | 'url'
}

/**
 * `iss` of an SD-JWT VC, and of the Token Status List that tells its status: the URL that a certificate is for, or whose
 * metadata hold the key, or else the DID.
 *
 * @param x5c the certificate chain of the key that signs, where it has one.
 */
export function issuerNameOf(naming: IssuerNaming, did: string, x5c: readonly string[] | null | undefined): string {
  return (x5c ?? null) !== null || naming.sdJwtIssuer === 'url' ? naming.issuerBaseUrl : did
}
