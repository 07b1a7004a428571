import type { Registration } from '../../queries/trust.js'
import { nameOfRegistration } from '../../ui/registered.js'

/** An intended use of the verifier, for which a request can carry a registration certificate. */
export interface IntendedUse {
  /** `intendedUse` of the request: the name of the use, or the id of a certificate if the name is not unique. */
  readonly value: string
  readonly name: string
  /** The language of the name; undefined for the language of the console. */
  readonly lang: string | undefined
  /** The state of the certificate. The service refuses requests for a use without a usable certificate. */
  readonly state: Registration['state']
}

/** Certificates for the same party and the same use are one use: the newest replaces the others, as in the service. */
const keyOfUse = ({ subject, intermediary, intendedUse }: Registration): string =>
  JSON.stringify([subject.identifier, intermediary?.identifier, intendedUse])

/**
 * The intended uses of a verifier.
 *
 * @param registrations the newest first
 */
export function intendedUses(registrations: readonly Registration[], language: string): IntendedUse[] {
  const found = new Map<string, Registration>()
  for (const registration of registrations) {
    const before = found.get(keyOfUse(registration))
    if (before === undefined || (before.state !== 'usable' && registration.state === 'usable'))
      found.set(keyOfUse(registration), registration)
  }
  const uses = [...found.values()]
  return uses.map((registration) => {
    const { id, intendedUse, state } = registration
    const isUnique = uses.filter((other) => other.intendedUse === intendedUse).length === 1
    const { text, lang } = nameOfRegistration(registration, language)
    const named = intendedUse === null || intendedUse === text ? text : `${text} (${intendedUse})`
    return { value: intendedUse !== null && isUnique ? intendedUse : id, name: named, lang, state }
  })
}

/** The chosen use; undefined without a choice, and for a use that the verifier no longer has. */
export const chosenUse = (chosen: string, uses: readonly IntendedUse[]): string | undefined =>
  uses.length > 1 ? uses.find(({ value }) => value === chosen)?.value : undefined

const BEYOND = /^dcqlQuery (goes beyond .*: credential ([\w-]+) .*)$/s

/**
 * Names the credential in a message about a query beyond its registration certificate. The message then belongs to the
 * field of this credential.
 */
export function namedInQuery(message: string, ids: readonly string[]): string {
  const [, sentence, id = ''] = BEYOND.exec(message) ?? []
  const at = ids.indexOf(id)
  return sentence === undefined || at === -1 ? message : `dcqlQuery.credentials.${at} ${sentence}`
}

/** Whether a sentence with which the service refuses a request is about the registration certificate. */
export const isAboutRegistration = (message: string): boolean => /\bregistration certificate\b/i.test(message)
