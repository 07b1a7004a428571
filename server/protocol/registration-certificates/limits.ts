/** The longest registration certificate that is read: in characters as text, and in octets as CBOR. */
export const MAX_REGISTRATION_CERTIFICATE = 64 * 1024
/** The deepest nesting of its claims. The claims of the standard need six levels. */
export const MAX_NESTING = 16

export const MAX_CREDENTIALS = 64
export const MAX_CLAIMS_OF_CREDENTIAL = 256
export const MAX_PATH_LENGTH = 32
export const MAX_LANGUAGES = 50
export const MAX_ENTITLEMENTS = 50
export const MAX_TEXT = 2_000
export const MAX_NAME = 500
