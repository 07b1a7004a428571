/**
 * The host name that a record's certificate must contain: the host of the record's DID document, or the console's host
 * if this service has no such document.
 */
export const hostOf = ({ didDocumentUrl }: { readonly didDocumentUrl: string | null }): string =>
  new URL(didDocumentUrl ?? window.location.href).hostname
