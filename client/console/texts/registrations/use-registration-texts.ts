import { ownTexts } from '../own-texts.js'
import { REGISTRATION_TEXTS } from './load.js'

/** The texts of registration certificates in the shown language. */
export const useRegistrationTexts = ownTexts(REGISTRATION_TEXTS)
