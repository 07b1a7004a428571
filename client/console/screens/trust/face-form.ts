import type { CredenceInputs, CredenceOutputs } from '../../../index.js'
import { isImageId } from '../../ui/image-id.js'

/** What people see of a record, as the service's answers have it. */
export type Face = Pick<CredenceOutputs['signers']['issuer'], 'display' | 'branding'>

type Change = Omit<CredenceInputs['signers']['renameIssuer'], 'id'>
type Branding = NonNullable<Face['branding']>

/** A name in one language with its logo. An empty text is no setting. */
export interface NamedFace {
  name: string
  locale: string
  /** An address, or the id of an image that the service stores. */
  logo: string
  logoIntegrity: string
  logoText: string
}

/** The form of a record's face. */
export interface FaceForm {
  names: NamedFace[]
  backgroundColor: string
  textColor: string
  email: string
  phone: string
  url: string
  privacyUri: string
  termsUri: string
  imprintUri: string
}

export const NO_LOGO = { logo: '', logoIntegrity: '', logoText: '' } as const

/** The members of a branding that are one text each. */
const TEXTS = ['backgroundColor', 'textColor', 'privacyUri', 'termsUri', 'imprintUri'] as const
const CONTACT = ['email', 'phone', 'url'] as const

export function formOf({ display, branding = {} }: Face): FaceForm {
  const { contact = {} } = branding
  return {
    names: display.map(({ name, locale = '', logo }) => ({
      name,
      locale,
      logo: logo?.uri ?? '',
      logoIntegrity: logo?.['uri#integrity'] ?? '',
      logoText: logo?.alt_text ?? '',
    })),
    backgroundColor: branding.backgroundColor ?? '',
    textColor: branding.textColor ?? '',
    email: contact.email ?? '',
    phone: contact.phone ?? '',
    url: contact.url ?? '',
    privacyUri: branding.privacyUri ?? '',
    termsUri: branding.termsUri ?? '',
    imprintUri: branding.imprintUri ?? '',
  }
}

/** The members of an object whose texts are not empty. */
function filled<Name extends string>(names: readonly Name[], form: Readonly<Record<Name, string>>) {
  const given = names.flatMap((name) => (form[name].trim() === '' ? [] : [[name, form[name].trim()] as const]))
  // The entries have only these names.
  return Object.fromEntries(given) as Partial<Record<Name, string>>
}

/** The rows of the form that are sent: the rows with a name. */
export const sentNames = (names: readonly NamedFace[]): NamedFace[] => names.filter(({ name }) => name.trim() !== '')

function logoOf({ logo, logoIntegrity, logoText }: NamedFace) {
  const [image, integrity, text] = [logo, logoIntegrity, logoText].map((each) => each.trim())
  if (image === undefined || image === '') return undefined
  return {
    ...(isImageId(image) ? { image } : { uri: image }),
    ...(integrity ? { 'uri#integrity': integrity } : {}),
    ...(text ? { alt_text: text } : {}),
  }
}

export function brandingOf(form: FaceForm): Branding {
  const contact = filled(CONTACT, form)
  return { ...filled(TEXTS, form), ...(Object.keys(contact).length === 0 ? {} : { contact }) }
}

/**
 * The change that a form asks for.
 *
 * @param before what the user read. The service refuses the change if it is no longer current
 */
export function changeOf(form: FaceForm, { display: before, branding: brandingBefore }: Face): Change {
  const branding = brandingOf(form)
  const display = sentNames(form.names).map((row) => {
    const logo = logoOf(row)
    return {
      name: row.name.trim(),
      ...(row.locale.trim() === '' ? {} : { locale: row.locale.trim() }),
      ...(logo === undefined ? {} : { logo }),
    }
  })
  if (brandingBefore === undefined && Object.keys(branding).length === 0) return { before, display }
  return { before, display, branding, ...(brandingBefore === undefined ? {} : { brandingBefore }) }
}

const MEMBERS: Readonly<Record<string, keyof NamedFace>> = {
  name: 'name',
  locale: 'locale',
  logo: 'logo',
  'logo.uri': 'logo',
  'logo.image': 'logo',
  'logo.uri#integrity': 'logoIntegrity',
  'logo.alt_text': 'logoText',
}

/** The field of the form for a path in the input of the call; undefined if the form has no such field. */
export function faceField(path: string, { names }: FaceForm): string | undefined {
  const [, sent, member = ''] = /^display\.(\d+)\.(.+)$/.exec(path) ?? []
  if (sent !== undefined) {
    const row = sentNames(names)[Number(sent)]
    const field = MEMBERS[member]
    return row === undefined || field === undefined ? undefined : `names.${names.indexOf(row)}.${field}`
  }
  const [, of] = /^branding\.(?:contact\.)?(\w+)$/.exec(path) ?? []
  return [...TEXTS, ...CONTACT].find((name) => name === of)
}
