import { useFormContext } from 'react-hook-form'
import { pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import type { Texts } from '../../texts/texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { type ControlProps, Field } from '../field.js'
import { ImageInput } from './image-input.js'
import type { Control, ControlKind, Part } from './plan.js'

/** The part of a form's values that holds the fields of a plan. */
export interface ClaimsForm {
  claims: Record<string, string | boolean | undefined>
}

const INPUT_TYPES: Partial<Record<ControlKind, string>> = {
  date: 'date',
  dateTime: 'datetime-local',
  time: 'time',
  email: 'email',
  link: 'url',
}

const AS_TEXT: ReadonlySet<ControlKind> = new Set(['long', 'lines', 'numbers', 'json'])

function byKind(kind: ControlKind, words: Pick<Texts['offers'], 'oneEachLine' | 'asJson'>): string | undefined {
  if (kind === 'lines' || kind === 'numbers') return words.oneEachLine
  return kind === 'json' ? words.asJson : undefined
}

/** The fields for the claims of a schema, in a form whose values have `claims`. */
export function SchemaFields({ parts }: { readonly parts: readonly Part[] }) {
  return parts.map((part) =>
    part.kind === 'group' ? (
      <fieldset key={pathKey(part.path)} className="fields">
        <legend>{part.title}</legend>
        <SchemaFields parts={part.parts} />
      </fieldset>
    ) : (
      <ClaimField key={part.field} control={part} />
    ),
  )
}

function ClaimField({ control }: { readonly control: Control }) {
  const { offers: words } = useTexts()
  const { formState } = useFormContext<ClaimsForm>()
  const { kind, field, title, description, required } = control
  const hints = [description, byKind(kind, words)].filter((part) => part !== undefined).join(' ')
  return (
    <Field
      label={title}
      hint={hints === '' ? undefined : hints}
      required={required}
      error={formState.errors.claims?.[field]?.message}
    >
      {(props) => <Input control={control} props={props} />}
    </Field>
  )
}

function Input({ control, props }: { readonly control: Control; readonly props: ControlProps }) {
  const { offers: words, common } = useTexts()
  const { register } = useFormContext<ClaimsForm>()
  const { kind, field, choices, choiceTitles, image } = control
  if (image !== undefined) return <ImageInput field={field} image={image} title={control.title} props={props} />
  const registered = { ...props, ...register(`claims.${field}`) }
  if (AS_TEXT.has(kind)) return <textarea {...registered} spellCheck={kind === 'lines' || kind === 'long'} />
  if (kind === 'boolean' || kind === 'choice') {
    const options =
      kind === 'boolean'
        ? [
            ['true', common.yes],
            ['false', common.no],
          ]
        : choices.map((value, at) => [String(at), choiceTitles?.[at] ?? String(value)])
    return (
      <select {...registered}>
        <option value="">{words.unset}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )
  }
  const isNumber = kind === 'number' || kind === 'integer'
  return (
    <input
      {...registered}
      type={INPUT_TYPES[kind] ?? 'text'}
      inputMode={kind === 'integer' ? 'numeric' : isNumber ? 'decimal' : undefined}
      step={kind === 'time' || kind === 'dateTime' ? 1 : undefined}
      autoComplete="off"
    />
  )
}
