import type { ListCheck } from '../../../server/protocol/trust-lists/read-list.js'
import type { Issue } from './national-list.js'

export type SignerName = 'rsa' | 'rsa-small' | 'p256' | 'p384' | 'p521' | 'stranger' | 'leaf'

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** How SD-DSS signs a list in XML: members of a request to SdDss.java. */
export interface HowXml {
  readonly by?: SignerName
  readonly digest?: string
  readonly pss?: boolean
  readonly certificateDigest?: string
  /** Milliseconds from now. */
  readonly signedAt?: number
  readonly signKeyInfo?: boolean
  readonly prettyPrint?: boolean
  readonly canonical?: string
  readonly packaging?: 'ENVELOPED' | 'ENVELOPING' | 'DETACHED'
  readonly reference?: string
  readonly transforms?: readonly string[]
  readonly issue?: Issue
  /** The chain has the certificate of the authority too. */
  readonly withAuthority?: boolean
}

export const XML_DEFAULTS = {
  digest: 'SHA256',
  pss: false,
  certificateDigest: 'SHA512',
  signedAt: -60_000,
  signKeyInfo: false,
  prettyPrint: false,
  canonical: EXCLUSIVE,
  packaging: 'ENVELOPED',
  reference: '',
  transforms: ['enveloped', 'canonical'],
} as const

