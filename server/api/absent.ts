/**
 * Replaces the features if no service runs. Routers can be made from it to read their contracts. Their procedures
 * cannot be called.
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
  // Code that reads contracts uses no member of a feature.
  return nothing as Features
}
