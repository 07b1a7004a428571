/**
 * The weight that an `Accept` or `Accept-Encoding` header gives the first of some names that it lists (RFC 9110 §12.4.2,
 * §12.5.1, §12.5.3), 0 where it lists none of them.
 *
 * @param names the narrowest first, in lower case.
 */
export function weightOf(header: string, ...names: readonly string[]): number {
  const named = new Map(
    header.split(',').map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return [range, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
    }),
  )
  const found = names.find((name) => named.has(name))
  return found === undefined ? 0 : (named.get(found) ?? 0)
}

/** Whether an `Accept` header takes a media type, by its name or by a wildcard; none takes every type. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  return accept === undefined || weightOf(accept, type, `${type.split('/')[0]}/*`, '*/*') > 0
}

/** Whether an `Accept-Encoding` header takes gzip and does not like the bytes as they are better (RFC 9110 §12.5.3). */
export function prefersGzip(acceptEncoding = ''): boolean {
  const gzip = weightOf(acceptEncoding, 'gzip', 'x-gzip', '*')
  return gzip > 0 && gzip >= weightOf(acceptEncoding, 'identity')
}
