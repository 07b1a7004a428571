import { ownTexts } from '../own-texts.js'
import { FACE_TEXTS } from './load.js'

/** The texts of images, colours and branding in the shown language. */
export const useFaceTexts = ownTexts(FACE_TEXTS)
