import { pathOfRow } from './claims.js'
import type { TypeBody, TypeDraft } from './draft.js'
import { dotted, pathKey, pathOfPointer } from './paths.js'

/** The parts of the editor that open. `null` is a part that is always open. */
export const SECTIONS = ['look', 'validity', 'retention', 'mdoc', 'signIn', 'keys', 'source', 'more'] as const
export type Section = (typeof SECTIONS)[number]

/**
 * The part of the editor in which each member of a type is edited. The type demands an entry for each member that the
 * service takes.
 */
export const SECTION_OF: Readonly<Record<keyof TypeBody, Section | null>> = {
  name: null,
  version: 'more',
  schema: null,
  title: 'more',
  description: null,
  display: 'look',
  claims: null,
  selectivelyDisclosable: null,
  expiresInDays: 'validity',
  validFrom: 'validity',
  claimsFrom: 'signIn',
  keyAttestation: 'keys',
  mdoc: 'mdoc',
  suspendable: 'validity',
  activeSets: 'validity',
  onRefresh: 'validity',
  watchAttestations: 'validity',
  retention: 'retention',
  claimsSource: 'source',
}

const PROPERTIES = /^schema\.((?:(?:properties\.[^.]+|items)\.?)+)/

/** The path with dots of the row that a place in the schema belongs to: `properties.a.items.properties.b` is `a.b`. */
const rowNameOf = (path: string): string =>
  [...(PROPERTIES.exec(path)?.[1] ?? '').matchAll(/properties\.([^.]+)/g)].map(([, name]) => name).join('.')

/** The field of the row with this path. */
function fieldOfRow(rows: TypeDraft['rows'], field: string, isRow: (row: TypeDraft['rows'][number]) => boolean) {
  const at = rows.findIndex(isRow)
  return at < 0 ? undefined : `rows.${at}.${field}`
}

const DISPLAY: Readonly<Record<string, string>> = {
  name: 'name',
  locale: 'locale',
  description: 'description',
  background_color: 'backgroundColor',
  text_color: 'textColor',
  background_image: 'backgroundImage',
  'background_image.uri#integrity': 'backgroundImageIntegrity',
  logo: 'logo',
  'logo.uri#integrity': 'logoIntegrity',
  'logo.alt_text': 'logoText',
  svg_templates: 'svgTemplates',
}

const PREFIXES: readonly (readonly [prefix: string, field: string])[] = [
  ['retention.record', 'recordDays'],
  ['retention', 'retentionDays'],
  ['keyAttestation.userAuthentication', 'userAuthentication'],
  ['keyAttestation.keyStorage', 'keyStorage'],
  ['keyAttestation', 'needsKeyAttestation'],
  ['mdoc', 'doctype'],
  ['claimsSource.auth.mTLS.certificate', 'sourceCertificate'],
  ['claimsSource.auth.mTLS', 'sourceKey'],
  ['claimsSource.auth.hmac', 'sourceHmac'],
  ['claimsSource.auth.bearer', 'sourceBearer'],
  ['claimsSource.timeoutMs', 'sourceTimeout'],
  ['claimsSource', 'sourceUrl'],
  ['activeSets', 'oneActiveSet'],
  ['onRefresh', 'revokePrevious'],
]

const PLAIN = [
  'name',
  'version',
  'title',
  'description',
  'expiresInDays',
  'validFrom',
  'suspendable',
  'watchAttestations',
] as const

/** The field of a setting that names a claim. */
function fieldOfClaim(path: string, { mode, rows }: TypeDraft, sent: TypeBody): string | undefined {
  const named = rows.filter((row) => row.path.trim() !== '')
  const keyOf = (row: TypeDraft['rows'][number]) => pathKey(pathOfRow(row.path, named))
  const claim = /^claims\.(\d+)/.exec(path)
  if (claim !== null) {
    if (mode === 'json') return 'claimsJson'
    const pointed = sent.claims?.[Number(claim[1])]?.path
    return pointed && fieldOfRow(rows, 'title', (row) => keyOf(row) === pathKey(pointed))
  }
  if (mode === 'json') return undefined
  const selective = /^selectivelyDisclosable\.(\d+)/.exec(path)
  if (selective !== null) {
    const text = sent.selectivelyDisclosable?.[Number(selective[1])]
    return fieldOfRow(rows, 'path', (row) => {
      const own = dotted(pathOfRow(row.path, named))
      return own === text || `${own}.${dotted([null])}` === text
    })
  }
  const signIn = /^claimsFrom\.(.+)$/.exec(path)
  if (signIn !== null) return fieldOfRow(rows, 'signIn', (row) => row.path.trim() === signIn[1])
  const element = /^mdoc\.namespaces\.(.+)$/.exec(path)
  if (element === null) return undefined
  for (const [namespace, members] of Object.entries(sent.mdoc?.namespaces ?? {}))
    for (const [name, pointer] of Object.entries(members))
      if (element[1] === `${namespace}.${name}` || element[1] === namespace)
        return fieldOfRow(rows, 'elements.0.element', (row) => keyOf(row) === pathKey(pathOfPointer(pointer)))
  return undefined
}

/**
 * Returns the field of the form for a path in the input of the call.
 *
 * @param sent the input of the call, since messages name positions in its lists
 */
export function fieldOfPath(path: string, draft: TypeDraft, sent: TypeBody): string | undefined {
  if (path.startsWith('schema')) {
    if (draft.mode === 'json') return 'json'
    return fieldOfRow(draft.rows, 'path', (row) => row.path.trim() === rowNameOf(path))
  }
  const ofClaim = fieldOfClaim(path, draft, sent)
  if (ofClaim !== undefined) return ofClaim
  const display = /^display\.(\d+)\.(([a-z_]+).*)/.exec(path)
  if (display !== null) {
    const field = DISPLAY[display[2] ?? ''] ?? DISPLAY[display[3] ?? '']
    const at = draft.names.findIndex(({ locale }) => locale.trim() === sent.display?.[Number(display[1])]?.locale)
    return field && `names.${at < 0 ? display[1] : at}.${field}`
  }
  return (
    PREFIXES.find(([prefix]) => path === prefix || path.startsWith(`${prefix}.`))?.[1] ??
    PLAIN.find((field) => field === path)
  )
}

const LOOK = /^names\.\d+\.(?!name$|locale$)/

const OF_FIELDS: readonly (readonly [RegExp, Section])[] = [
  [LOOK, 'look'],
  [/^(?:expiresInDays|validFrom|suspendable|oneActiveSet|revokePrevious|watchAttestations)$/, 'validity'],
  [/^(?:retention|retentionDays|recordDays)$/, 'retention'],
  [/^(?:hasMdoc|doctype|rows\.\d+\.elements.*)$/, 'mdoc'],
  [/^rows\.\d+\.signIn$/, 'signIn'],
  [/^(?:needsKeyAttestation|keyStorage|userAuthentication)$/, 'keys'],
  [/^source/, 'source'],
  [/^(?:title|version)$/, 'more'],
]

/** The part of the editor that opens to show a field; undefined if the field is always shown. */
export const sectionOfField = (field: string): Section | undefined =>
  OF_FIELDS.find(([pattern]) => pattern.test(field))?.[1]

/** The parts in which a type has settings. */
export function sectionsOf(body: TypeBody | undefined): Set<Section> {
  const members = Object.entries(body ?? {}).filter(([, value]) => value !== undefined)
  // The members of a body are members of the contract.
  const sections = members.map(([member]) => SECTION_OF[member as keyof TypeBody])
  return new Set(sections.filter((each) => each !== null).filter((each) => each !== 'look' && each !== 'more'))
}
