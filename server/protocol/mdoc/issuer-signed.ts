import { CredentialError } from '../credential/verification.js'
import { type DecodeOptions, sourceOf } from './cbor/decode.js'
import { type CborValue, isArray, isBytes, isMap, isUnsigned } from './cbor/values.js'
import { readSign1, type Sign1 } from './cose/sign1.js'
import { embeddedMap, type MobileSecurityObject, readMobileSecurityObject } from './mobile-security-object.js'

/** A data element, and the bytes over which its digest is computed. */
export interface IssuerSignedItem {
  readonly digestId: number
  readonly identifier: string
  readonly value: CborValue
  /** IssuerSignedItemBytes with its tag, unchanged. */
  readonly bytes: Uint8Array
}

/** An IssuerSigned that is not verified yet (ISO/IEC 18013-5 §8.3.2.1.2.2). */
export interface IssuerSigned {
  readonly namespaces: ReadonlyMap<string, readonly IssuerSignedItem[]>
  readonly issuerAuth: Sign1
  /** The received bytes of `issuerAuth`, unchanged. */
  readonly issuerAuthBytes: Uint8Array
  readonly mobileSecurityObject: MobileSecurityObject
}

/** Reads the parts of an IssuerSigned. Throws CredentialError. */
export function readIssuerSigned(value: CborValue, options: DecodeOptions): IssuerSigned {
  if (!isMap(value)) throw new CredentialError('Credential is no IssuerSigned.')
  const auth = value.get('issuerAuth')
  const issuerAuth = readSign1(auth, { ...options, what: 'Issuer signature' })
  const issuerAuthBytes = sourceOf(auth)
  if (issuerAuth.payload === null || issuerAuthBytes === undefined) {
    throw new CredentialError('Credential has no mobile security object.')
  }
  return {
    namespaces: namespacesOf(value.get('nameSpaces'), options),
    issuerAuth,
    issuerAuthBytes,
    mobileSecurityObject: readMobileSecurityObject(issuerAuth.payload, options),
  }
}

function namespacesOf(value: CborValue, options: DecodeOptions): IssuerSigned['namespaces'] {
  if (value === undefined) return new Map()
  if (!isMap(value)) throw new CredentialError('Credential has nameSpaces that are no map.')
  return new Map(
    [...value].map(([namespace, items]) => {
      if (typeof namespace !== 'string' || !isArray(items)) {
        throw new CredentialError('Credential has a namespace that is no array of items.')
      }
      assertNamespace(namespace)
      // §8.3.2.1.2.2: without items, no signed digest would prove the namespace's name.
      if (items.length === 0) throw new CredentialError('Credential has a namespace without items.')
      return [namespace, distinct(items.map((item) => itemOf(item, options)))]
    }),
  )
}

/**
 * Refuses the namespace `__proto__`: the resulting object would silently lose this namespace and its elements. Throws
 * CredentialError.
 */
export function assertNamespace(name: string): void {
  if (name === '__proto__') throw new CredentialError('Credential has a namespace __proto__, which is not supported.')
}

function itemOf(value: CborValue, options: DecodeOptions): IssuerSignedItem {
  const item = embeddedMap(value, options)
  const [digestId, identifier] = [item?.get('digestID'), item?.get('elementIdentifier')]
  const bytes = sourceOf(value)
  const complete = item?.has('elementValue') === true && isBytes(item.get('random'))
  if (!complete || !isUnsigned(digestId) || typeof identifier !== 'string' || bytes === undefined) {
    throw new CredentialError('Credential has an item that is no encoded IssuerSignedItem.')
  }
  return { digestId, identifier, value: item.get('elementValue'), bytes }
}

/** Refuses an element that occurs twice: nothing decides which of its two values is right. */
function distinct(items: readonly IssuerSignedItem[]): readonly IssuerSignedItem[] {
  if (new Set(items.map(({ digestId }) => digestId)).size < items.length) {
    throw new CredentialError('Credential has two items of one digest id in a namespace.')
  }
  if (new Set(items.map(({ identifier }) => identifier)).size < items.length) {
    throw new CredentialError('Credential has two items of one element identifier in a namespace.')
  }
  return items
}
