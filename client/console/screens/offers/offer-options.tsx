import { useFormContext, useWatch } from 'react-hook-form'
import type { Configuration } from '../../queries/types.js'
import { useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Field } from '../../ui/field.js'
import { formatName } from '../../ui/format-name.js'
import { NameFields } from '../../ui/name-fields.js'
import { Panel } from '../../ui/panel.js'
import { DURATIONS, type Duration, type OfferForm } from './offer-form.js'

const COUNT = /^[1-9]\d{0,8}$/

interface OptionsProps {
  readonly configurations: readonly Configuration[]
  /** Whether the claims source is asked for the claims. It finds them by the reference of the offer. */
  readonly needsReference: boolean
}

/** Options of an offer: its names, its holder, its redemption limit and its expiry. */
export function OfferOptions({ configurations, needsReference }: OptionsProps) {
  const { offers: words } = useTexts()
  const { control, register, formState } = useFormContext<OfferForm>()
  const { errors } = formState
  const limit = useWatch({ control, name: 'limit' })
  return (
    <Panel title={words.how}>
      <NameFields {...(needsReference ? { referenceHint: words.referenceHint } : {})} />
      <div className="columns">
        <Expires />
        <Field label={words.limit} hint={words.limitHint} required error={errors.limit?.message}>
          {(props) => (
            <input
              {...props}
              {...register('limit', {
                pattern: { value: COUNT, message: words.limitWrong },
                required: words.limitWrong,
              })}
              inputMode="numeric"
              autoComplete="off"
            />
          )}
        </Field>
      </div>
      {limit.trim() === '1' ? (
        <ForOne configurations={configurations} />
      ) : (
        <Field label={words.recipient} error={errors.recipient?.message}>
          {(props) => <input {...props} {...register('recipient')} autoComplete="off" spellCheck={false} />}
        </Field>
      )}
    </Panel>
  )
}

/** The options of an offer for a single wallet. */
function ForOne({ configurations }: { readonly configurations: readonly Configuration[] }) {
  const { offers: words } = useTexts()
  const { control, register, formState } = useFormContext<OfferForm>()
  const { errors } = formState
  const [grant, atIssuance] = useWatch({ control, name: ['grant', 'atIssuance'] })
  return (
    <>
      <fieldset>
        <legend>{words.grant}</legend>
        <Check type="radio" value="pre-authorized_code" {...register('grant')}>
          {words.preAuthorized}
        </Check>
        <Check type="radio" value="authorization_code" {...register('grant')}>
          {words.authorizationCode}
        </Check>
      </fieldset>
      {grant === 'pre-authorized_code' ? (
        <Check {...register('pin')}>{words.pin}</Check>
      ) : (
        <Field label={words.forSubject} hint={words.forSubjectHint} error={errors.forSubject?.message}>
          {(props) => <input {...props} {...register('forSubject')} autoComplete="off" spellCheck={false} />}
        </Field>
      )}
      {!atIssuance && <Check {...register('deferred')}>{words.deferred}</Check>}
      <Format configurations={configurations} />
    </>
  )
}

/** The lifetime of the offer. */
export function Expires() {
  const { offers: words } = useTexts()
  const { register } = useFormContext<OfferForm>()
  return (
    <Field label={words.expires} required>
      {(props) => (
        <select {...props} {...register('expires')}>
          {Object.keys(DURATIONS).map((name) => (
            <option key={name} value={name}>
              {words[name as Duration]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The format of the offered credential. */
export function Format({ configurations }: { readonly configurations: readonly Configuration[] }) {
  const { offers: words } = useTexts()
  const { register, formState } = useFormContext<OfferForm>()
  const { errors } = formState
  return (
    <Field label={words.format} required error={errors.configurationId?.message}>
      {(props) => (
        <select {...props} {...register('configurationId')}>
          {configurations.map(({ id, format }) => (
            <option key={id} value={id}>
              {formatName(format, words.formats) ?? format}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
