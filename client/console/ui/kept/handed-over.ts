import type { CredenceInputs } from '../../../index.js'

/** A credential or certificates that another screen hands over to the screen of the explanation. */
export interface Handed {
  /** A compact credential, or certificates as PEM. */
  readonly given: string
  readonly purpose: NonNullable<CredenceInputs['trustLists']['explain']['purpose']>
  readonly type: string
}

/**
 * It is in memory alone: no address and no storage of the browser ever contains it. A credential is private, and a link with an id would
 * need a stored copy of each refused document. After a reload, the user opens the link again.
 */
let handed: Handed | undefined

export const handOver = (given: Handed): void => {
  handed = given
}

/** What was handed over. The caller forgets it as soon as its screen is drawn. */
export const handedOver = (): Handed | undefined => handed

export const forgetHanded = (): void => {
  handed = undefined
}
