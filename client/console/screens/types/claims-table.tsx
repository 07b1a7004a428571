import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useTexts } from '../../texts/use-texts.js'
import { type ClaimRow, emptyRow, KINDS } from './claims.js'
import type { TypeDraft } from './draft.js'
import { localeOf } from './names.js'

/** A table for editing the claims of a type, with one row for each claim. */
export function ClaimsTable() {
  const { types: words } = useTexts()
  const { control } = useFormContext<TypeDraft>()
  const rows = useFieldArray({ control, name: 'rows' })
  return (
    <>
      <table className="list claims">
        <caption className="hidden">{words.claims}</caption>
        <thead>
          <tr>
            <th scope="col">{words.claim}</th>
            <th scope="col">{words.claimTitle}</th>
            <th scope="col">{words.kind}</th>
            <th scope="col">{words.values}</th>
            <th scope="col">{words.required}</th>
            <th scope="col">{words.selective}</th>
            <th scope="col">
              <span className="hidden">{words.rowActions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.fields.map(({ id }, at) => (
            <Row key={id} at={at} onRemove={() => rows.remove(at)} />
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => rows.append(emptyRow())}>
        {words.addClaim}
      </button>
    </>
  )
}

interface RowProps {
  readonly at: number
  readonly onRemove: () => void
}

function Row({ at, onRemove }: RowProps) {
  const { types: words, form: formWords, common } = useTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const kind = useWatch({ control, name: `rows.${at}.kind` })
  const names = useWatch({ control, name: 'names' })
  const error = formState.errors.rows?.[at]?.path?.message
  const named = (what: string) => words.ofClaim(what, at + 1)
  return (
    <tr>
      <td data-label={words.claim}>
        <input
          {...register(`rows.${at}.path`, { validate: (path, draft) => validate(path, at, draft, words, formWords) })}
          aria-label={named(words.claim)}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : `wrong-${at}`}
          autoComplete="off"
          spellCheck={false}
        />
        {error !== undefined && (
          <p className="wrong" id={`wrong-${at}`}>
            {error}
          </p>
        )}
      </td>
      <td data-label={words.claimTitle}>
        {names.map((name, position) => {
          const tag = localeOf(name)
          const label = names.length === 1 ? words.claimTitle : words.titleIn(tag)
          const field = position === 0 ? (`rows.${at}.title` as const) : (`rows.${at}.further.${position - 1}` as const)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: languages have no key but their place, since their tags are typed.
            <span className="title-in" key={position}>
              <input {...register(field)} aria-label={named(label)} />
              {names.length > 1 && <span className="soft">{tag}</span>}
            </span>
          )
        })}
      </td>
      <td data-label={words.kind}>
        <select {...register(`rows.${at}.kind`)} aria-label={named(words.kind)}>
          {KINDS.filter((each) => each !== 'other' || kind === 'other').map((each) => (
            <option key={each} value={each}>
              {words.kinds[each]}
            </option>
          ))}
        </select>
      </td>
      <td data-label={words.values}>
        <input
          {...register(`rows.${at}.values`)}
          aria-label={named(words.values)}
          placeholder={kind === 'text' ? words.anyValue : ''}
          readOnly={kind !== 'text'}
        />
      </td>
      <td data-label={words.required}>
        <input type="checkbox" {...register(`rows.${at}.required`)} aria-label={named(words.required)} />
      </td>
      <td data-label={words.selective}>
        <input type="checkbox" {...register(`rows.${at}.selective`)} aria-label={named(words.selective)} />
      </td>
      <td>
        <button
          type="button"
          className="quiet icon"
          aria-label={named(common.remove)}
          title={named(common.remove)}
          onClick={onRemove}
        >
          ✕
        </button>
      </td>
    </tr>
  )
}

/** The error of a claim's name. An empty row is ignored unless it is the only row. */
function validate(
  path: string,
  at: number,
  { rows, mode }: TypeDraft,
  words: ReturnType<typeof useTexts>['types'],
  formWords: ReturnType<typeof useTexts>['form'],
): string | true {
  if (mode === 'json') return true
  const name = path.trim()
  const isEmpty = (row: ClaimRow) => row.path.trim() === '' && row.title.trim() === ''
  if (name === '') {
    const row = rows[at]
    const isOnly = rows.every(isEmpty) && at === 0
    return (row === undefined || isEmpty(row)) && !isOnly ? true : formWords.required
  }
  if (name.split('.').some((part) => part === '')) return words.claimWrong
  return rows.findIndex((row) => row.path.trim() === name) === at ? true : words.claimTwice
}
