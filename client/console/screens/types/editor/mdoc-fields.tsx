import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Field } from '../../../ui/field.js'
import type { MdocElement } from '../claims.js'
import type { TypeDraft } from '../draft.js'
import { useClaimLabel } from './claim-label.js'
import { type ClaimSetting, useClaimSettings } from './claim-settings.js'
import { Section } from './section.js'

/** The mobile document of a type: its doctype, and the data elements beside each claim (ISO/IEC 18013-5 §8.3.2.1.2.2). */
export function MdocFields() {
  const words = useEditorTexts()
  const { form: formWords } = useTexts()
  const { control, register, formState } = useFormContext<TypeDraft>()
  const [hasMdoc, doctype] = useWatch({ control, name: ['hasMdoc', 'doctype'] })
  return (
    <Section
      name="mdoc"
      settings={hasMdoc ? [doctype.trim() === '' ? words.mdoc.has : doctype.trim()] : []}
      intro={words.mdoc.intro}
    >
      <Check {...register('hasMdoc')}>{words.mdoc.has}</Check>
      {hasMdoc && (
        <>
          <Field
            label={words.mdoc.doctype}
            hint={words.mdoc.doctypeHint}
            required
            error={formState.errors.doctype?.message}
          >
            {(props) => (
              <input
                {...props}
                {...register('doctype', { validate: (text) => text.trim() !== '' || formWords.required })}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <Elements />
        </>
      )}
    </Section>
  )
}

/** The data elements of all claims. */
function Elements() {
  const words = useEditorTexts()
  const { claims, change, changeAll } = useClaimSettings()
  const { getValues } = useFormContext<TypeDraft>()
  const [namespace, setNamespace] = useState('')
  // A JSON Pointer cannot lead to every element of a list.
  const mappable = claims?.filter(({ path }) => !path.includes(null))
  if (mappable === undefined) return <p className="soft">{words.unreadable}</p>
  const isTwice = ({ namespace: of, element }: MdocElement) =>
    element.trim() !== '' &&
    mappable.flatMap(({ elements }) => elements).filter((each) => each.namespace === of && each.element === element)
      .length > 1
  const fill = () => {
    const chosen = namespace.trim() || getValues('doctype').trim()
    changeAll(
      mappable
        .filter(({ path, elements }) => path.length === 1 && path[0] !== 'id' && elements.length === 0)
        .map((claim) => [claim, { elements: [{ namespace: chosen, element: claim.path[0] ?? '' }] }]),
    )
  }
  return (
    <fieldset>
      <legend>{words.mdoc.elements}</legend>
      <p className="hint">{words.mdoc.notElements}</p>
      <Field label={words.mdoc.newNamespace} hint={words.mdoc.fillHint}>
        {(props) => (
          <input
            {...props}
            value={namespace}
            onChange={({ target }) => setNamespace(target.value)}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <div className="row">
        <button type="button" onClick={fill}>
          {words.mdoc.fill}
        </button>
      </div>
      <ul className="plain records">
        {mappable.map((claim) => (
          <ElementsOfClaim
            key={claim.row ?? claim.path.join('.')}
            claim={claim}
            namespace={namespace}
            isTwice={isTwice}
            onChange={(elements) => change(claim, { elements })}
          />
        ))}
      </ul>
    </fieldset>
  )
}

interface ElementsOfClaimProps {
  readonly claim: ClaimSetting
  readonly namespace: string
  readonly isTwice: (element: MdocElement) => boolean
  readonly onChange: (elements: MdocElement[]) => void
}

function ElementsOfClaim({ claim, namespace, isTwice, onChange }: ElementsOfClaimProps) {
  const words = useEditorTexts()
  const { common } = useTexts()
  const { formState, getValues } = useFormContext<TypeDraft>()
  const label = useClaimLabel()(claim.path)
  const { elements, row } = claim
  const refusal = row === undefined ? undefined : formState.errors.rows?.[row]?.elements?.[0]?.element?.message
  const set = (at: number, changed: Partial<MdocElement>) =>
    onChange(elements.map((each, place) => (place === at ? { ...each, ...changed } : { ...each })))
  const add = () =>
    onChange([
      ...elements,
      { namespace: namespace.trim() || getValues('doctype').trim(), element: String(claim.path.at(-1) ?? '') },
    ])
  return (
    <li className="elements">
      <code>{label}</code>
      {elements.map((element, at) => {
        const wrong = isTwice(element) ? words.mdoc.twice : at === 0 ? refusal : undefined
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: elements have no key but their place, since their names are typed.
          <div className="element" key={at}>
            <input
              value={element.namespace}
              onChange={({ target }) => set(at, { namespace: target.value })}
              aria-label={`${words.mdoc.namespace}, ${label}`}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
            />
            <input
              value={element.element}
              onChange={({ target }) => set(at, { element: target.value })}
              aria-label={`${words.mdoc.element}, ${label}`}
              aria-invalid={wrong === undefined ? undefined : true}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
            />
            <button
              type="button"
              className="quiet icon"
              aria-label={`${common.remove}, ${label}`}
              onClick={() => onChange(elements.filter((_, place) => place !== at).map((each) => ({ ...each })))}
            >
              ✕
            </button>
            {wrong !== undefined && <p className="wrong">{wrong}</p>}
          </div>
        )
      })}
      <button type="button" className="quiet" aria-label={`${words.mdoc.add}, ${label}`} onClick={add}>
        {words.mdoc.add}
      </button>
    </li>
  )
}
