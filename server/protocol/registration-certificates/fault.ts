/** The checks of a registration certificate, each with a name that callers may depend on. */
export const REGISTRATION_CHECKS = [
  'too-large',
  'malformed',
  'type',
  'algorithm',
  'signature',
  'signer',
  'not-yet-valid',
  'expired',
  'too-long',
  'other-subject',
] as const

export type RegistrationCheck = (typeof REGISTRATION_CHECKS)[number]

/** A check that a registration certificate fails. `sentence` is one sentence for people, without personal data. */
export interface RegistrationFault {
  readonly check: RegistrationCheck
  readonly sentence: string
}

/** Thrown for data that is no authentic registration certificate. `message` is the sentence of the failed check. */
export class RegistrationCertificateError extends Error implements RegistrationFault {
  override readonly name = 'RegistrationCertificateError'

  constructor(
    readonly check: RegistrationCheck,
    readonly sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options)
  }
}

/** The error for a claim with the wrong form. @param place the claim, such as `credentials[0].format` */
export const malformed = (place: string, reason: string): RegistrationCertificateError =>
  new RegistrationCertificateError('malformed', `The registration certificate is malformed: ${place} ${reason}.`)
