import type { InOtherWords } from '../texts.js'
import type { en } from './en.js'

/** The texts of images, colours and branding in every language. A missing text is a type error. */
export type FaceTexts = InOtherWords<typeof en>
