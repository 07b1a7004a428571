import { ListRefusedError } from '../../refusal.js'
import { XML, type XmlAttribute, type XmlElement } from './tree.js'

/** A form of canonical XML without comments. */
export type Canonicalization =
  | { readonly form: 'exclusive'; readonly inclusivePrefixes: readonly string[] }
  | { readonly form: 'inclusive-1.0' | 'inclusive-1.1' }

/** Algorithms of canonical XML without comments, by their URI. */
export const CANONICAL_FORMS: ReadonlyMap<string, Canonicalization['form']> = new Map([
  ['http://www.w3.org/2001/10/xml-exc-c14n#', 'exclusive'],
  ['http://www.w3.org/TR/2001/REC-xml-c14n-20010315', 'inclusive-1.0'],
  ['http://www.w3.org/2006/12/xml-c14n11', 'inclusive-1.1'],
])

/**
 * Writes an element and all that it contains in canonical form, without comments: Canonical XML 1.0 and 1.1, or Exclusive
 * XML Canonicalization 1.0. An element in `without` is left out (the transform `enveloped-signature`). Throws
 * ListRefusedError for `xml:base` above the element, which version 1.1 would have to join.
 */
export function canonicalize(apex: XmlElement, how: Canonicalization, without?: XmlElement): Uint8Array {
  const writer = new Writer(how, without)
  writer.element(apex, new Map(), inheritedAttributes(apex, how))
  return Buffer.from(writer.parts.join(''), 'utf8')
}

/** Canonical XML §2.4: an element in the middle of a document gets the attributes `xml:…` of the elements above it. */
function inheritedAttributes(apex: XmlElement, { form }: Canonicalization): readonly XmlAttribute[] {
  if (form === 'exclusive') return []
  const inherited = new Map<string, XmlAttribute>()
  for (let above = apex.parent; above !== undefined; above = above.parent) {
    for (const attribute of above.attributes) {
      if (attribute.uri === XML && !inherited.has(attribute.local)) inherited.set(attribute.local, attribute)
    }
  }
  for (const { uri, local } of apex.attributes) if (uri === XML) inherited.delete(local)
  if (form === 'inclusive-1.1') {
    // Canonical XML 1.1 §2.4: `xml:id` is not inherited.
    inherited.delete('id')
    if (inherited.has('base')) throw new ListRefusedError('transform', 'The list has xml:base above a signed element.')
  }
  return [...inherited.values()]
}

class Writer {
  readonly parts: string[] = []
  readonly #inclusive: ReadonlySet<string> | undefined

  constructor(
    how: Canonicalization,
    readonly without: XmlElement | undefined,
  ) {
    this.#inclusive = how.form === 'exclusive' ? new Set(how.inclusivePrefixes) : undefined
  }

  /** @param rendered namespaces that an element above has written */
  element(element: XmlElement, rendered: ReadonlyMap<string, string>, inherited: readonly XmlAttribute[] = []): void {
    const { name, attributes, children } = element
    const declared = this.#declarations(element, rendered)
    this.parts.push('<', name)
    for (const [prefix, uri] of declared) {
      this.parts.push(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`, escapedAttribute(uri), '"')
    }
    for (const attribute of sorted([...attributes, ...inherited])) {
      this.parts.push(' ', attribute.name, '="', escapedAttribute(attribute.value), '"')
    }
    this.parts.push('>')
    const below = declared.length === 0 ? rendered : new Map([...rendered, ...declared])
    for (const child of children) {
      if (typeof child === 'string') this.parts.push(escapedText(child))
      else if (child !== this.without) this.element(child, below)
    }
    this.parts.push('</', name, '>')
  }

  #declarations(element: XmlElement, rendered: ReadonlyMap<string, string>): (readonly [string, string])[] {
    const declared: (readonly [string, string])[] = []
    for (const prefix of this.#prefixesOf(element)) {
      const uri = element.scope.get(prefix) ?? ''
      // Without a default namespace, `xmlns=""` is written only to undo one that was written above.
      if ((rendered.get(prefix) ?? '') !== uri) declared.push([prefix, uri])
    }
    return declared.sort(([first], [second]) => compare(first, second))
  }

  /** Exclusive form: prefixes that the element uses itself, and those of the list. Inclusive form: all in scope. */
  #prefixesOf({ prefix, attributes, scope }: XmlElement): Iterable<string> {
    const inclusive = this.#inclusive
    if (inclusive === undefined) return scope.keys()
    const used = new Set([prefix])
    for (const attribute of attributes) if (attribute.prefix !== '') used.add(attribute.prefix)
    for (const listed of inclusive) if (scope.has(listed)) used.add(listed)
    used.delete('xml')
    return used
  }
}

const compare = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0)

const sorted = (attributes: readonly XmlAttribute[]): readonly XmlAttribute[] =>
  attributes.length < 2
    ? attributes
    : [...attributes].sort((one, other) => compare(one.uri, other.uri) || compare(one.local, other.local))

const TEXT = /[&<>\r]/g
const ATTRIBUTE = /[&<"\t\n\r]/g
const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}

const escapedText = (text: string): string => text.replace(TEXT, (character) => ESCAPED[character] ?? character)
const escapedAttribute = (value: string): string =>
  value.replace(ATTRIBUTE, (character) => ESCAPED[character] ?? character)
