import { shortened } from './short-id.js'

/** A DID within a sentence. Most DIDs are longer than a line. */
const DID = /\bdid:[a-z]+:[\w.%:-]{24,}/g

/**
 * Shows a sentence of the service. The sentence is English, whatever the console's language is. Long ids in it are
 * shortened.
 */
export function Sentence({ children }: { readonly children: string }) {
  const parts: (string | { readonly did: string; readonly at: number })[] = []
  let end = 0
  for (const { 0: did, index } of children.matchAll(DID)) {
    parts.push(children.slice(end, index), { did, at: index })
    end = index + did.length
  }
  return (
    <span lang="en" className="sentence">
      {parts.map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <code key={part.at} title={part.did}>
            {shortened(part.did)}
          </code>
        ),
      )}
      {children.slice(end)}
    </span>
  )
}
