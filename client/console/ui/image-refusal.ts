import type { FaceTexts } from '../texts/faces/texts.js'

type Words = FaceTexts['refusals']

/** The largest image that the service takes, in bytes. The check here saves the upload of a larger file. */
export const MAX_IMAGE_BYTES = 256 * 1024

/** Why a file cannot be an image, before its upload; undefined if its size is possible. */
export function sizeFault({ size }: File, { empty, large }: Words): string | undefined {
  if (size === 0) return empty
  return size > MAX_IMAGE_BYTES ? large : undefined
}

/** The service's sentences about a refused image, in the reader's words. The first pattern that fits counts. */
const SENTENCES: readonly (readonly [RegExp, (words: Words, part: string) => string])[] = [
  [/^must not be empty/, ({ empty }) => empty],
  [/more than 256 KiB/, ({ large }) => large],
  [/must be a PNG, JPEG or SVG, and is an? (.+)$/, ({ otherKind }, kind) => otherKind(kind)],
  [/is not an image|must have the root element/, ({ noImage }) => noImage],
  [/must not have a script/, ({ script }) => script],
  [/<foreignObject>/, ({ foreign }) => foreign],
  [/the event attribute (\S+)/, ({ event }, attribute) => event(attribute)],
  [/must not refer to another place|the rule @import|the attribute xml:base/, ({ outside }) => outside],
  [/must not have the (?:element|attribute|rule|function) (\S+)/, ({ notAllowed }, part) => notAllowed(part)],
  [/must not have a processing instruction \((.+)\)$/, ({ notAllowed }, part) => notAllowed(part)],
  [/document type|define entities/, ({ document }) => document],
  [/well-formed XML|written in (?:UTF-8|XML)/, ({ xml }) => xml],
  [
    /nested deeper|elements? with <use>|<use> elements|more than \d+ (?:elements|pictures)|attributes$/,
    ({ complex }) => complex,
  ],
  [/width and height, or a viewBox/, ({ unsized }) => unsized],
  [/pixels wide and high/, ({ pixels }) => pixels],
  [/damaged|bytes after the end|critical chunk|browsers do not show/, ({ damaged }) => damaged],
]

/**
 * Why the service refused an image, in the reader's words.
 *
 * @param sentence the service's sentence, such as `image must not have a script (<script>)`
 */
export function imageRefusal(sentence: string, words: Words): string {
  const fault = sentence.replace(/^(?:image|data) /, '')
  if (/^You have \d+ images/.test(sentence)) return words.tooMany
  for (const [pattern, said] of SENTENCES) {
    const found = pattern.exec(fault)
    if (found !== null) return said(words, found[1] ?? '')
  }
  return words.other(sentence)
}
