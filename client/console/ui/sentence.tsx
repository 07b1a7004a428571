import { shortened } from './short-id.js'

/** A DID within a sentence: most are longer than the line. */
const DID = /\bdid:[a-z]+:[\w.%:-]{24,}/g

/** A sentence of the service. It is English in every language, and its long ids are shortened. */
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
