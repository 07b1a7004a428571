import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Panel } from '../../ui/panel.js'
import { NEW_TRANSACTION, type RequestForm } from './request-form.js'

/** Maximum number of transactions that the service accepts in one request. OpenID4VP sets no limit. */
const MOST = 16
const MOST_MEMBERS = 32

/** The transaction data that the holder authorizes with the credential. */
export function Transactions() {
  const { requests: words, common, form: formWords } = useTexts()
  const { control, register, formState } = useFormContext<RequestForm>()
  const { fields, append, remove } = useFieldArray({ control, name: 'transactions' })
  const credentials = useWatch({ control, name: 'credentials' })
  const canAuthorize = credentials.some(({ format }) => format === 'dc+sd-jwt')
  return (
    <Panel title={words.transactions} intro={words.transactionsIntro}>
      {fields.length > 0 && !canAuthorize && <p className="note">{words.noSdJwt}</p>}
      {fields.map(({ id }, at) => (
        <fieldset key={id} className="fields">
          <legend>{words.transaction(at + 1)}</legend>
          <Field
            label={words.transactionType}
            hint={words.transactionTypeHint}
            required
            error={formState.errors.transactions?.[at]?.type?.message}
          >
            {(props) => (
              <input
                {...props}
                {...register(`transactions.${at}.type`, {
                  validate: (value) => value.trim() !== '' || formWords.required,
                })}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <Members at={at} />
          <button
            type="button"
            className="quiet"
            aria-label={words.removeTransaction(at + 1)}
            onClick={() => remove(at)}
          >
            {common.remove}
          </button>
        </fieldset>
      ))}
      {fields.length < MOST && (
        <button type="button" onClick={() => append(structuredClone(NEW_TRANSACTION))}>
          {words.addTransaction}
        </button>
      )}
    </Panel>
  )
}

/** The members of a transaction, beside its type. */
function Members({ at }: { readonly at: number }) {
  const { requests: words } = useTexts()
  const { control, register } = useFormContext<RequestForm>()
  const { fields, append } = useFieldArray({ control, name: `transactions.${at}.members` })
  return (
    <>
      {fields.map(({ id }, member) => (
        <div key={id} className="columns">
          <Field label={words.memberName(member + 1)}>
            {(props) => (
              <input {...props} {...register(`transactions.${at}.members.${member}.name`)} autoComplete="off" />
            )}
          </Field>
          <Field label={words.memberValue(member + 1)}>
            {(props) => (
              <input {...props} {...register(`transactions.${at}.members.${member}.value`)} autoComplete="off" />
            )}
          </Field>
        </div>
      ))}
      {fields.length < MOST_MEMBERS && (
        <button type="button" className="quiet" onClick={() => append({ name: '', value: '' })}>
          {words.addMember}
        </button>
      )}
    </>
  )
}
