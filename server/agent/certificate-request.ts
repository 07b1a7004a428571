import { isIP } from 'node:net'
import type { StoredKey } from '../keys/store.js'
import { SIGNING_PARAMETERS, signingWith, x509Library } from '../keys/x509-library.js'
import { encodeDer } from '../protocol/issuer-keys/der.js'
import type { Signer } from '../protocol/jose/jws.js'
import type { AgentRecord } from './store.js'

/** Maximum length of a common name (RFC 5280 Appendix A.1, `ub-common-name`). */
const MAX_NAME_CHARACTERS = 64

/** Returns the verifier's display name, shortened for a certificate. A verifier without a name gets the host. */
function commonNameOf({ display }: AgentRecord, host: string): string {
  const name = (display[0]?.name ?? '').replace(/\p{Cc}/gu, ' ').trim()
  return [...(name === '' ? host : name)].slice(0, MAX_NAME_CHARACTERS).join('')
}

/** What a certificate request contains in addition to the name of the record. All members are checked. */
export interface RequestedCertificate {
  /** Country of two letters (`countryName`), legal name (`organizationName`), and the identifier of the organization. */
  readonly country?: string | undefined
  readonly organization?: string | undefined
  /** ETSI EN 319 412-1 §5.1.4, such as `VATDE-123456789`. */
  readonly organizationIdentifier?: string | undefined
  /** Contacts (TS 119 411-8 §6.6.1). Each has only characters of ASCII. */
  readonly email?: string | undefined
  readonly website?: string | undefined
  readonly phone?: string | undefined
  /** Object identifiers of the policies that the certificate must follow. */
  readonly policies?: readonly string[] | undefined
  /** Whether the certificate is for an authority that issues certificates of document signers, and no further authorities. */
  readonly authority?: boolean | undefined
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17'
/** `organizationIdentifier` of a subject (ITU-T X.520). */
const ORGANIZATION_IDENTIFIER = '2.5.4.97'

const SEQUENCE = 0x30
const OBJECT_IDENTIFIER = 0x06
const PRINTABLE_STRING = 0x13
/** Tags of a GeneralName (RFC 5280 §4.2.1.6). */
const NAME_TAGS = { otherName: 0xa0, email: 0x81, dns: 0x82, uri: 0x86 } as const
const EXPLICIT_VALUE = 0xa0
/** `id-at-telephoneNumber`, 2.5.4.20. */
const TELEPHONE_NUMBER = Uint8Array.of(0x55, 0x04, 0x14)

const ascii = (text: string): Uint8Array => Buffer.from(text, 'ascii')

/**
 * The DER of a subjectAltName; undefined if there is no name. The library cannot write the `otherName` that TS 119 411-8
 * §6.6.1 demands for telephone numbers.
 */
function alternativeNamesOf(
  host: string | undefined,
  { email, website, phone }: RequestedCertificate,
): Uint8Array | undefined {
  const names = [
    ...(host === undefined ? [] : [encodeDer(NAME_TAGS.dns, ascii(host))]),
    ...(website === undefined ? [] : [encodeDer(NAME_TAGS.uri, ascii(website))]),
    ...(email === undefined ? [] : [encodeDer(NAME_TAGS.email, ascii(email))]),
    ...(phone === undefined
      ? []
      : [
          encodeDer(
            NAME_TAGS.otherName,
            encodeDer(OBJECT_IDENTIFIER, TELEPHONE_NUMBER),
            encodeDer(EXPLICIT_VALUE, encodeDer(PRINTABLE_STRING, ascii(phone))),
          ),
        ]),
  ]
  return names.length === 0 ? undefined : encodeDer(SEQUENCE, ...names)
}

/** The attributes of the subject, in the order of ETSI EN 319 412-3. The library would parse one text as a whole name. */
const subjectOf = (name: string, { country, organization, organizationIdentifier }: RequestedCertificate) => [
  ...(country === undefined ? [] : [{ C: [{ printableString: country }] }]),
  ...(organization === undefined ? [] : [{ O: [{ utf8String: organization }] }]),
  ...(organizationIdentifier === undefined
    ? []
    : [{ [ORGANIZATION_IDENTIFIER]: [{ utf8String: organizationIdentifier }] }]),
  { CN: [{ utf8String: name }] },
]

/**
 * Makes a certification request (PKCS#10, RFC 2986) for the key of an issuer or verifier as PEM, with the display name of the
 * record. The request is for digital signatures, or for an authority without further authorities below it. It contains the host of the base URL (dNSName) if the host is a name. It
 * also contains the members that the caller names for the policy of an access certificate (TS 119 411-8).
 */
export async function certificateRequestOf(
  record: AgentRecord,
  { alg, publicJwk }: StoredKey,
  signer: Signer,
  baseUrl: string,
  requested: RequestedCertificate = {},
): Promise<string> {
  const algorithm = SIGNING_PARAMETERS[alg]
  if (algorithm === undefined) throw new Error(`No certificate can be requested for a key for ${alg}.`)
  const {
    BasicConstraintsExtension,
    CertificatePolicyExtension,
    Extension,
    KeyUsageFlags,
    KeyUsagesExtension,
    Name,
    Pkcs10CertificateRequestGenerator,
  } = await x509Library()
  const { hostname } = new URL(baseUrl)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  const alternativeNames = alternativeNamesOf(isAddress ? undefined : hostname, requested)
  const { policies = [], authority = false } = requested
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: new Name(subjectOf(commonNameOf(record, hostname), requested)),
      // Both keys are placeholders. The functions of `signingWith` use the real key. The cast is needed because the
      // declared type has members that only keys of Web Cryptography have.
      keys: { publicKey: {}, privateKey: { algorithm } } as never,
      signingAlgorithm: algorithm,
      extensions: [
        ...(authority
          ? [
              new BasicConstraintsExtension(true, 0, true),
              new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
            ]
          : [new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true)]),
        ...(alternativeNames === undefined
          ? []
          : [new Extension(SUBJECT_ALTERNATIVE_NAME, false, Uint8Array.from(alternativeNames))]),
        ...(policies.length === 0 ? [] : [new CertificatePolicyExtension([...policies])]),
      ],
    },
    // The cast is needed because the declared type is the whole Web Cryptography, but the library calls only these two
    // functions.
    signingWith(signer, publicJwk) as never,
  )
  return request.toString('pem')
}
