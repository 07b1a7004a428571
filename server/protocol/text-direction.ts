/**
 * Characters that say by themselves in which direction a text runs: embeddings, overrides, isolates, and what ends them (Unicode
 * Standard Annex 9, §2.1 to §2.5). With them a name is shown as another one. The marks U+200E, U+200F and U+061C (§2.6) are not
 * among them. Hebrew and Arabic names need them beside digits and punctuation; they turn no letter around, and reach nothing
 * outside of an isolated text.
 */
const CONTROL = /[\u202a-\u202e\u2066-\u2069]/
const CONTROLS = new RegExp(CONTROL, 'g')

/** Controls, and the blocks of the scripts that run from right to left with the marks of these. */
const TURNS =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A text of others as people are shown it: without characters that control directions. */
export const withoutDirectionControls = (text: string): string => text.replace(CONTROLS, '')

/** A text with something else in the place of each character that controls directions, made of its code point. */
export const withDirectionControls = (text: string, written: (code: number) => string): string =>
  text.replace(CONTROLS, (control) => written(control.charCodeAt(0)))

/** Whether a text may change the order of what stands beside it, unless it is isolated. */
export const changesDirection = (text: string): boolean => TURNS.test(text)

/** `U+202E`: the first character of a text that controls directions; undefined where there is none. */
export function directionControlIn(text: string): string | undefined {
  const [found] = CONTROL.exec(text) ?? []
  return found === undefined ? undefined : `U+${found.charCodeAt(0).toString(16).toUpperCase()}`
}
