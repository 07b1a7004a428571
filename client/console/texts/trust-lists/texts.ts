import type { InOtherWords } from '../texts.js'
import type { en } from './en.js'

/** The texts of trusted lists in every language. A missing text is a type error. */
export type TrustListTexts = InOtherWords<typeof en>
