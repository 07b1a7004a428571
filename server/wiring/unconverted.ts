import type { Deps } from '../deps.js'
import { createFindQrCode } from '../verifier/qr-codes/qr-codes.js'
import { wireVerifications } from './verifier.js'

/** What features that are not made of their ports yet use of those that are. */

type Verifications = ReturnType<typeof wireVerifications>
type Of<Operation extends keyof Verifications> = Parameters<Verifications[Operation]>

export const checkCredential = (deps: Deps, ...args: Of<'check'>) => wireVerifications(deps).check(...args)

export const verificationFetches = (deps: Deps, ...args: Of<'fetches'>) => wireVerifications(deps).fetches(...args)

export const issuerKeyResolution = (deps: Deps, ...args: Of<'issuerKeyResolution'>) =>
  wireVerifications(deps).issuerKeyResolution(...args)

export const readStatus = (deps: Deps, ...args: Of<'readStatus'>) => wireVerifications(deps).readStatus(...args)

export const findQrCode = ({ stores }: Deps, id: string) => createFindQrCode(stores.verificationSessions.byQrCode)(id)
