/** The client identifier prefixes that this wallet knows (OpenID4VP 1.0 §5.9.3, §10.1). */
export const CLIENT_ID_PREFIXES = ['decentralized_identifier', 'redirect_uri', 'x509_san_dns', 'x509_hash'] as const

export type ClientIdPrefix = (typeof CLIENT_ID_PREFIXES)[number]
