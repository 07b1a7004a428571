import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { pathKey } from '../paths.js'
import { useClaimLabel } from './claim-label.js'
import { useClaimSettings } from './claim-settings.js'

/** Which claims of a JSON Schema may be withheld, at each level. The schema itself cannot say so. */
export function BesideJson() {
  const words = useEditorTexts()
  const { types } = useTexts()
  const { claims, change } = useClaimSettings()
  const labelOf = useClaimLabel()
  return (
    <fieldset>
      <legend>{types.selective}</legend>
      <p className="hint">{words.settingsOfClaimsHint}</p>
      {claims === undefined && <p className="soft">{words.unreadable}</p>}
      {claims
        // Every verifier sees the identifier of the subject.
        ?.filter(({ path }) => path[0] !== 'id')
        .map((claim) => (
          <Check
            key={pathKey(claim.path)}
            checked={claim.selective}
            onChange={({ target }) => change(claim, { selective: target.checked })}
          >
            <code>{labelOf(claim.path)}</code>
          </Check>
        ))}
    </fieldset>
  )
}
