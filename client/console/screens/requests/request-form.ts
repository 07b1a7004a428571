import type { NewRequest } from '../../queries/shapes.js'
import { type NamesForm, namesOf } from '../../ui/names.js'
import type { Askable, Format } from './askable.js'

/** A claim of a known type: requested or not. */
export interface KnownClaim {
  /** The claims path as JSON, since names may have any character. */
  path: string
  asked: boolean
  /** Accepted values, separated by commas; empty if every value is accepted. */
  values: string
}

/** A claim whose name the user types. */
export interface WrittenClaim {
  /** Namespace of the element; mobile documents only. */
  namespace: string
  /** Names with dots between them, `*` for each element of an array. */
  name: string
  values: string
}

export type Need = 'required' | 'alternative' | 'optional'

/** A requested credential. */
export interface CredentialDraft {
  /** Id of the configuration, for a type of this installation; empty if the user types the name of the type. */
  configuration: string
  format: Format
  /** The type as credentials of the format name it: the vct, the type or the doctype. */
  type: string
  need: Need
  /** Whether the verifier stores the elements of a mobile document. */
  retain: boolean
  known: KnownClaim[]
  written: WrittenClaim[]
}

/** Transaction data that the holder authorizes. */
export interface TransactionDraft {
  type: string
  members: { name: string; value: string }[]
}

export const DURATIONS = { minutes: 300, hour: 3_600, day: 86_400 } as const
export type Duration = keyof typeof DURATIONS

/** The highest number of characters of a purpose. */
export const MAX_PURPOSE = 300

/** The form of a request. */
export interface RequestForm extends NamesForm {
  /** Why the verifier asks; empty for a request without a purpose. */
  purpose: string
  /** The intended use whose registration certificate the request carries; empty for the choice of the service. */
  intendedUse: string
  credentials: CredentialDraft[]
  trust: 'configured' | 'own' | 'listed'
  /** One issuer in each line. */
  trusted: string
  transactions: TransactionDraft[]
  validity: Duration
}

export const WRITTEN_CLAIM: WrittenClaim = { namespace: '', name: '', values: '' }
export const NEW_TRANSACTION: TransactionDraft = { type: '', members: [{ name: '', value: '' }] }

/** A draft without requested claims, for a type of this installation, or for another type if undefined. */
export function draftOf(askable: Askable | undefined): CredentialDraft {
  const common = { need: 'required' as const, retain: false }
  if (askable === undefined) {
    return { ...common, configuration: '', format: 'dc+sd-jwt', type: '', known: [], written: [{ ...WRITTEN_CLAIM }] }
  }
  const { id, format, type, claims } = askable
  const known = claims.map(({ path }) => ({ path: JSON.stringify(path), asked: false, values: '' }))
  return { ...common, configuration: id, format, type, known, written: [] }
}

export const requestDefaults = (first: Askable | undefined): RequestForm => ({
  reference: '',
  label: '',
  purpose: '',
  intendedUse: '',
  credentials: [draftOf(first)],
  trust: 'configured',
  trusted: '',
  transactions: [],
  validity: 'minutes',
})

/** Lines that are not blank. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function transactionOf({ type, members }: TransactionDraft, ids: readonly string[]) {
  const named = members.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value])
  return { ...Object.fromEntries(named), type: type.trim(), credential_ids: [...ids] }
}

/** Input of the call that creates the request of a form, with the form's DCQL query. */
export function requestOf(form: RequestForm, dcqlQuery: NonNullable<NewRequest['dcqlQuery']>): NewRequest {
  // Only an SD-JWT VC can authorize transaction data (OpenID4VP 1.0 Appendix B.3.3).
  const ids = dcqlQuery.credentials.filter(({ format }) => format === 'dc+sd-jwt').map(({ id }) => id)
  const listed = linesOf(form.trusted)
  return {
    dcqlQuery,
    ...namesOf(form),
    ...(form.purpose.trim() === '' ? {} : { purpose: form.purpose.trim() }),
    ...(form.intendedUse === '' ? {} : { intendedUse: form.intendedUse }),
    validity: DURATIONS[form.validity],
    ...(form.trust === 'own' ? { trustedIssuers: ['self'] } : {}),
    ...(form.trust === 'listed' ? { trustedIssuers: listed } : {}),
    ...(form.transactions.length === 0
      ? {}
      : { transactionData: form.transactions.map((each) => transactionOf(each, ids)) }),
  }
}

/** Returns the field of the form for a path in the input of the call. */
export function fieldOfPath(path: string, { credentials }: RequestForm): string | undefined {
  const [member, ...rest] = path.split('.')
  if (member === 'trustedIssuers') return 'trusted'
  if (member === 'validity' || member === 'reference' || member === 'label' || member === 'purpose') return member
  if (member === 'intendedUse') return member
  if (member === 'name') return 'label'
  if (member === 'transactionData') return `transactions.${rest[0]}.type`
  if ((member !== 'dcqlQuery' && member !== 'query') || rest.length === 0) return undefined
  const at = Number(member === 'query' ? rest[0] : rest[1])
  const draft = credentials[at]
  if (draft === undefined) return undefined
  return draft.configuration === '' ? `credentials.${at}.type` : `credentials.${at}.configuration`
}
