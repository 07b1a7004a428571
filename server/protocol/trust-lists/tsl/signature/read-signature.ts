import { ListRefusedError, malformed } from '../../refusal.js'
import { CANONICAL_FORMS, type Canonicalization } from '../xml/canonical.js'
import { allElements, attributeOf, childOf, childrenOf, elementsOf, textOf, type XmlElement } from '../xml/tree.js'
import { DS, ENVELOPED, EXCLUSIVE } from './names.js'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const WHITE_SPACE = /\s+/g
/** The document, the signed properties, and the key information. */
const MAX_REFERENCES = 3

/** One reference of a signature, whose transforms are all allowed (XML Signature 1.1 §4.4.3). */
export interface Reference {
  readonly uri: string
  readonly type: string | undefined
  readonly isEnveloped: boolean
  readonly canonicalization: Canonicalization
  readonly digestMethod: string | undefined
  readonly digest: Uint8Array
}

/** The parts of a signature that decide. Nothing is verified yet. */
export interface XmlSignature {
  readonly element: XmlElement
  readonly signedInfo: XmlElement
  readonly canonicalization: Canonicalization
  readonly method: string | undefined
  readonly value: Uint8Array
  readonly references: readonly Reference[]
  readonly keyInfo: XmlElement | undefined
}

/**
 * Reads the only signature of a document: a child of the root (TS 119 612 §5.7.1: enveloped). A second signature anywhere is
 * refused, and so are two elements with one Id. Throws ListRefusedError.
 */
export function readSignature(root: XmlElement): XmlSignature {
  const signatures = [...allElements(root)].filter(({ uri, local }) => uri === DS && local === 'Signature')
  const [element, ...others] = signatures
  if (element === undefined) throw new ListRefusedError('unsigned', 'The list is not signed.')
  if (others.length > 0)
    throw new ListRefusedError('several-signatures', 'The list has several signatures, and one is expected.')
  if (element.parent !== root) {
    throw new ListRefusedError('reference', 'The list has its signature inside another element than the root.')
  }
  requireUniqueIds(root)
  const signedInfo = requiredChild(element, 'SignedInfo')
  const method = requiredChild(signedInfo, 'SignatureMethod')
  return {
    element,
    signedInfo,
    canonicalization: canonicalizationOf(requiredChild(signedInfo, 'CanonicalizationMethod')),
    method: attributeOf(method, 'Algorithm'),
    value: octetsOf(requiredChild(element, 'SignatureValue')),
    references: referencesOf(signedInfo),
    keyInfo: childOf(element, DS, 'KeyInfo', 'malformed'),
  }
}

const ID = /^id$/i

/** A second element with the Id of a signed element could be read in its place. */
function requireUniqueIds(root: XmlElement): void {
  const ids = new Set<string>()
  for (const { attributes } of allElements(root)) {
    for (const { local, value } of attributes) {
      if (!ID.test(local)) continue
      if (ids.has(value)) throw new ListRefusedError('duplicate-id', 'The list has two elements with one Id.')
      ids.add(value)
    }
  }
}

function requiredChild(element: XmlElement, local: string): XmlElement {
  const child = childOf(element, DS, local, 'malformed')
  if (child === undefined) throw malformed(`ds:${element.local}`, `has no ${local}`)
  return child
}

export function octetsOf(element: XmlElement): Uint8Array {
  const text = textOf(element)?.replace(WHITE_SPACE, '')
  if (text === undefined || !BASE64.test(text)) throw malformed(element.name, 'must be base64')
  return Buffer.from(text, 'base64')
}

function referencesOf(signedInfo: XmlElement): readonly Reference[] {
  const references = childrenOf(signedInfo, DS, 'Reference')
  if (references.length > MAX_REFERENCES) {
    throw new ListRefusedError('reference', `The signature has more than ${MAX_REFERENCES} references.`)
  }
  return references.map(readReference)
}

function readReference(reference: XmlElement): Reference {
  const uri = attributeOf(reference, 'URI')
  if (uri === undefined) throw new ListRefusedError('reference', 'The signature has a reference without a URI.')
  if (uri !== '' && !uri.startsWith('#')) {
    throw new ListRefusedError('external-reference', 'The signature has a reference to another document.')
  }
  const transforms = childOf(reference, DS, 'Transforms', 'transform')
  return {
    uri,
    type: attributeOf(reference, 'Type'),
    ...transformsOf(transforms === undefined ? [] : elementsOf(transforms)),
    digestMethod: attributeOf(requiredChild(reference, 'DigestMethod'), 'Algorithm'),
    digest: octetsOf(requiredChild(reference, 'DigestValue')),
  }
}

/** At most the transform `enveloped-signature`, and then at most one form of canonical XML. */
function transformsOf(transforms: readonly XmlElement[]): Pick<Reference, 'isEnveloped' | 'canonicalization'> {
  const [first] = transforms
  const isEnveloped = first !== undefined && isTransform(first) && attributeOf(first, 'Algorithm') === ENVELOPED
  const [canonical, ...others] = isEnveloped ? transforms.slice(1) : transforms
  if (others.length > 0 || (canonical !== undefined && !isTransform(canonical))) throw forbidden()
  // XML Signature 1.1 §4.4.3.2: without a canonical form, the first version of Canonical XML is used.
  return {
    isEnveloped,
    canonicalization: canonical === undefined ? { form: 'inclusive-1.0' } : canonicalizationOf(canonical),
  }
}

const isTransform = ({ uri, local }: XmlElement): boolean => uri === DS && local === 'Transform'

const forbidden = () =>
  new ListRefusedError(
    'transform',
    'The signature has a transform other than enveloped-signature and canonical XML without comments.',
  )

/** The method of canonical XML of an element. Throws ListRefusedError `transform`. */
function canonicalizationOf(element: XmlElement): Canonicalization {
  const form = CANONICAL_FORMS.get(attributeOf(element, 'Algorithm') ?? '')
  if (form === undefined) throw forbidden()
  const [parameters, ...others] = elementsOf(element)
  if (parameters === undefined) return form === 'exclusive' ? { form, inclusivePrefixes: [] } : { form }
  const isPrefixList = parameters.uri === EXCLUSIVE && parameters.local === 'InclusiveNamespaces'
  if (form !== 'exclusive' || !isPrefixList || others.length > 0) throw forbidden()
  const list = attributeOf(parameters, 'PrefixList') ?? ''
  const inclusivePrefixes = list.split(/\s+/).filter((prefix) => prefix !== '')
  return { form, inclusivePrefixes: inclusivePrefixes.map((prefix) => (prefix === '#default' ? '' : prefix)) }
}
