/**
 * The weight that an `Accept` or `Accept-Encoding` header gives the first of some names that it lists (RFC 9110 §12.4.2,
 * §12.5.1, §12.5.3), 0 where it lists none of them.
 *
 * @param names the narrowest first, in lower case.
 */
export function weightOf(header: string, ...names: readonly string[]): number {
  const named = weightsOf(header)
  const found = names.find((name) => named.has(name))
  return found === undefined ? 0 : (named.get(found) ?? 0)
}

/** The names that such a header lists, each with its weight. */
const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return [range, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
    }),
  )

/** What a media type is meant by in an `Accept` header, the narrowest first. */
const rangesOf = (type: string) => [type, `${type.split('/')[0]}/*`, '*/*'] as const

/** Whether an `Accept` header takes a media type, by its name or by a wildcard; none takes every type. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  return accept === undefined || weightOf(accept, ...rangesOf(type)) > 0
}

/**
 * The media type that an `Accept` header likes best (RFC 9110 §12.5.1). Of those that it likes as much as each other, one that
 * it names rather than one that a wildcard stands for; then the first of the list, as where it takes none of them.
 *
 * @param types in lower case, the default first
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...(readonly Type[])],
): Type {
  if (accept === undefined) return types[0]
  const weights = weightsOf(accept)
  const liked = types.map((type) => {
    const ranges = rangesOf(type)
    const distance = ranges.findIndex((range) => weights.has(range))
    return { type, weight: weights.get(ranges[distance] ?? '') ?? 0, distance }
  })
  return liked.reduce((best, each) => {
    if (each.weight !== best.weight) return each.weight > best.weight ? each : best
    return each.distance < best.distance && each.weight > 0 ? each : best
  }).type
}

/** Whether an `Accept-Encoding` header takes gzip and does not like the bytes as they are better (RFC 9110 §12.5.3). */
export function prefersGzip(acceptEncoding = ''): boolean {
  const gzip = weightOf(acceptEncoding, 'gzip', 'x-gzip', '*')
  return gzip > 0 && gzip >= weightOf(acceptEncoding, 'identity')
}
