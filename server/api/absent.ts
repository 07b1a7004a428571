/**
 * Stands for features where no service runs: contracts are read from routers that are made of it, and no procedure is called.
 *
 * @throws {TypeError} when any of it is called
 */
export function absent<Features extends object>(): Features {
  const nothing: object = new Proxy(
    () => {
      throw new TypeError('There is no service behind these routers.')
    },
    { get: () => nothing },
  )
  // A reader of contracts sees no member of any feature.
  return nothing as Features
}
