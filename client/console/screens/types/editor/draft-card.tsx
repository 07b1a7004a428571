import { useFormContext, useWatch } from 'react-hook-form'
import type { CardDisplay } from '../../../../../server/protocol/credential-card/look.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { CredentialCard } from '../../../ui/credential-card.js'
import { entryFor, langOf } from '../../../ui/display-name.js'
import { useIssuerNames } from '../../../ui/party-names.js'
import { rowsOf } from '../claims.js'
import { objectIn, type TypeDraft } from '../draft.js'
import { claimNamesIn, type Look, localeOf, withNames } from '../names.js'

/** The look of a name in the form as a display entry. */
const drawn = ({ backgroundColor, textColor, backgroundImage, logo, logoText }: Look): CardDisplay => ({
  background_color: backgroundColor.trim(),
  text_color: textColor.trim(),
  background_image: { uri: backgroundImage.trim() },
  logo: { uri: logo.trim(), alt_text: logoText.trim() },
})

/** A preview of the card, updated with the form. */
export function DraftCard() {
  const { language, texts } = useSpoken()
  const { control } = useFormContext<TypeDraft>()
  const [names, title, name, mode, rows, json, claimsJson] = useWatch({
    control,
    name: ['names', 'title', 'name', 'mode', 'rows', 'json', 'claimsJson'],
  })
  const written = () => withNames(rowsOf(objectIn(json) ?? {}, undefined) ?? [], claimNamesIn(claimsJson) ?? [], names)
  const shown = mode === 'table' ? rows : written()
  const titleOf = ({ title, further }: (typeof rows)[number]) => {
    const titles = [title, ...further].map((name, at) => ({ name, locale: localeOf(names[at] ?? { locale: '' }) }))
    return entryFor(
      titles.filter(({ name }) => name.trim() !== ''),
      language,
    )?.name
  }
  const look = entryFor(names, language)
  const named = entryFor(
    names.filter((entry) => entry.name.trim() !== ''),
    language,
  )
  return (
    <CredentialCard
      title={named?.name ?? (title || name || texts.types.untitled)}
      titleLang={named && langOf([{ ...named, locale: localeOf(named) }], language)}
      issuer={useIssuerNames()()}
      display={look === undefined ? undefined : drawn(look)}
      claims={shown
        .map((row, at) => ({ key: `${at}`, path: row.path, title: titleOf(row) ?? row.path, kind: row.kind }))
        .filter(({ path, kind }) => path !== '' && kind !== 'group')}
    />
  )
}
