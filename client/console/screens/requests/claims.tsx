import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import type { ClaimsPath } from '../../queries/shapes.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { nameOf } from '../../ui/display-name.js'
import { Field } from '../../ui/field.js'
import { type Askable, readable } from './askable.js'
import { type RequestForm, WRITTEN_CLAIM } from './request-form.js'

const MOST_WRITTEN = 64

/** Check boxes for the claims of a type of this installation. */
export function KnownClaims({ at, type }: { readonly at: number; readonly type: Askable }) {
  const { language, texts } = useSpoken()
  const { requests: words } = texts
  const { control, register } = useFormContext<RequestForm>()
  const known = useWatch({ control, name: `credentials.${at}.known` })
  return (
    <fieldset className="bare claims-asked">
      <legend>{words.claims}</legend>
      <p className="hint">{words.claimsHint}</p>
      <ul className="plain">
        {known.map(({ path, asked }, claim) => {
          const name = titleOf(type, path, language)
          return (
            <li key={path}>
              <Check {...register(`credentials.${at}.known.${claim}.asked`)}>{name}</Check>
              {asked && (
                <input
                  {...register(`credentials.${at}.known.${claim}.values`)}
                  aria-label={words.mustBe(name)}
                  placeholder={words.mustBeShort}
                  autoComplete="off"
                />
              )}
            </li>
          )
        })}
      </ul>
      {!known.some(({ asked }) => asked) && <p className="soft">{words.noClaims}</p>}
      {type.format === 'mso_mdoc' && <Check {...register(`credentials.${at}.retain`)}>{words.retain}</Check>}
    </fieldset>
  )
}

function titleOf({ claims, format }: Askable, json: string, language: string): string {
  const path = JSON.parse(json) as ClaimsPath
  const claim = claims.find((each) => JSON.stringify(each.path) === json)
  return nameOf(claim?.display, language) ?? readable(path, format)
}

/** Text fields for the claims of a type that this installation does not know. */
export function WrittenClaims({ at }: { readonly at: number }) {
  const { texts } = useSpoken()
  const { requests: words } = texts
  const { control, register } = useFormContext<RequestForm>()
  const format = useWatch({ control, name: `credentials.${at}.format` })
  const { fields, append, remove } = useFieldArray({ control, name: `credentials.${at}.written` })
  const isMdoc = format === 'mso_mdoc'
  const text = { autoComplete: 'off', spellCheck: false }
  return (
    <fieldset className="bare fields">
      <legend>{words.claims}</legend>
      <p className="hint">{isMdoc ? words.mdocHint : words.claimHint}</p>
      {fields.map(({ id }, claim) => (
        <div key={id} className={isMdoc ? 'written of-mdoc' : 'written'}>
          {isMdoc && (
            <Field label={words.namespace(claim + 1)} required>
              {(props) => <input {...props} {...text} {...register(`credentials.${at}.written.${claim}.namespace`)} />}
            </Field>
          )}
          <Field label={isMdoc ? words.element(claim + 1) : words.claim(claim + 1)} required>
            {(props) => <input {...props} {...text} {...register(`credentials.${at}.written.${claim}.name`)} />}
          </Field>
          <Field label={words.value(claim + 1)}>
            {(props) => (
              <input
                {...props}
                {...register(`credentials.${at}.written.${claim}.values`)}
                placeholder={words.mustBeShort}
                autoComplete="off"
              />
            )}
          </Field>
          <button
            type="button"
            className="quiet"
            aria-label={words.removeClaim(claim + 1)}
            onClick={() => remove(claim)}
          >
            {texts.common.remove}
          </button>
        </div>
      ))}
      {fields.length < MOST_WRITTEN && (
        <button type="button" onClick={() => append({ ...WRITTEN_CLAIM })}>
          {words.addClaim}
        </button>
      )}
      {isMdoc && <Check {...register(`credentials.${at}.retain`)}>{words.retain}</Check>}
    </fieldset>
  )
}
