/** The host that a certificate of a record is to name: that which its DID document is published at, else that of the console. */
export const hostOf = ({ didDocumentUrl }: { readonly didDocumentUrl: string | null }): string =>
  new URL(didDocumentUrl ?? window.location.href).hostname
