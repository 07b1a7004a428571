import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { readDataImage } from '../../protocol/openid4vci/data-image.js'
import { cssFault } from './css-fault.js'
import type { Dimensions } from './dimensions.js'
import { ImageFault } from './image-fault.js'
import { isJpeg, readJpeg } from './jpeg.js'
import { isPng, readPng } from './png.js'
import { ATTRIBUTES, ELEMENTS, isInert, SVG, XLINK, XLINK_ATTRIBUTES, XML, XML_ATTRIBUTES, XMLNS } from './svg-names.js'
import { sizeOf } from './svg-size.js'
import { assertDrawable, type Drawn } from './svg-uses.js'

/** Limits of an SVG. Programs that show it recurse over its elements. */
const [MAX_DEPTH, MAX_ELEMENTS, MAX_ATTRIBUTES] = [64, 10_000, 100]

/** Pictures inside an SVG. */
const MAX_PICTURES = 8

/** The longest part of a text from the SVG in a message. */
const MAX_SHOWN = 60

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** The text of an SVG. Other encodings are refused, because programs guess them differently. @throws ImageFault */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ImageFault('must be written in UTF-8')
  }
}

/** Refuses elements that are not part of a static drawing. @throws ImageFault */
function assertElement({ uri, local, name }: SaxesTagNS): void {
  if (isInert(uri)) return
  if (local.toLowerCase() === 'script') throw new ImageFault('must not have a script (<script>)')
  if (local.toLowerCase() === 'foreignobject')
    throw new ImageFault('must not have content of another kind (<foreignObject>)')
  if (uri !== SVG || !ELEMENTS.has(local)) throw new ImageFault(`must not have the element <${shortened(name)}>`)
}

const isAllowed = ({ uri, prefix, local }: SaxesAttributeNS): boolean => {
  if (uri === XMLNS || isInert(uri)) return true
  if (uri === XLINK) return XLINK_ATTRIBUTES.has(local)
  if (uri === XML) return XML_ATTRIBUTES.has(local)
  return uri === '' && prefix === '' && (ATTRIBUTES.has(local) || /^(?:data|aria)-[\w.-]+$/.test(local))
}

const isReference = ({ uri, local }: SaxesAttributeNS): boolean => (uri === '' || uri === XLINK) && local === 'href'

/** The parts of an SVG that one reading has found so far. */
class Reading {
  readonly byId = new Map<string, Drawn>()
  readonly pictures: Uint8Array[] = []
  readonly #path: Drawn[] = []
  root: Drawn | undefined
  size: Dimensions | undefined
  #count = 0
  #style: string | undefined

