import { DEFAULT_LOCALE } from '../../pages/languages.js'
import { isPublishable, published } from '../../protocol/openid4vci/display.js'

/**
 * Display entries as OpenID4VCI 1.0 §12.2.4 and SD-JWT VC type metadata want them: never none, each with its language,
 * and one for each language. What wallets would refuse is left out.
 */
export function displayOf<Entry extends { readonly name: string; readonly locale?: string | undefined }>(
  entries: readonly Entry[] | null,
  name: string,
): ((Entry | { name: string }) & { locale: string })[] {
  const localized = (entries ?? [])
    .filter(isPublishable)
    .map((entry) => ({ ...published(entry), locale: entry.locale ?? DEFAULT_LOCALE }))
  if (localized.length === 0) return [{ name: entries?.[0]?.name ?? name, locale: DEFAULT_LOCALE }]
  const languages = localized.map(({ locale }) => locale.toLowerCase())
  return localized.filter(({ locale }, position) => languages.indexOf(locale.toLowerCase()) === position)
}
