import { useFormContext, useWatch } from 'react-hook-form'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { ColourFields } from '../../ui/colour-fields.js'
import { Field } from '../../ui/field.js'
import { ImageField } from '../../ui/image-field.js'
import { NameRows } from '../../ui/name-rows.js'
import { type FaceForm, NO_LOGO } from './face-form.js'

/** The fields for names and logos by language, colours, contact and links. */
export function FaceFields() {
  const { face: words } = useFaceTexts()
  return (
    <>
      <NameRows legend={words.names} fresh={() => NO_LOGO} further={(at) => <Logo at={at} />} />
      <fieldset>
        <legend>{words.colours}</legend>
        <div className="columns">
          <ColourFields
            background={{ name: 'backgroundColor', label: words.background, initial: '#ffffff' }}
            text={{ name: 'textColor', label: words.text, initial: '#000000' }}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend>{words.contact}</legend>
        <div className="columns">
          <Text name="email" type="email" label={words.email} />
          <Text name="phone" type="tel" label={words.phone} />
          <Text name="url" type="url" label={words.url} hint={words.linkHint} />
        </div>
      </fieldset>
      <fieldset>
        <legend>{words.links}</legend>
        <div className="columns">
          <Text name="privacyUri" type="url" label={words.privacy} hint={words.linkHint} />
          <Text name="termsUri" type="url" label={words.terms} hint={words.linkHint} />
          <Text name="imprintUri" type="url" label={words.imprint} hint={words.linkHint} />
        </div>
      </fieldset>
    </>
  )
}

/** The logo for the name in one language. */
function Logo({ at }: { readonly at: number }) {
  const { face: words, images } = useFaceTexts()
  const { control, register, getValues, formState } = useFormContext<FaceForm>()
  const locale = useWatch({ control, name: `names.${at}.locale` })
  const named = (text: string | undefined) =>
    (text ?? '').trim() === '' || getValues(`names.${at}.name`).trim() !== '' || words.logoNeedsName
  const hasLogo = useWatch({ control, name: `names.${at}.logo` }) !== ''
  return (
    <div className="name-logo">
      <ImageField
        name={`names.${at}.logo`}
        label={locale?.trim() ? words.logoOf(locale.trim()) : words.logo}
        hint={images.addressHint}
        integrity={{ name: `names.${at}.logoIntegrity`, label: words.logoIntegrity, hint: words.logoIntegrityHint }}
        validate={named}
      />
      {hasLogo && (
        <Field label={words.logoText} hint={words.logoTextHint} error={formState.errors.names?.[at]?.logoText?.message}>
          {(props) => <input {...props} {...register(`names.${at}.logoText`)} maxLength={200} />}
        </Field>
      )}
    </div>
  )
}

interface TextProps {
  readonly name: Exclude<keyof FaceForm, 'names'>
  readonly type: 'email' | 'tel' | 'url'
  readonly label: string
  readonly hint?: string
}

function Text({ name, type, label, hint }: TextProps) {
  const { register, formState } = useFormContext<FaceForm>()
  return (
    <Field label={label} hint={hint} error={formState.errors[name]?.message}>
      {(props) => <input {...props} {...register(name)} type={type} autoComplete="off" spellCheck={false} />}
    </Field>
  )
}