  opened(tag: SaxesTagNS): void {
    assertElement(tag)
    if (this.root === undefined && (tag.uri !== SVG || tag.local !== 'svg'))
      throw new ImageFault('must have the root element <svg> of the SVG namespace')
    this.#count += 1
    if (this.#count > MAX_ELEMENTS) throw new ImageFault(`must not have more than ${MAX_ELEMENTS} elements`)
    if (this.#path.length >= MAX_DEPTH) throw new ImageFault(`must not be nested deeper than ${MAX_DEPTH} elements`)
    const attributes = Object.values(tag.attributes)
    if (attributes.length > MAX_ATTRIBUTES)
      throw new ImageFault(`must not have an element with more than ${MAX_ATTRIBUTES} attributes`)
    for (const attribute of attributes) this.#attribute(tag, attribute)
    const attributeOf = (local: string) => attributes.find((each) => each.uri === '' && each.local === local)?.value
    this.size ??= sizeOf({
      width: attributeOf('width'),
      height: attributeOf('height'),
      viewBox: attributeOf('viewBox'),
    })
    const href = tag.local === 'use' ? attributes.find(isReference)?.value : undefined
    const drawn: Drawn = { children: [], uses: href?.trim().slice(1) }
    this.root ??= drawn
    this.#path.at(-1)?.children.push(drawn)
    this.#path.push(drawn)
    const id = attributeOf('id')
    // Browsers use the first element with an id.
    if (id !== undefined && !this.byId.has(id)) this.byId.set(id, drawn)
    if (this.#style !== undefined) throw new ImageFault('must not have an element inside <style>')
    if (tag.uri === SVG && tag.local === 'style') this.#style = ''
  }

  text(text: string): void {
    if (this.#style !== undefined) this.#style += text
  }

  closed(): void {
    this.#path.pop()
    if (this.#style === undefined) return
    const fault = cssFault(this.#style)
    if (fault !== undefined) throw new ImageFault(fault)
    this.#style = undefined
  }

  #attribute(tag: SaxesTagNS, attribute: SaxesAttributeNS): void {
    const { local, name, value } = attribute
    if (/^on/i.test(local)) throw new ImageFault(`must not have the event attribute ${shortened(name)}`)
    if (isReference(attribute)) {
      this.#reference(tag, name, value.trim())
      return
    }
    if (!isAllowed(attribute)) throw new ImageFault(`must not have the attribute ${shortened(name)}`)
    const fault = isInert(attribute.uri) ? undefined : cssFault(value)
    if (fault !== undefined) throw new ImageFault(fault)
  }

  /** A reference leads to an element of the same SVG, or is the data of a PNG or JPEG in an `<image>`. */
  #reference({ local }: SaxesTagNS, name: string, value: string): void {
    if (value.startsWith('#')) return
    const picture = local === 'image' || local === 'feImage' ? readDataImage(value) : undefined
    if (picture === undefined || !(isPng(picture.bytes) || isJpeg(picture.bytes)))
      throw new ImageFault(`must not refer to another place (${name}="${shortened(value)}" of <${local}>)`)
    this.pictures.push(picture.bytes)
    if (this.pictures.length > MAX_PICTURES) throw new ImageFault(`must not contain more than ${MAX_PICTURES} pictures`)
  }
}

/** Refuses declarations of a document type. An entity can expand to any size. @throws ImageFault */
function refuseDoctype(doctype: string): never {
  throw new ImageFault(
    /<!ENTITY/.test(doctype)
      ? 'must not define entities (<!ENTITY>)'
      : 'must not have a document type: remove the line <!DOCTYPE …>',
  )
}

/** Parses the XML strictly. @throws ImageFault */
function parsed(text: string): Reading {
  const reading = new Reading()
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('xmldecl', ({ encoding, version }) => {
    if (version !== undefined && version !== '1.0') throw new ImageFault('must be written in XML 1.0')
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') throw new ImageFault('must be written in UTF-8')
  })
  parser.on('doctype', refuseDoctype)
  parser.on('processinginstruction', ({ target }) => {
    throw new ImageFault(`must not have a processing instruction (<?${shortened(target)}?>)`)
  })
  parser.on('opentag', (tag) => reading.opened(tag))
  parser.on('text', (content) => reading.text(content))
  parser.on('cdata', (content) => reading.text(content))
  parser.on('closetag', () => reading.closed())
  parser.on('error', ({ message }) => {
    throw new ImageFault(`is not well-formed XML: ${shortened(message)}`)
  })
  parser.write(text).close()
  return reading
}

/**
 * Checks an SVG as a static drawing. It contains no script, no animation, and no reference to another place, neither in elements nor in
 * styles (SVG 2 §2.7, "secure static mode"). Elements and attributes that are not known to be harmless are refused.
 *
 * @throws ImageFault naming the fault
 */
export async function readSvg(bytes: Uint8Array): Promise<Dimensions> {
  const { root, byId, pictures, size } = parsed(textOf(bytes))
  if (root === undefined || size === undefined) throw new ImageFault('is not an image: it has no <svg> element')
  assertDrawable(root, byId)
  for (const picture of pictures) await (isPng(picture) ? readPng(picture) : readJpeg(picture))
  return size
}
