import type { Config } from '../../config/config.js'
import { shownDisplay } from '../../images/shown-display.js'
import { DEFAULT_LOCALE } from '../../pages/languages.js'
import { type Colours, LEAST_CONTRAST, lowContrast } from '../../protocol/colour.js'
import { type ImageMember, isPublishable, published } from '../../protocol/openid4vci/display.js'

import type { SchemaDisplay } from './store.js'

interface Named {
  readonly name: string
  readonly locale?: string | undefined
}

const localeOf = ({ locale }: Named): string => locale ?? DEFAULT_LOCALE

/** The entries that can be published: the first entry of each language. */
function firstOfEach<Entry extends Named>(entries: readonly Entry[]): readonly Entry[] {
  const known = entries.filter(isPublishable)
  const languages = known.map((entry) => localeOf(entry).toLowerCase())
  return known.filter((entry, at) => languages.indexOf(localeOf(entry).toLowerCase()) === at)
}

/** The address of an image of a display entry, by the entry's position. */
export type ImageAddresses = (at: number, member: ImageMember) => string | undefined

const NO_ADDRESSES: ImageAddresses = () => undefined

/**
 * Display entries for OpenID4VCI 1.0 §12.2.4 and SD-JWT VC type metadata. There is at least one entry, and one entry for each
 * language. Each entry has a language. Members that wallets would refuse are left out.
 *
 * @param addressOf the addresses of images that the entries do not contain; none unless given
 */
export function displayOf<Entry extends Named>(
  entries: readonly Entry[] | null,
  name: string,
  addressOf = NO_ADDRESSES,
): ((Entry | { name: string }) & { locale: string })[] {
  const all = entries ?? []
  const localized = firstOfEach(all).map((entry) => {
    const at = all.indexOf(entry)
    return { ...published(entry, (member) => addressOf(at, member)), locale: localeOf(entry) }
  })
  return localized.length > 0 ? localized : [{ name: entries?.[0]?.name ?? name, locale: DEFAULT_LOCALE }]
}

/** Stored entries with the public addresses and the integrity metadata of their images. */
export const publicDisplay = <Entry extends Pick<SchemaDisplay, 'logo' | 'background_image' | 'svg_templates'>>(
  entries: readonly Entry[],
  { issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>,
): Entry[] => entries.map((entry) => shownDisplay(entry, issuerBaseUrl))

/**
 * An entry for OpenID4VCI metadata (1.0 §12.2.4). Integrity metadata and SVG templates are members of SD-JWT VC type metadata, and a
 * library may refuse members that it does not know.
 */
export function forOpenid4vci<Entry extends Partial<SchemaDisplay>>(entry: Entry) {
  const { svg_templates: _templates, logo, background_image, ...others } = entry
  return {
    ...others,
    ...(logo === undefined ? {} : { logo: withoutIntegrity(logo) }),
    ...(background_image === undefined ? {} : { background_image: withoutIntegrity(background_image) }),
  }
}

function withoutIntegrity<Image extends { readonly uri: string }>(image: Image) {
  const { 'uri#integrity': _integrity, ...others } = image as Image & { readonly 'uri#integrity'?: string }
  return others
}

/** Sentences about entries whose text is hard to read. */
export const displayWarnings = (entries: readonly Colours[]): string[] =>
  entries.flatMap((entry, at) => {
    const contrast = lowContrast(entry)
    return contrast === undefined
      ? []
      : [
          `display.${at}.text_color has a contrast of ${contrast} to background_color: it should be at least ${LEAST_CONTRAST}`,
        ]
  })

/** The dotted paths of entries and members that metadata leave out. */
export function unpublishedIn(entries: readonly Named[], addressOf: ImageAddresses): string[] {
  const kept = new Set(firstOfEach(entries))
  return entries.flatMap((entry, at) => {
    if (!kept.has(entry)) return [`display.${at}`]
    const shown = published(entry, (member) => addressOf(at, member))
    const gone = Object.entries(entry).filter(([member, value]) => value !== undefined && !(member in shown))
    return gone.map(([member]) => `display.${at}.${member}`)
  })
}
