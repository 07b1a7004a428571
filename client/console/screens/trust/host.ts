/** The host for a record's certificate: the host of its DID document, or the console's host if the DID has no document here. */
export const hostOf = ({ didDocumentUrl }: { readonly didDocumentUrl: string | null }): string =>
  new URL(didDocumentUrl ?? window.location.href).hostname
