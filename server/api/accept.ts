/**
 * Returns the weight of the first of `names` that an `Accept` or `Accept-Encoding` header lists (RFC 9110 §12.4.2,
 * §12.5.1, §12.5.3). The weight is 0 if the header lists none of `names`.
 *
 * @param names the most specific name first, in lower case.
 */
export function weightOf(header: string, ...names: readonly string[]): number {
  const named = weightsOf(header)
  const found = names.find((name) => named.has(name))
  return found === undefined ? 0 : (named.get(found) ?? 0)
}

/** Returns the names in an `Accept` or `Accept-Encoding` header, each with its weight. */
const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return [range, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
    }),
  )

/**
 * Returns the three entries of an `Accept` header that would include a media type: the type itself, its wildcard such
 * as `image/*`, and the wildcard for all types.
 */
const rangesOf = (type: string) => [type, `${type.split('/')[0]}/*`, '*/*'] as const

/** True if an `Accept` header accepts a media type, by name or by wildcard. Without the header every type is accepted. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  return accept === undefined || weightOf(accept, ...rangesOf(type)) > 0
}

/**
 * Returns the media type of `types` that an `Accept` header prefers (RFC 9110 §12.5.1). If types have equal weight, a
 * type that the header names is preferred to a type that only a wildcard includes. If this does not decide, the order
 * of `types` decides. If the header accepts no type, the first type is returned.
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

/** True if an `Accept-Encoding` header accepts gzip and does not prefer uncompressed bytes (RFC 9110 §12.5.3). */
export function prefersGzip(acceptEncoding = ''): boolean {
  const gzip = weightOf(acceptEncoding, 'gzip', 'x-gzip', '*')
  return gzip > 0 && gzip >= weightOf(acceptEncoding, 'identity')
}
