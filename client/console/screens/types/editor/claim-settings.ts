import { useFormContext, useWatch } from 'react-hook-form'
import { type Beside, declaredIn } from '../beside.js'
import { type MdocElement, pathOfRow } from '../claims.js'
import { settled, type TypeDraft } from '../draft.js'
import { type ClaimPath, pathKey } from '../paths.js'

/** The settings of one claim that the sections of the editor change, in either view of the schema. */
export interface ClaimSetting {
  readonly path: ClaimPath
  readonly selective: boolean
  readonly signIn: string
  readonly elements: readonly MdocElement[]
  /** The position of the claim's row; undefined while the schema is edited as JSON. */
  readonly row: number | undefined
}

type Change = Partial<Pick<Beside, 'selective' | 'signIn' | 'elements'>>

/** The claims with their settings. Undefined if the JSON text cannot be read. */
interface ClaimSettings {
  readonly claims: readonly ClaimSetting[] | undefined
  readonly change: (claim: ClaimSetting, change: Change) => void
  /** Changes several claims at once. */
  readonly changeAll: (changes: readonly (readonly [ClaimSetting, Change])[]) => void
}

/** The settings of claims beside the schema, from the rows of the table or from the JSON text. */
export function useClaimSettings(): ClaimSettings {
  const { control, getValues, setValue, clearErrors } = useFormContext<TypeDraft>()
  // The draft is read again after each change of the schema or of the settings.
  const [mode, rows] = useWatch({ control, name: ['mode', 'rows', 'json', 'claimsJson', 'beside', 'names'] })
  const now = mode === 'json' ? settled(getValues()) : undefined
  const ofRows = (): ClaimSetting[] => {
    const named = rows.filter(({ path }) => path.trim() !== '')
    return rows.flatMap((row, at) =>
      row.path.trim() === ''
        ? []
        : [
            {
              path: pathOfRow(row.path, named),
              selective: row.selective,
              signIn: row.signIn,
              elements: row.elements,
              row: at,
            },
          ],
    )
  }
  const ofJson = (): ClaimSetting[] | undefined => {
    if (now === undefined || 'wrong' in now) return undefined
    const declared = new Set(declaredIn(now.schema).map(pathKey))
    return now.beside
      .filter(({ path, elements }) => declared.has(pathKey(path)) || elements.length > 0)
      .map(({ path, selective, signIn, elements }) => ({ path, selective, signIn, elements, row: undefined }))
  }
  const changeAll: ClaimSettings['changeAll'] = (changes) => {
    if (mode === 'json') {
      if (now === undefined || 'wrong' in now) return
      const byPath = new Map(changes.map(([{ path }, change]) => [pathKey(path), change]))
      setValue(
        'beside',
        now.beside.map((entry) => ({ ...entry, ...byPath.get(pathKey(entry.path)) })),
        { shouldDirty: true },
      )
      setValue('base', now.schema)
      return
    }
    for (const [{ row }, { signIn, elements }] of changes) {
      if (row === undefined) continue
      if (signIn !== undefined) setValue(`rows.${row}.signIn`, signIn, { shouldDirty: true })
      if (elements !== undefined) setValue(`rows.${row}.elements`, [...elements], { shouldDirty: true })
      clearErrors([`rows.${row}.signIn`, `rows.${row}.elements`])
    }
  }
  return {
    claims: mode === 'json' ? ofJson() : ofRows(),
    change: (claim, change) => changeAll([[claim, change]]),
    changeAll,
  }
}
