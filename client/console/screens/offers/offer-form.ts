import type { NewOffer, NewOffering } from '../../queries/offers.js'
import type { Configuration } from '../../queries/types.js'
import { type NamesForm, namesOf } from '../../ui/names.js'
import type { ClaimsForm } from '../../ui/schema-form/schema-fields.js'

/** The values of the form for a new offer. */
export interface OfferForm extends ClaimsForm, NamesForm {
  configurationId: string
  grant: 'pre-authorized_code' | 'authorization_code'
  pin: boolean
  deferred: boolean
  /** Whether the claims source of the type is asked for the claims. */
  atIssuance: boolean
  expires: Duration
  limit: string
  forSubject: string
  recipient: string
}

export const DURATIONS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const
export type Duration = keyof typeof DURATIONS

/** The default format, because its holder can show single claims. */
const PREFERRED = 'dc+sd-jwt'

export const offerDefaults = (configurations: readonly Configuration[]): OfferForm => ({
  claims: {},
  reference: '',
  label: '',
  configurationId: (configurations.find(({ format }) => format === PREFERRED) ?? configurations[0])?.id ?? '',
  grant: 'pre-authorized_code',
  pin: false,
  deferred: false,
  atIssuance: false,
  expires: 'day',
  limit: '1',
  forSubject: '',
  recipient: '',
})

type Subject = Readonly<Record<string, unknown>>

/** Input of the call that creates an offer for one wallet. */
export function offerOf(form: OfferForm, subject: Subject): NewOffer {
  const isOpen = form.grant === 'pre-authorized_code'
  const forSubject = form.forSubject.trim()
  return {
    credentialConfigurationIds: [form.configurationId],
    ...(form.atIssuance ? { claims: 'atIssuance' as const } : { credentialSubject: { ...subject } }),
    grant: form.grant,
    expiresInSeconds: DURATIONS[form.expires],
    page: true,
    ...namesOf(form),
    ...(form.deferred && !form.atIssuance ? { deferred: true } : {}),
    ...(isOpen && form.pin ? { txCode: true as const } : {}),
    ...(!isOpen && forSubject !== '' ? { forSubject } : {}),
  }
}

/** Input of the call that creates an offering for many wallets. */
export function offeringOf(form: OfferForm, type: string, subject: Subject, now: Date): NewOffering {
  const recipient = form.recipient.trim()
  return {
    credential_type: type,
    credential_subject: { ...subject },
    expires_at: new Date(now.getTime() + DURATIONS[form.expires] * 1_000).toISOString(),
    ...namesOf(form),
    ...(recipient === '' ? {} : { recipient }),
  }
}

const FIELDS: Readonly<Record<string, keyof OfferForm>> = {
  forSubject: 'forSubject',
  recipient: 'recipient',
  redemption_limit: 'limit',
  txCode: 'pin',
  grant: 'grant',
  deferred: 'deferred',
  reference: 'reference',
  label: 'label',
}

const CLAIM = /^(?:credentialSubject|credential_subject)\.(.+)$/

/** Returns the field of the form for a path in the input of either call. */
export function fieldOfPath(path: string, controls: readonly { field: string; path: readonly string[] }[]) {
  const claim = CLAIM.exec(path)?.[1]
  if (claim === undefined) return FIELDS[path]
  const control = controls.find((each) => claim === each.path.join('.') || claim.startsWith(`${each.path.join('.')}.`))
  return control === undefined ? undefined : `claims.${control.field}`
}
