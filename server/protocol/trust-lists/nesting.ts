import { MAX_NESTING } from './limits.js'
import { ListRefusedError } from './refusal.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])

/** Refuses JSON that is nested too deep, before it is parsed. Throws ListRefusedError. */
export function requireFlatJson(json: Uint8Array): void {
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const octet = json[at] ?? 0
    if (octet === QUOTE) at = endOfText(json, at)
    else if (OPEN.has(octet)) depth += 1
    else if (CLOSE.has(octet)) depth -= 1
    if (depth > MAX_NESTING) throw tooDeep()
  }
}

export const tooDeep = () =>
  new ListRefusedError('nested-too-deep', `The list is nested deeper than ${MAX_NESTING} levels.`)

/** The position of the quotation mark that ends the text. Jumps from mark to mark, which is fast for long texts. */
function endOfText(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return json.length
}
