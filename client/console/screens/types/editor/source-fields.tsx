import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Field } from '../../../ui/field.js'
import type { TypeDraft } from '../draft.js'
import { isChosen, SOURCE_AUTHS } from '../settings.js'
import { Section } from './section.js'

const KINDS = ['hmac', 'bearer', 'mTLS'] as const

const ADDRESS = /^\s*https?:\/\/\S+\s*$/

/** A new secret for signatures (Standard Webhooks 1.0.0): 32 random bytes. */
const newSecret = () => `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`

/** The issuer's own system that is asked for the claims of a type. */
export function SourceFields({ hadSource }: { readonly hadSource: boolean }) {
  const { types: words, form: formWords } = useTexts()
  const { control, register, formState, getValues } = useFormContext<TypeDraft>()
  const more = useEditorTexts()
  const [url, auth] = useWatch({ control, name: ['sourceUrl', 'sourceAuth', 'sourceAlso'] })
  const { errors } = formState
  const auths = hadSource ? SOURCE_AUTHS : SOURCE_AUTHS.filter((each) => each !== 'kept')
  const chosen = (kind: (typeof KINDS)[number]) => isChosen(getValues(), kind)
  return (
    <Section name="source" settings={url.trim() === '' ? [] : [url.trim()]} intro={words.sourceIntro}>
      <Field label={words.sourceUrl} error={errors.sourceUrl?.message}>
        {(props) => (
          <input
            {...props}
            {...register('sourceUrl', {
              validate: (text) => text.trim() === '' || ADDRESS.test(text) || words.sourceUrlWrong,
            })}
            type="url"
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      {url.trim() !== '' && (
        <>
          <Field label={words.sourceAuth} required>
            {(props) => (
              <select {...props} {...register('sourceAuth')}>
                {auths.map((each) => (
                  <option key={each} value={each}>
                    {words.sourceAuths[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {auth !== 'kept' && (
            <fieldset>
              <legend>{more.source.also}</legend>
              {KINDS.filter((kind) => kind !== auth).map((kind) => (
                <Check key={kind} {...register(`sourceAlso.${kind}`)}>
                  {words.sourceAuths[kind]}
                </Check>
              ))}
            </fieldset>
          )}
          {chosen('hmac') && <Secret kind="hmac" />}
          {chosen('bearer') && <Secret kind="bearer" />}
          {chosen('mTLS') && (
            <>
              <Field label={words.sourceCertificate} required error={errors.sourceCertificate?.message}>
                {(props) => (
                  <textarea
                    {...props}
                    {...register('sourceCertificate', { required: formWords.required })}
                    rows={4}
                    spellCheck={false}
                  />
                )}
              </Field>
              <Field label={words.sourceKey} required error={errors.sourceKey?.message}>
                {(props) => (
                  <textarea
                    {...props}
                    {...register('sourceKey', { required: formWords.required })}
                    rows={4}
                    spellCheck={false}
                  />
                )}
              </Field>
            </>
          )}
          <Field label={more.source.timeout} hint={more.source.timeoutHint} error={errors.sourceTimeout?.message}>
            {(props) => (
              <input
                {...props}
                {...register('sourceTimeout', { pattern: { value: /^\s*\d*\s*$/, message: formWords.number } })}
                inputMode="numeric"
              />
            )}
          </Field>
        </>
      )}
    </Section>
  )
}

/** The secret of a signature, or a token. */
function Secret({ kind }: { readonly kind: 'hmac' | 'bearer' }) {
  const { types: words, form: formWords } = useTexts()
  const { register, formState, setValue } = useFormContext<TypeDraft>()
  const field = kind === 'hmac' ? 'sourceHmac' : 'sourceBearer'
  return (
    <>
      <Field
        label={kind === 'hmac' ? words.sourceSecret : words.sourceToken}
        hint={words.sourceSecretHint}
        required
        error={formState.errors[field]?.message}
      >
        {(props) => (
          <input
            {...props}
            {...register(field, { required: formWords.required })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      {kind === 'hmac' && (
        <div className="row">
          <button type="button" onClick={() => setValue('sourceHmac', newSecret(), { shouldValidate: true })}>
            {words.sourceNewSecret}
          </button>
        </div>
      )}
    </>
  )
}
