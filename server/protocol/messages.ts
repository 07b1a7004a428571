const MAX_MESSAGES = 20
const MAX_MESSAGE_LENGTH = 1_000
const MAX_NAME_LENGTH = 100

/** Cuts a text that is longer than `max` characters. An ellipsis replaces the rest. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  // A surrogate pair is not split.
  return `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The name of a member for an error message. The name is shortened, because the caller of the API chose it. */
export const shownName = (name: PropertyKey): string => shortened(String(name), MAX_NAME_LENGTH)

/**
 * The first 20 different messages. If there are more, the last message gives the number of the remaining messages: `and
 * 312 more`. Each message is at most 1,000 characters long.
 */
export function limited(messages: Iterable<string>): string[] {
  const shown = new Set<string>()
  let others = 0
  for (const message of messages) {
    if (shown.size < MAX_MESSAGES) shown.add(shortened(message, MAX_MESSAGE_LENGTH))
    else if (!shown.has(message)) others += 1
  }
  return others === 0 ? [...shown] : [...shown, `and ${others} more`]
}
