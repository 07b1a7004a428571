import { useFormContext, useWatch } from 'react-hook-form'
import { useSpoken } from '../../texts/use-texts.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor } from '../../ui/display-name.js'
import { rowsOf } from './claims.js'
import { objectIn, type TypeDraft } from './draft.js'
import { claimNamesIn, localeOf, withNames } from './names.js'

/** A preview of the card, updated with the form. */
export function DraftCard() {
  const { language, texts } = useSpoken()
  const { control } = useFormContext<TypeDraft>()
  const [names, title, name, backgroundColor, textColor, mode, rows, json, claimsJson] = useWatch({
    control,
    name: ['names', 'title', 'name', 'backgroundColor', 'textColor', 'mode', 'rows', 'json', 'claimsJson'],
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
  const named = entryFor(
    names.filter((entry) => entry.name.trim() !== ''),
    language,
  )
  return (
    <CredentialCard
      title={named?.name ?? (title || name || texts.types.untitled)}
      backgroundColor={backgroundColor}
      textColor={textColor}
      claims={shown
        .map((row, at) => ({ key: `${at}`, path: row.path, title: titleOf(row) ?? row.path, kind: row.kind }))
        .filter(({ path, kind }) => path !== '' && kind !== 'group')}
    />
  )
}
