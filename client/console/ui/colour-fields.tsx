import { type FieldValues, useFormContext, useWatch } from 'react-hook-form'
import { LEAST_CONTRAST, lowContrast } from '../../../server/protocol/colour.js'
import { useFaceTexts } from '../texts/faces/use-face-texts.js'
import { useSpoken } from '../texts/use-texts.js'
import { Field } from './field.js'

const HEX = /^#[0-9a-f]{6}$/i

interface Colour {
  /** The path of the colour in the form. */
  readonly name: string
  readonly label: string
  /** The colour that the picker begins with. */
  readonly initial: string
}

interface Props {
  readonly background: Colour
  readonly text: Colour
  readonly hint?: string
}

/** The colours of a background and of its text. Text that is hard to read has a warning (WCAG 2.2, 1.4.3). */
export function ColourFields({ background, text, hint }: Props) {
  const { colours: words } = useFaceTexts()
  const { language } = useSpoken()
  const { control } = useFormContext<FieldValues>()
  const given = useWatch({ control, name: [background.name, text.name] }).map((colour) => String(colour ?? '').trim())
  const [ground, written] = given.map((colour) => (colour === '' ? undefined : colour))
  const contrast = lowContrast({ background_color: ground, text_color: written })
  const said = (ratio: number) => ratio.toLocaleString(language, { minimumFractionDigits: 1 })
  return (
    <>
      <ColourField {...background} hint={hint ?? words.hint} />
      <ColourField
        {...text}
        hint={hint ?? words.hint}
        warning={contrast === undefined ? undefined : words.contrast(said(Number(contrast)), said(LEAST_CONTRAST))}
      />
    </>
  )
}

interface FieldProps extends Colour {
  readonly hint: string
  readonly warning?: string | undefined
}

/** A colour as text, with a picker. The text may have any form that the service takes, or be empty. */
function ColourField({ name, label, initial, hint, warning }: FieldProps) {
  const { colours: words } = useFaceTexts()
  const { control, register, setValue, getFieldState, formState } = useFormContext<FieldValues>()
  const colour = String(useWatch({ control, name }) ?? '').trim()
  return (
    <Field label={label} hint={hint} error={getFieldState(name, formState).error?.message} warning={warning}>
      {(props) => (
        <span className="colour-field">
          <input {...props} {...register(name)} maxLength={64} autoComplete="off" spellCheck={false} />
          <input
            type="color"
            aria-label={words.pick(label)}
            value={HEX.test(colour) ? colour : initial}
            onChange={({ target }) => setValue(name, target.value, { shouldDirty: true })}
          />
        </span>
      )}
    </Field>
  )
}
