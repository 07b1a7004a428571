/** Parameters of a request to an authorization server, each sent once. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** The received parameters; a parameter without a value counts as omitted (RFC 6749 §3.1, §3.2). */
export const withValue = (sent: Parameters): Parameters =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''))
