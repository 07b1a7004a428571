import type { InOtherWords } from '../texts.js'
import type { en } from './en.js'

/** The texts of signing keys in every language. A missing text is a type error. */
export type SigningKeyTexts = InOtherWords<typeof en>
