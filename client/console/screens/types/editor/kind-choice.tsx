import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { KINDS, type Kind, withoutKind } from '../claims.js'
import type { TypeDraft } from '../draft.js'

const LIST = '[]'

interface Props {
  readonly at: number
  readonly label: string
}

/** The choice of a claim's type: one value, or a list of such values. */
export function KindChoice({ at, label }: Props) {
  const { types: words } = useTexts()
  const { lists } = useEditorTexts()
  const { control, getValues, setValue } = useFormContext<TypeDraft>()
  const [kind, several] = useWatch({ control, name: [`rows.${at}.kind`, `rows.${at}.several`] })
  const shown = KINDS.filter((each) => each !== 'other' || kind === 'other')
  const choose = (value: string) => {
    const isList = value.endsWith(LIST)
    // The options below are the kinds, some with the mark of a list.
    const chosen = (isList ? value.slice(0, -LIST.length) : value) as Kind
    if (chosen !== kind) setValue(`rows.${at}.rest`, withoutKind(getValues(`rows.${at}.rest`)))
    setValue(`rows.${at}.kind`, chosen, { shouldDirty: true })
    setValue(`rows.${at}.several`, isList, { shouldDirty: true })
    if (!isList) setValue(`rows.${at}.listRest`, {})
  }
  return (
    <select
      value={several ? `${kind}${LIST}` : kind}
      onChange={({ target }) => choose(target.value)}
      aria-label={label}
    >
      {shown.map((each) => (
        <option key={each} value={each}>
          {words.kinds[each]}
        </option>
      ))}
      <optgroup label={lists}>
        {shown
          .filter((each) => each !== 'other')
          .map((each) => (
            <option key={each} value={`${each}${LIST}`}>
              {words.listOf(words.kinds[each])}
            </option>
          ))}
      </optgroup>
    </select>
  )
}
