import { useFormContext, useWatch } from 'react-hook-form'
import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { Field } from '../../../ui/field.js'
import type { TypeDraft } from '../draft.js'
import { useClaimSettings } from './claim-settings.js'
import { Section } from './section.js'

const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/

/** Whether a text is a JSON Pointer to a member (RFC 6901), or empty. */
export const isPointer = (text: string): boolean => text.trim() === '' || POINTER.test(text.trim())

/** For each claim at the top level, its place in the claims of the sign-in. */
export function SignInFields() {
  const words = useEditorTexts()
  const { control, formState } = useFormContext<TypeDraft>()
  const { claims, change } = useClaimSettings()
  const source = useWatch({ control, name: 'sourceUrl' })
  const atTop = claims?.filter(({ path }) => path.length === 1)
  const signedIn = (atTop ?? []).filter(({ signIn }) => signIn !== '').map(({ path }) => path[0] ?? '')
  return (
    <Section name="signIn" settings={signedIn} intro={words.signIn.intro}>
      {source.trim() !== '' && <p className="note">{words.signIn.hasSource}</p>}
      {atTop === undefined && <p className="soft">{words.unreadable}</p>}
      {atTop?.map((claim) => {
        const refusal = claim.row === undefined ? undefined : formState.errors.rows?.[claim.row]?.signIn?.message
        const error = isPointer(claim.signIn) ? refusal : words.signIn.wrong
        return (
          <Field key={claim.row ?? claim.path[0]} label={claim.path[0] ?? ''} error={error}>
            {(props) => (
              <input
                {...props}
                value={claim.signIn}
                onChange={({ target }) => change(claim, { signIn: target.value })}
                placeholder={words.signIn.pointer}
                maxLength={300}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
        )
      })}
    </Section>
  )
}
