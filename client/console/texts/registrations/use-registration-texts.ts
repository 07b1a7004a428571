import { ownTexts } from '../own-texts.js'
import { REGISTRATION_TEXTS } from './load.js'
import type { RegistrationTexts } from './texts.js'

/** The texts of registration certificates in the shown language. */
export const useRegistrationTexts = ownTexts(REGISTRATION_TEXTS)

/** The texts about the registration certificates of an issuer or of a verifier. */
export function useCertificateTexts(kind: 'issuer' | 'verifier'): RegistrationTexts['certificates'] {
  const { certificates } = useRegistrationTexts()
  if (kind === 'verifier') return certificates
  const { otherSubject, ...issuer } = certificates.issuer
  return { ...certificates, ...issuer, faults: { ...certificates.faults, 'other-subject': otherSubject } }
}
