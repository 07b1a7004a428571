/**
 * The name of an issuer or verifier for people. A record without a name has the host of its base URL: pages, cards, metadata and the
 * console all show this name.
 *
 * @param name the name in the reader's language; undefined for a record without a name
 * @param baseUrl ISSUER_BASE_URL or VERIFIER_BASE_URL
 */
export const partyName = (name: string | undefined, baseUrl: string | URL): string => name ?? new URL(baseUrl).host
