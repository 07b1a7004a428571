/** `given_name`, `givenName` → `given name` */
export const inWords = (name: string): string =>
  name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
    .trim()

/** What a type is called: by its display, else its title, else its name in words. */
export const typeTitle = (type: {
  readonly name: string
  readonly title: string | null
  readonly display: readonly { readonly name: string }[] | null
}): string => type.display?.[0]?.name ?? type.title ?? inWords(type.name)
