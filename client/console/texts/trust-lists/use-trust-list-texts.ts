import { ownTexts } from '../own-texts.js'
import { TRUST_LIST_TEXTS } from './load.js'

/** The texts of trusted lists and of the explanation of trust in the shown language. */
export const useTrustListTexts = ownTexts(TRUST_LIST_TEXTS)
