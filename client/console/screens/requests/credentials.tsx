import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useSpoken } from '../../texts/use-texts.js'
import { langOf, nameOf } from '../../ui/display-name.js'
import { Field } from '../../ui/field.js'
import { Panel } from '../../ui/panel.js'
import { type Askable, FORMATS } from './askable.js'
import { KnownClaims, WrittenClaims } from './claims.js'
import { draftOf, type Need, type RequestForm } from './request-form.js'

/**
 * Maximum number of credentials in one request of the console. The service allows 32 in a DCQL query, but a request
 * needs only a few.
 */
const MOST = 8

const NEEDS: readonly Need[] = ['required', 'alternative', 'optional']

/** The credentials of a request. */
export function Credentials({ types }: { readonly types: readonly Askable[] }) {
  const { texts } = useSpoken()
  const { requests: words } = texts
  const { control } = useFormContext<RequestForm>()
  const { fields, append, remove } = useFieldArray({ control, name: 'credentials' })
  return (
    <>
      {fields.map(({ id }, at) => (
        <Panel key={id} title={fields.length === 1 ? words.credential1 : words.credential(at + 1)}>
          <Credential at={at} types={types} isAlone={fields.length === 1} />
          {fields.length > 1 && (
            <button type="button" className="quiet" aria-label={words.remove(at + 1)} onClick={() => remove(at)}>
              {texts.common.remove}
            </button>
          )}
        </Panel>
      ))}
      {fields.length < MOST && (
        <button type="button" onClick={() => append(draftOf(types[0]))}>
          {words.addCredential}
        </button>
      )}
    </>
  )
}

interface Props {
  readonly at: number
  readonly types: readonly Askable[]
  readonly isAlone: boolean
}

/** One requested credential: its type, its claims, and whether it is required. */
function Credential({ at, types, isAlone }: Props) {
  const { language, texts } = useSpoken()
  const { requests: words } = texts
  const { control, register, setValue, getValues, formState } = useFormContext<RequestForm>()
  const path = `credentials.${at}` as const
  const chosen = useWatch({ control, name: `${path}.configuration` })
  const type = types.find(({ id }) => id === chosen)
  const errors = formState.errors.credentials?.[at]
  const choose = (id: string) => {
    const { need } = getValues(path)
    setValue(path, { ...draftOf(types.find((each) => each.id === id)), need })
  }
  return (
    <>
      <Field label={words.type} required error={errors?.configuration?.message}>
        {(props) => (
          <select {...props} {...register(`${path}.configuration`, { onChange: ({ target }) => choose(target.value) })}>
            {FORMATS.filter((format) => types.some((each) => each.format === format)).map((format) => (
              <optgroup key={format} label={words.formats[format]}>
                {types
                  .filter((each) => each.format === format)
                  .map(({ id, display, type: name }) => (
                    <option key={id} value={id} lang={langOf(display, language)}>
                      {nameOf(display, language) ?? name} ({words.formats[format]})
                    </option>
                  ))}
              </optgroup>
            ))}
            <option value="">{words.anotherType}</option>
          </select>
        )}
      </Field>
      {type === undefined && <AnotherType at={at} />}
      {!isAlone && (
        <Field label={words.need} required>
          {(props) => (
            <select {...props} {...register(`${path}.need`)}>
              {NEEDS.map((need) => (
                <option key={need} value={need}>
                  {words.needs[need]}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {type === undefined ? <WrittenClaims at={at} /> : <KnownClaims at={at} type={type} />}
    </>
  )
}

/** The fields for a type that this installation does not issue. */
function AnotherType({ at }: { readonly at: number }) {
  const { texts } = useSpoken()
  const { requests: words } = texts
  const { control, register, formState } = useFormContext<RequestForm>()
  const path = `credentials.${at}` as const
  const format = useWatch({ control, name: `${path}.format` })
  return (
    <div className="columns">
      <Field label={words.format} required>
        {(props) => (
          <select {...props} {...register(`${path}.format`)}>
            {FORMATS.map((name) => (
              <option key={name} value={name}>
                {words.formats[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={words.typeNames[format]}
        hint={words.typeHints[format]}
        required
        error={formState.errors.credentials?.[at]?.type?.message}
      >
        {(props) => (
          <input
            {...props}
            {...register(`${path}.type`, { validate: (value) => value.trim() !== '' || texts.form.required })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
    </div>
  )
}
