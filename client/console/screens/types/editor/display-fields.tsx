import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { ColourFields } from '../../../ui/colour-fields.js'
import { Field } from '../../../ui/field.js'
import { ImageField } from '../../../ui/image-field.js'
import { isImageId } from '../../../ui/image-id.js'
import type { TypeDraft } from '../draft.js'
import { COLORS, type Look, localeOf, svgTemplatesIn } from '../names.js'
import { Section } from './section.js'

// The service accepts http only for its own images, during development.
const IMAGE = /^(?:https?:\/\/\S+|data:image\/\S+)$/i

/** The text that names each member of a look. */
const LABELS = {
  description: 'description',
  backgroundColor: 'background',
  textColor: 'textColor',
  logo: 'logo',
  backgroundImage: 'backgroundImage',
  svgTemplates: 'svgTemplates',
} as const satisfies Partial<Record<keyof Look, string>>

// The keys of LABELS are its members.
const MEMBERS = Object.keys(LABELS) as (keyof typeof LABELS)[]

const BY_DEFAULT: Readonly<Record<string, string>> = COLORS

/** How wallets draw the credential, in each language (OpenID4VCI 1.0 §12.2.4). */
export function DisplayFields() {
  const words = useEditorTexts()
  const { control } = useFormContext<TypeDraft>()
  const names = useWatch({ control, name: 'names' })
  // The colours of a new type are no choice of the author.
  const isSet = (member: keyof typeof LABELS) =>
    names.some((name) => (name[member] ?? '') !== '' && name[member] !== BY_DEFAULT[member])
  const settings = MEMBERS.filter(isSet).map((member) => words.look[LABELS[member]])
  return (
    <Section name="look" settings={settings}>
      {names.map((name, at) =>
        names.length === 1 ? (
          <LookFields key="only" at={at} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: languages have no key but their place, since their tags are typed.
          <fieldset key={at} className="fields">
            <legend>{words.look.of(localeOf(name))}</legend>
            <LookFields at={at} />
          </fieldset>
        ),
      )}
    </Section>
  )
}

/** The look in one language. */
function LookFields({ at }: { readonly at: number }) {
  const { look: words } = useEditorTexts()
  const { register, formState } = useFormContext<TypeDraft>()
  const errors = formState.errors.names?.[at]
  const isImage = (text: string | undefined) => {
    const given = (text ?? '').trim()
    return given === '' || IMAGE.test(given) || isImageId(given) || words.imageWrong
  }
  const isList = (text: string | undefined) =>
    (text ?? '').trim() === '' || svgTemplatesIn(text ?? '') !== undefined || words.svgTemplatesWrong
  return (
    <>
      <Field label={words.description} error={errors?.description?.message}>
        {(props) => <input {...props} {...register(`names.${at}.description`)} maxLength={1000} />}
      </Field>
      <div className="columns">
        <ColourFields
          background={{ name: `names.${at}.backgroundColor`, label: words.background, initial: COLORS.backgroundColor }}
          text={{ name: `names.${at}.textColor`, label: words.textColor, initial: COLORS.textColor }}
          hint={words.colourHint}
        />
        <ImageField
          name={`names.${at}.logo`}
          label={words.logo}
          hint={words.imageHint}
          integrity={{ name: `names.${at}.logoIntegrity`, label: words.logoIntegrity, hint: words.integrityHint }}
          validate={isImage}
        />
        <ImageField
          name={`names.${at}.backgroundImage`}
          label={words.backgroundImage}
          hint={words.imageHint}
          integrity={{
            name: `names.${at}.backgroundImageIntegrity`,
            label: words.backgroundImageIntegrity,
            hint: words.integrityHint,
          }}
          validate={isImage}
        />
      </div>
      <Field label={words.logoText} hint={words.logoTextHint} error={errors?.logoText?.message}>
        {(props) => <input {...props} {...register(`names.${at}.logoText`)} maxLength={200} />}
      </Field>
      <Field label={words.svgTemplates} hint={words.svgTemplatesHint} error={errors?.svgTemplates?.message}>
        {(props) => (
          <textarea
            {...props}
            {...register(`names.${at}.svgTemplates`, { validate: isList })}
            className="code"
            rows={3}
            spellCheck={false}
          />
        )}
      </Field>
    </>
  )
}
