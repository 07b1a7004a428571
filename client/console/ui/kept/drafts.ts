import { forgetHanded } from './handed-over.js'

/** The input of a form before the user sends the form. */
interface Draft {
  readonly values: unknown
  /** The data that the form was opened with, such as the version of a type. */
  readonly base: unknown
}

/** More forms than a user begins at the same time. The oldest draft makes room for a new draft. */
const MAX_DRAFTS = 50

/**
 * The drafts by the keys of their forms. They are in memory alone, because forms hold claims: no storage, address or history of
 * the browser ever contains them.
 */
const drafts = new Map<string, Draft>()

/** How many forms with a key are on the screen. */
const shown = new Map<string, number>()

/** The forms on the screen that show a draft. Work of an earlier visit may still change the draft. */
const followers = new Map<string, Set<(values: unknown) => void>>()

export const draftOf = (key: string): Draft | undefined => drafts.get(key)

/** Keeps a draft until the form is sent, the user signs out, or the window closes. */
export function keepDraft(key: string, draft: Draft): void {
  drafts.delete(key)
  drafts.set(key, draft)
  const [oldest] = drafts.keys()
  if (drafts.size > MAX_DRAFTS && oldest !== undefined) drafts.delete(oldest)
  for (const follower of followers.get(key) ?? []) follower(draft.values)
}

/** Calls a listener with each change of a draft. @returns a function that removes the listener */
export function followDraft(key: string, listener: (values: unknown) => void): () => void {
  const all = followers.get(key) ?? new Set()
  followers.set(key, all.add(listener))
  return () => {
    all.delete(listener)
    if (all.size === 0 && followers.get(key) === all) followers.delete(key)
  }
}

export const forgetDraft = (key: string): void => void drafts.delete(key)

/** Forgets what every form was filled with. For the end of a user's session. */
export function forgetDrafts(): void {
  drafts.clear()
  forgetHanded()
}

/** Notes that a form is on the screen. @returns a function that notes the form's removal */
export function showForm(key: string): () => void {
  shown.set(key, (shown.get(key) ?? 0) + 1)
  return () => {
    const left = (shown.get(key) ?? 1) - 1
    if (left === 0) shown.delete(key)
    else shown.set(key, left)
  }
}

/** Whether a user has begun to fill in any form, on this screen or on an earlier screen. */
export const hasDrafts = (): boolean => drafts.size > 0

/** Whether a user has begun to fill in a form on this screen. */
export const hasDraftHere = (): boolean => [...shown.keys()].some((key) => drafts.has(key))

/** The content of a form's values: an empty text or list, and a missing value, are no content. */
function contentOf(values: unknown): unknown {
  if (Array.isArray(values)) {
    const members = values.map((member) => contentOf(member) ?? null)
    return members.every((member) => member === null) ? undefined : members
  }
  if (typeof values === 'object' && values !== null) {
    const members = Object.entries(values).flatMap(([name, value]) => {
      const content = contentOf(value)
      return content === undefined ? [] : [[name, content] as const]
    })
    return members.length === 0
      ? undefined
      : Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
  }
  return values === '' || values === null ? undefined : values
}

/** Whether two sets of values show the same form to a user. */
export const hasSameContent = (one: unknown, other: unknown): boolean =>
  JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other))