/** Lists that must be read. */
export const ACCEPTED_XML: Readonly<Record<string, HowXml>> = {
  'RSA and SHA-256, version 5': { issue: { version: 5 } },
  'RSA and SHA-256, version 6': {},
  'RSA and SHA-512': { digest: 'SHA512' },
  'RSASSA-PSS and SHA-256': { pss: true },
  'ECDSA with P-256': { by: 'p256' },
  'ECDSA with P-384': { by: 'p384', digest: 'SHA384' },
  'ECDSA with P-521': { by: 'p521', digest: 'SHA512' },
  'a signer that the signed properties name by SHA-1': { certificateDigest: 'SHA1', issue: { version: 5 } },
  'signed key information': { by: 'p256', signKeyInfo: true },
  'a signature with line breaks': { by: 'p256', prettyPrint: true },
  'Canonical XML 1.0': { by: 'p256', canonical: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' },
  'Canonical XML 1.1': { by: 'p256', canonical: 'http://www.w3.org/2006/12/xml-c14n11' },
  'a reference by Id': { by: 'p256', reference: '#list' },
  'a signer below a pinned authority': { by: 'leaf', withAuthority: true },
}

/** A wrong list: how it is made, and how it must be refused. */
export interface Wrong extends HowXml {
  readonly check: ListCheck
  /** The sentence, or its beginning. */
  readonly sentence: string
  /** A change after the signature, by name. */
  readonly change?:
    | 'provider-added'
    | 'status-changed'
    | 'wrapped'
    | 'wrapped-with-id'
    | 'second-signature'
    | 'unsigned'
    | 'doctype'
}

const TRANSFORM = 'The signature has a transform other than enveloped-signature and canonical XML without comments.'
const HASH = 'The list is signed with a hash algorithm that is not allowed.'
const UNFIT = 'The signature of the list does not fit its content and its signer.'
const ELSEWHERE = 'The signature has a reference to something else than the whole list and its own properties.'

const DAY = 86_400_000

export const WRONG_XML: Readonly<Record<string, Wrong>> = {
  'the signature of another signer': {
    by: 'stranger',
    check: 'signer',
    sentence: 'The list is signed by a certificate that is not pinned (SHA-256 ',
  },
  'a provider that was added after signing': { change: 'provider-added', check: 'signature', sentence: UNFIT },
  'a state that was changed after signing': { change: 'status-changed', check: 'signature', sentence: UNFIT },
  'no signature': { change: 'unsigned', check: 'unsigned', sentence: 'The list is not signed.' },
  'a document type': {
    change: 'doctype',
    check: 'doctype',
    sentence: 'The list has a document type (DOCTYPE), which is not allowed.',
  },
  'the signed list wrapped in another list': {
    change: 'wrapped',
    reference: '#list',
    check: 'reference',
    sentence: ELSEWHERE,
  },
  'the signed list wrapped in another list of the same Id': {
    change: 'wrapped-with-id',
    reference: '#list',
    check: 'duplicate-id',
    sentence: 'The list has two elements with one Id.',
  },
  'two signatures': {
    change: 'second-signature',
    check: 'several-signatures',
    sentence: 'The list has several signatures, and one is expected.',
  },
  'the list inside its signature': {
    packaging: 'ENVELOPING',
    check: 'reference',
    sentence: 'The list has its signature inside another element than the root.',
  },
  'a detached signature': {
    packaging: 'DETACHED',
    check: 'reference',
    sentence: 'The list has its signature inside another element than the root.',
  },
  'a reference to another document': {
    reference: 'https://lists.example/other.xml',
    transforms: ['canonical'],
    check: 'external-reference',
    sentence: 'The signature has a reference to another document.',
  },
  'an XPath transform that leaves out the providers': {
    transforms: ['enveloped', 'xpath', 'canonical'],
    check: 'transform',
    sentence: TRANSFORM,
  },
  'an XPath transform after canonical XML': {
    transforms: ['enveloped', 'canonical', 'xpath'],
    check: 'transform',
    sentence: TRANSFORM,
  },
  'an XPath filter 2 in place of enveloped-signature': {
    transforms: ['xpath-filter-2', 'canonical'],
    check: 'transform',
    sentence: TRANSFORM,
  },
  'an XSLT transform': { transforms: ['enveloped', 'xslt', 'canonical'], check: 'transform', sentence: TRANSFORM },
  'canonical XML with comments': { canonical: `${EXCLUSIVE}WithComments`, check: 'transform', sentence: TRANSFORM },
  'SHA-1': { digest: 'SHA1', check: 'algorithm', sentence: HASH },
  'a signer below a pinned authority that is named by SHA-1': {
    by: 'leaf',
    withAuthority: true,
    certificateDigest: 'SHA1',
    check: 'algorithm',
    sentence:
      'The signed properties name the signer’s certificate by SHA-1, so this certificate itself must be pinned.',
  },
  'an RSA key of 1024 bits': {
    by: 'rsa-small',
    check: 'algorithm',
    sentence: 'The signature algorithm of the list does not fit the signer.',
  },
  'a signing time in the future': {
    signedAt: 2 * DAY,
    check: 'signed-properties',
    sentence: 'The list has a signing time in the future, or none that can be read.',
  },
  'an end in the past': {
    issue: { sequence: 6, issued: -2 * DAY, nextUpdate: -DAY },
    check: 'out-of-date',
    sentence: 'The list is out of date since ',
  },
  'a time of issue in the future': {
    issue: { sequence: 6, issued: DAY },
    check: 'not-yet-issued',
    sentence: 'The list is issued in the future, at ',
  },
  'an older number': {
    issue: { sequence: 4 },
    check: 'sequence-went-back',
    sentence: 'The list has sequence number 4, but 5 was read before.',
  },
  'the same number and an older time of issue': {
    issue: { issued: -DAY },
    check: 'sequence-went-back',
    sentence: 'The list is of ',
  },
}

/** How SD-DSS signs a list in JSON (JAdES). */
export interface HowJson {
  readonly by?: SignerName
  readonly digest?: string
  readonly pss?: boolean
  readonly serialization?: 'COMPACT_SERIALIZATION' | 'JSON_SERIALIZATION' | 'FLATTENED_JSON_SERIALIZATION'
  readonly packaging?: 'ENVELOPING' | 'DETACHED'
  readonly signedAt?: number
  readonly issue?: Issue
}

export const JSON_DEFAULTS = {
  digest: 'SHA256',
  pss: false,
  serialization: 'COMPACT_SERIALIZATION',
  packaging: 'ENVELOPING',
  signedAt: -60_000,
} as const

export const ACCEPTED_JSON: Readonly<Record<string, HowJson>> = {
  ES256: { by: 'p256' },
  ES384: { by: 'p384', digest: 'SHA384' },
  RS256: { by: 'rsa' },
  PS256: { by: 'rsa', pss: true },
  'JSON serialization': { by: 'p256', serialization: 'JSON_SERIALIZATION' },
  'flattened JSON serialization': { by: 'p256', serialization: 'FLATTENED_JSON_SERIALIZATION' },
}

export interface WrongJson extends HowJson {
  readonly check: ListCheck
  readonly sentence: string
  readonly change?: 'payload-changed' | 'signature-removed'
}

export const WRONG_JSON: Readonly<Record<string, WrongJson>> = {
  'the signature of another signer': {
    by: 'stranger',
    check: 'signer',
    sentence: 'The list is signed by a certificate that is not pinned (SHA-256 ',
  },
  'a payload that was changed after signing': { change: 'payload-changed', check: 'signature', sentence: UNFIT },
  'no signature': { change: 'signature-removed', check: 'unsigned', sentence: 'The list is not signed.' },
  'a detached payload': {
    packaging: 'DETACHED',
    check: 'header',
    // The critical extensions are `sigD` and the unencoded payload.
    sentence: 'The list is no signed list: The JWT header has critical extensions that are not supported.',
  },
  'a signing time in the future': {
    signedAt: 2 * DAY,
    check: 'header',
    sentence: 'The list has a signing time in the future, or none that can be read.',
  },
  'an algorithm that is not allowed': {
    by: 'p521',
    digest: 'SHA512',
    check: 'algorithm',
    sentence: 'Signature algorithm ES512 is not allowed.',
  },
  'an end in the past': {
    issue: { sequence: 6, issued: -2 * DAY, nextUpdate: -DAY },
    check: 'out-of-date',
    sentence: 'The list is out of date since ',
  },
  'an older number': {
    issue: { sequence: 4 },
    check: 'sequence-went-back',
    sentence: 'The list has sequence number 4, but 5 was read before.',
  },
}
