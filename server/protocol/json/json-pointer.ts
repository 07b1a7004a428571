/** The value that a JSON pointer (RFC 6901) to a member names; undefined where there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  const keys = pointer.slice(1).split('/')
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      document,
    )
}
