/** A subject may name itself by its `id`. */
export const idOf = (subject: Readonly<Record<string, unknown>>) =>
  typeof subject.id === 'string' ? subject.id : undefined

/** The DID that a subject is called by; undefined where it is called otherwise. */
export const didIn = (id: string | undefined) => (id?.startsWith('did:') === true ? id : undefined)
