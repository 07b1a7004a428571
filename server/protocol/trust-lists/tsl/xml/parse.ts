import { SaxesParser, type SaxesTagNS } from 'saxes'
import { MAX_NESTING } from '../../limits.js'
import { tooDeep } from '../../nesting.js'
import { ListRefusedError } from '../../refusal.js'
import type { XmlElement } from './tree.js'

const XMLNS = 'http://www.w3.org/2000/xmlns/'
const MAX_ELEMENTS = 1_000_000
const MAX_ATTRIBUTES = 64

/** The namespace `xml` needs no declaration (Namespaces in XML §3). It is never written. */
const NO_NAMESPACES: ReadonlyMap<string, string> = new Map()

/**
 * Parses XML without a document type. Document types, processing instructions, other encodings than UTF-8 and entities
 * that XML does not define are refused, so that nothing can change the text behind the reader's back. Throws
 * ListRefusedError.
 */
export function parseXml(bytes: Uint8Array): XmlElement {
  const tree = new Tree()
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('error', (cause) => {
    throw notXml(cause)
  })
  parser.on('doctype', () => {
    throw new ListRefusedError('doctype', 'The list has a document type (DOCTYPE), which is not allowed.')
  })
  parser.on('processinginstruction', () => {
    throw new ListRefusedError('malformed', 'The list is malformed: it has a processing instruction.')
  })
  parser.on('xmldecl', ({ encoding = 'utf-8', version }) => {
    if (encoding.toLowerCase() === 'utf-8' && (version === undefined || version === '1.0')) return
    throw new ListRefusedError('malformed', 'The list is malformed: it is not XML 1.0 in UTF-8.')
  })
  parser.on('opentag', (tag) => tree.open(tag))
  parser.on('closetag', () => tree.close())
  parser.on('text', (text) => tree.text(text))
  parser.on('cdata', (text) => tree.text(text))
  parser.write(decode(bytes)).close()
  if (tree.root === undefined) throw notXml()
  return tree.root
}

const notXml = (cause?: unknown) => new ListRefusedError('malformed', 'The list is no well-formed XML.', { cause })

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ListRefusedError('malformed', 'The list is malformed: it is not XML 1.0 in UTF-8.', { cause })
  }
}

class Tree {
  root: XmlElement | undefined
  readonly #open: XmlElement[] = []
  #count = 0

  open({ name, prefix, local, uri, attributes, ns }: SaxesTagNS): void {
    const parent = this.#open.at(-1)
    this.#count += 1
    if (this.#open.length >= MAX_NESTING) throw tooDeep()
    if (this.#count > MAX_ELEMENTS) {
      throw new ListRefusedError('too-large', `The list has more than ${MAX_ELEMENTS} elements.`)
    }
    const listed = Object.values(attributes)
    if (listed.length > MAX_ATTRIBUTES) {
      throw new ListRefusedError('too-large', `An element of the list has more than ${MAX_ATTRIBUTES} attributes.`)
    }
    const inherited = parent?.scope ?? NO_NAMESPACES
    const declared = Object.entries(ns).filter(([declaredPrefix]) => declaredPrefix !== 'xml')
    const element: XmlElement = {
      name,
      prefix,
      local,
      uri,
      attributes: listed.filter((attribute) => attribute.uri !== XMLNS),
      scope: declared.length === 0 ? inherited : new Map([...inherited, ...declared]),
      parent,
      children: [],
    }
    if (parent === undefined) this.root = element
    else parent.children.push(element)
    this.#open.push(element)
  }

  close(): void {
    this.#open.pop()
  }

  text(text: string): void {
    // White space around the root element is no content.
    this.#open.at(-1)?.children.push(text)
  }
}
