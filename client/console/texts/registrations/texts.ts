import type { InOtherWords } from '../texts.js'
import type { en } from './en.js'

/** The texts of registration certificates in every language. A missing text is a type error. */
export type RegistrationTexts = InOtherWords<typeof en>
