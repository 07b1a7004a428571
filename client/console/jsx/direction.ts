/**
 * What the service has in `protocol/text-direction.ts`, with the reasons; the console has no code of the service. A test holds both
 * against each other.
 */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g
const TURNS =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A text of others as people are shown it: without characters that control directions. */
export const withoutDirectionControls = (text: string): string => text.replace(CONTROLS, '')

/** Whether a text may change the order of what stands beside it, unless it is isolated. */
export const changesDirection = (text: string): boolean => TURNS.test(text)
