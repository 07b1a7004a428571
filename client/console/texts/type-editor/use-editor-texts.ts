import { ownTexts } from '../own-texts.js'
import { EDITOR_TEXTS } from './load.js'

/** The texts of the editor in the shown language. */
export const useEditorTexts = ownTexts(EDITOR_TEXTS)
