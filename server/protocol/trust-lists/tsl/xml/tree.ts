import type { ListCheck } from '../../read-list.js'
import { ListRefusedError } from '../../refusal.js'

export const XML = 'http://www.w3.org/XML/1998/namespace'

/** An attribute that is no declaration of a namespace. */
export interface XmlAttribute {
  /** With its prefix. */
  readonly name: string
  readonly prefix: string
  readonly local: string
  readonly uri: string
  readonly value: string
}

/** An element. Comments are left out, and texts around them are joined, as canonical XML without comments does. */
export interface XmlElement {
  readonly name: string
  readonly prefix: string
  readonly local: string
  readonly uri: string
  readonly attributes: readonly XmlAttribute[]
  /** Namespaces in scope by prefix. The default namespace has the prefix ''. */
  readonly scope: ReadonlyMap<string, string>
  readonly parent: XmlElement | undefined
  readonly children: (XmlElement | string)[]
}

/** The value of an attribute without a prefix. */
export const attributeOf = ({ attributes }: XmlElement, name: string): string | undefined =>
  attributes.find(({ prefix, local }) => prefix === '' && local === name)?.value

/** The value of `xml:lang` on the element itself. */
export const languageOf = ({ attributes }: XmlElement): string | undefined =>
  attributes.find(({ uri, local }) => uri === XML && local === 'lang')?.value

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string')

/** The text of an element that has no elements. Undefined if it has some. */
export function textOf({ children }: XmlElement): string | undefined {
  return children.every((child) => typeof child === 'string') ? children.join('').trim() : undefined
}

/** The child elements with a name. */
export const childrenOf = (element: XmlElement, uri: string, local: string): XmlElement[] =>
  elementsOf(element).filter((child) => child.local === local && child.uri === uri)

/** The only child element with a name; undefined if there is none. A second one is refused with `check`. */
export function childOf(element: XmlElement, uri: string, local: string, check: ListCheck): XmlElement | undefined {
  const [child, ...others] = childrenOf(element, uri, local)
  if (others.length > 0)
    throw new ListRefusedError(check, `The list has several elements ${local} in ${element.local}.`)
  return child
}

/** All elements, from the root, in the order of the document. */
export function* allElements(root: XmlElement): Generator<XmlElement> {
  const open = [root]
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    yield element
    open.push(...elementsOf(element).reverse())
  }
}
