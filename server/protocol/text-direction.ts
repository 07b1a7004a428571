/**
 * Characters that set the direction of a text: embeddings, overrides, isolates, and their ends (Unicode Standard Annex
 * 9, §2.1 to §2.5). They can make a name look like a different name. The marks U+200E, U+200F and U+061C (§2.6) are not
 * included. Hebrew and Arabic names need these marks next to digits and punctuation. The marks reorder no letters, and
 * do not affect text outside an isolated text.
 */
const CONTROL = /[\u202a-\u202e\u2066-\u2069]/
const CONTROLS = new RegExp(CONTROL, 'g')

/** Control characters, and the blocks of right-to-left scripts with their marks. */
const TURNS =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Removes the characters that control directions from a text of another party, so that it can be shown to people. */
export const withoutDirectionControls = (text: string): string => text.replace(CONTROLS, '')

/** Replaces each direction control in a text. `written` returns the replacement for a code point. */
export const withDirectionControls = (text: string, written: (code: number) => string): string =>
  text.replace(CONTROLS, (control) => written(control.charCodeAt(0)))

/** Whether a text, if it is not isolated, may change the order of the text next to it. */
export const changesDirection = (text: string): boolean => TURNS.test(text)

/** Returns the first direction control in a text, for example as `U+202E`. Undefined if there is none. */
export function directionControlIn(text: string): string | undefined {
  const [found] = CONTROL.exec(text) ?? []
  return found === undefined ? undefined : `U+${found.charCodeAt(0).toString(16).toUpperCase()}`
}
