/**
 * Returns an object that replaces the features of a service when no service runs. With it, routers can be made only to
 * read their contracts. The procedures of such routers cannot be called.
 *
 * @throws {TypeError} if any member is called
 */
export function absent<Features extends object>(): Features {
  const nothing: object = new Proxy(
    () => {
      throw new TypeError('There is no service behind these routers.')
    },
    { get: () => nothing },
  )
  // The cast is safe, because code that reads contracts does not use the members of features.
  return nothing as Features
}
