import { DEFAULT_LOCALE } from '../../pages/languages.js'
import { isPublishable, published } from '../../protocol/openid4vci/display.js'

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

/**
 * Display entries for OpenID4VCI 1.0 §12.2.4 and SD-JWT VC type metadata. There is at least one entry, and one entry for each
 * language. Each entry has a language. Members that wallets would refuse are left out.
 */
export function displayOf<Entry extends Named>(
  entries: readonly Entry[] | null,
  name: string,
): ((Entry | { name: string }) & { locale: string })[] {
  const localized = firstOfEach(entries ?? []).map((entry) => ({ ...published(entry), locale: localeOf(entry) }))
  return localized.length > 0 ? localized : [{ name: entries?.[0]?.name ?? name, locale: DEFAULT_LOCALE }]
}

/** The dotted paths of entries and members that metadata leave out. */
export function unpublishedIn(entries: readonly Named[]): string[] {
  const kept = new Set(firstOfEach(entries))
  return entries.flatMap((entry, at) => {
    if (!kept.has(entry)) return [`display.${at}`]
    const shown = published(entry)
    const gone = Object.entries(entry).filter(([member, value]) => value !== undefined && !(member in shown))
    return gone.map(([member]) => `display.${at}.${member}`)
  })
}
