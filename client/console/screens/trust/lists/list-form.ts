import type { NewTrustList } from '../../../queries/trust-lists.js'

/** The values of the form for a new list. */
export interface ListForm {
  url: string
  kind: NewTrustList['kind']
  /** Empty: only the general rules. */
  profile: NonNullable<NewTrustList['profile']> | ''
  purpose: NewTrustList['purpose']
  /** One type per line. */
  types: string
  /** One URI per line. */
  serviceTypes: string
  signerBy: 'pem' | 'sha256'
  pem: string
  sha256: string
  maxAgeHours: string
  territory: string
  note: string
}

export const EMPTY_LIST: ListForm = {
  url: '',
  kind: 'lote',
  profile: '',
  purpose: 'credentials',
  types: '',
  serviceTypes: '',
  signerBy: 'pem',
  pem: '',
  sha256: '',
  maxAgeHours: '',
  territory: '',
  note: '',
}

// A record, so that the compiler demands a new value of the contract here.
const KINDS: Readonly<Record<NewTrustList['kind'], true>> = { lote: true, vical: true, tsl: true }
const PROFILES: Readonly<Record<NonNullable<NewTrustList['profile']>, true>> = {
  pid: true,
  wallet: true,
  wrpac: true,
  wrprc: true,
  'pub-eaa': true,
  mdl: true,
}
const PURPOSES: Readonly<Record<NewTrustList['purpose'], true>> = {
  credentials: true,
  status: true,
  verifiers: true,
  registrars: true,
  wallets: true,
}

const keysOf = <Key extends string>(values: Readonly<Record<Key, true>>) => Object.keys(values) as Key[]

/** The values to choose from, in the order of the contract. */
export const LIST_CHOICES = { kinds: keysOf(KINDS), profiles: keysOf(PROFILES), purposes: keysOf(PURPOSES) }

/** Whether a list of the kind may have a profile. */
export const hasProfile = ({ kind }: Pick<ListForm, 'kind'>): boolean => kind === 'lote'

/** Whether a list for the purpose may count for some credential types alone. */
export const hasTypes = ({ purpose }: Pick<ListForm, 'purpose'>): boolean =>
  purpose === 'credentials' || purpose === 'status'

/** Whether the form asks for the types of services of a list: lists in XML have services for several purposes. */
export const hasServiceTypes = ({ kind }: Pick<ListForm, 'kind'>): boolean => kind === 'tsl'

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A number for digits alone. Other texts stay texts, so that the service names the field. */
const numberIn = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN)

/**
 * The input of the call. Fields that do not fit the kind or the purpose are left out. The hash may be written as openssl
 * writes it, with colons and its label.
 */
export function listInput(form: ListForm): NewTrustList {
  const { url, kind, profile, purpose, types, serviceTypes, signerBy, pem, sha256, maxAgeHours, territory, note } = form
  const named = linesOf(types)
  const services = linesOf(serviceTypes)
  return {
    url: url.trim(),
    kind,
    purpose,
    signer: signerBy === 'pem' ? { pem: pem.trim() } : { sha256: hashIn(sha256) },
    ...(hasProfile(form) && profile !== '' ? { profile } : {}),
    ...(hasTypes(form) && named.length > 0 ? { types: named } : {}),
    ...(hasServiceTypes(form) && services.length > 0 ? { serviceTypes: services } : {}),
    ...(maxAgeHours.trim() === '' ? {} : { maxAgeHours: numberIn(maxAgeHours.trim()) }),
    ...(territory.trim() === '' ? {} : { territory: territory.trim().toUpperCase() }),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
  }
}

const hashIn = (text: string): string => text.replace(/^.*=/s, '').replaceAll(/[\s:]/g, '')

/** The fields of the form that may be wrong, in their order on the screen. */
export const LIST_FIELDS = [
  'url',
  'kind',
  'profile',
  'purpose',
  'types',
  'serviceTypes',
  'pem',
  'sha256',
  'maxAgeHours',
  'territory',
  'note',
] as const

export type ListField = (typeof LIST_FIELDS)[number]

/** The field of the form for a path in the input of the call, such as `signer.pem` or `types.0`. */
export function listField(path: string, { signerBy }: Pick<ListForm, 'signerBy'>): ListField | undefined {
  const [first, second] = path.split('.')
  if (first === 'signer') return second === 'pem' || second === 'sha256' ? second : signerBy
  return LIST_FIELDS.find((field) => field === first && field !== 'pem' && field !== 'sha256')
}
