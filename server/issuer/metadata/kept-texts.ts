import type { MetadataStore } from './store.js'

/** Metadata of the issuer, as JSON and as a JWT, and of its authorization server. */
export type MetadataForm = 'issuer' | 'signed issuer' | 'authorization server'

/** Returns the current text of a form. If the state has changed since the last call, `make` makes a new text. */
export type MetadataTexts = (form: MetadataForm, make: (now: Date) => Promise<string>) => Promise<string>

/** The lifetime of a text. A limited lifetime keeps the `iat` of the signed form recent. */
const KEPT_MS = 3_600_000

interface Kept {
  readonly state: string
  readonly madeAt: number
  readonly text: Promise<string>
}

/**
 * Keeps one text of each form. Every request reads the state that the text depends on. So a change by any process appears in
 * the next answer of every process.
 */
export function createMetadataTexts(store: Pick<MetadataStore, 'state'>, clock: () => Date): MetadataTexts {
  const kept = new Map<MetadataForm, Kept>()
  return async (form, make) => {
    const now = clock()
    const state = await store.state(now)
    const known = kept.get(form)
    if (known?.state === state && Math.abs(now.getTime() - known.madeAt) < KEPT_MS) return known.text
    const text = make(now)
    kept.set(form, { state, madeAt: now.getTime(), text })
    text.catch(() => {
      if (kept.get(form)?.text === text) kept.delete(form)
    })
    return text
  }
}
