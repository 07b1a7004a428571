/** Parameters of a request to an authorization server, each sent once. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** Parameters as they came; those without a value are treated as if they were omitted (RFC 6749 §3.1, §3.2). */
export const withValue = (sent: Parameters): Parameters =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''))
