import { ownTexts } from '../own-texts.js'
import { SIGNING_KEY_TEXTS } from './load.js'

/** The texts of signing keys in the shown language. */
export const useSigningKeyTexts = ownTexts(SIGNING_KEY_TEXTS)
