import { useEditorTexts } from '../../../texts/type-editor/use-editor-texts.js'
import type { ClaimPath } from '../paths.js'

/** Writes the path of a claim for users: `courses › every element › title`. */
export function useClaimLabel(): (path: ClaimPath) => string {
  const words = useEditorTexts()
  return (path) => path.map((step) => step ?? words.everyElement).join(' › ')
}
