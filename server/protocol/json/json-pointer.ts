/** The member names in a JSON Pointer (RFC 6901 §4): empty for the whole document, undefined if the text is no JSON Pointer. */
export function pointerKeys(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The value that a JSON Pointer to a member names; undefined if the member is absent. */
export function valueAt(document: unknown, pointer: string): unknown {
  const keys = pointerKeys(pointer) ?? []
  if (keys.length === 0) return undefined
  return keys.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined,
    document,
  )
}

/** The JSON Pointer to a member (RFC 6901 §3). */
export const pointerTo = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
