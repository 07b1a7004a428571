import { useFormContext, useWatch } from 'react-hook-form'
import { useSpoken } from '../../texts/use-texts.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor } from '../../ui/display-name.js'
import { rowsOf } from './claims.js'
import { objectIn, type TypeDraft } from './draft.js'

/** The card of the type that is being written, as it is at this moment. */
export function DraftCard() {
  const { language, texts } = useSpoken()
  const { control } = useFormContext<TypeDraft>()
  const [names, title, name, backgroundColor, textColor, mode, rows, json] = useWatch({
    control,
    name: ['names', 'title', 'name', 'backgroundColor', 'textColor', 'mode', 'rows', 'json'],
  })
  const shown = mode === 'table' ? rows : (rowsOf(objectIn(json) ?? {}, undefined) ?? [])
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
        .map((row, at) => ({ key: `${at}`, path: row.path, title: row.title || row.path, kind: row.kind }))
        .filter(({ path, kind }) => path !== '' && kind !== 'group')}
    />
  )
}
