/**
 * A credential that another screen hands over to the screen of the explanation. It is in memory alone: no address and no
 * storage of the browser ever contains it.
 */
let handed: string | undefined

export const handOver = (credential: string): void => {
  handed = credential
}

/** The credential that was handed over. The caller forgets it as soon as its screen is drawn. */
export const handedOver = (): string | undefined => handed

export const forgetHanded = (): void => {
  handed = undefined
}
