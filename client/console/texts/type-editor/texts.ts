import type { InOtherWords } from '../texts.js'
import type { en } from './en.js'

/** The texts of the editor in every language. A missing text is a type error. */
export type EditorTexts = InOtherWords<typeof en>
