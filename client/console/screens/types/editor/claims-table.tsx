import { useState } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { type ClaimRow, emptyRow, VALUED, valuesOf } from '../claims.js'
import type { TypeDraft } from '../draft.js'
import { localeOf } from '../names.js'
import { ClaimMore } from './claim-more.js'
import { KindChoice } from './kind-choice.js'

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
            <td className="fold" />
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
            <Row
              key={id}
              at={at}
              onRemove={() => rows.remove(at)}
              onAdd={(path, after) =>
                rows.insert(after, { ...emptyRow(), path, selective: false }, { focusName: `rows.${after}.path` })
              }
            />
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
  /** Adds a claim at a position, with the beginning of its path. */
  readonly onAdd: (path: string, at: number) => void
}

/** The position after a group and the claims inside it. */
function endOf(rows: readonly ClaimRow[], at: number): number {
  const above = `${rows[at]?.path.trim()}.`
  const next = rows.findIndex((row, place) => place > at && !row.path.trim().startsWith(above))
  return next < 0 ? rows.length : next
}

function Row({ at, onRemove, onAdd }: RowProps) {
  const { types: words, form: formWords, common } = useTexts()
  const more = useEditorTexts()
  const { control, register, formState, getValues, setValue } = useFormContext<TypeDraft>()
  const [isOpen, setOpen] = useState(false)
  // On a phone, a claim is one line until it is opened. A new claim is open.
  const [isFolded, setFolded] = useState(() => getValues(`rows.${at}.title`).trim() !== '')
  // The name of a group when the user begins to change it.
  const [former, setFormer] = useState('')
  const [name, title, kind] = useWatch({
    control,
    name: [`rows.${at}.path`, `rows.${at}.title`, `rows.${at}.kind`],
  })
  const names = useWatch({ control, name: 'names' })
  const errors = formState.errors.rows?.[at]
  const error = errors?.path?.message
  const showsMore = isOpen || errors?.description !== undefined || errors?.rest !== undefined
  const named = (what: string) => words.ofClaim(what, at + 1)
  const path = register(`rows.${at}.path`, {
    validate: (typed, draft) => validate(typed, at, draft, words, formWords),
  })
  /** The claims inside a group follow its new name. */
  const renamed = (to: string) => {
    const [from, rows] = [former.trim(), getValues('rows')]
    if (kind !== 'group' || from === '' || to === '' || from === to) return
    for (const [place, row] of rows.entries())
      if (row.path.trim().startsWith(`${from}.`))
        setValue(`rows.${place}.path`, `${to}${row.path.trim().slice(from.length)}`)
  }
  return (
    <>
      <tr className={isFolded && errors === undefined ? 'folded' : undefined}>
        <td className="fold">
          <button
            type="button"
            className="quiet"
            aria-expanded={!isFolded || errors !== undefined}
            onClick={() => setFolded(!isFolded)}
          >
            <strong>{title?.trim() ? title : name}</strong> <span className="soft">{words.kinds[kind]}</span>
          </button>
        </td>
        <td data-label={words.claim}>
          <input
            {...path}
            onFocus={({ target }) => {
              setFormer(target.value)
              if (target.value.endsWith('.')) target.setSelectionRange(target.value.length, target.value.length)
            }}
            onBlur={(event) => {
              renamed(event.target.value.trim())
              void path.onBlur(event)
            }}
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
            const field =
              position === 0 ? (`rows.${at}.title` as const) : (`rows.${at}.further.${position - 1}` as const)
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
          <KindChoice at={at} label={named(words.kind)} />
        </td>
        <td data-label={words.values}>
          {kind === 'group' ? (
            <button
              type="button"
              className="quiet"
              aria-label={named(more.addInside)}
              onClick={() => {
                const rows = getValues('rows')
                onAdd(`${rows[at]?.path.trim()}.`, endOf(rows, at))
              }}
            >
              {more.addInside}
            </button>
          ) : (
            <input
              {...register(`rows.${at}.values`, {
                validate: (values, draft) => validateValues(values, at, draft) || more.valueWrong,
              })}
              aria-label={named(words.values)}
              aria-invalid={errors?.values === undefined ? undefined : true}
              placeholder={VALUED.has(kind) ? words.anyValue : ''}
              readOnly={!VALUED.has(kind)}
            />
          )}
          {errors?.values?.message !== undefined && <p className="wrong">{errors.values.message}</p>}
        </td>
        <td data-label={words.required}>
          <input type="checkbox" {...register(`rows.${at}.required`)} aria-label={named(words.required)} />
        </td>
        <td data-label={words.selective}>
          <input type="checkbox" {...register(`rows.${at}.selective`)} aria-label={named(words.selective)} />
        </td>
        <td className="row-actions">
          <button
            type="button"
            className="quiet icon"
            aria-label={more.more(at + 1)}
            title={more.more(at + 1)}
            aria-expanded={showsMore}
            onClick={() => setOpen(!showsMore)}
          >
            …
          </button>
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
      {showsMore && (
        <tr className="more">
          <td colSpan={7}>
            <ClaimMore at={at} />
          </td>
        </tr>
      )}
    </>
  )
}

/** Whether the allowed values are values of the claim's type. */
function validateValues(values: string, at: number, { rows, mode }: TypeDraft): boolean {
  const kind = rows[at]?.kind
  if (mode === 'json' || (kind !== 'number' && kind !== 'integer')) return true
  const isGood = (text: string) => (kind === 'integer' ? Number.isInteger(Number(text)) : Number.isFinite(Number(text)))
  return valuesOf(values).every(isGood)
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
