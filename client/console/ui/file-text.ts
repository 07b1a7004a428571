/** Maximum size of a file in bytes. No credential and no chain of certificates is so large. */
export const MAX_FILE_BYTES = 1_048_576

/** The tag of a SEQUENCE in DER, with which each certificate begins. In CBOR it is a number, so no mobile document begins with it. */
const SEQUENCE = 0x30

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/**
 * The content of a file as text: its own text, or base64url of the bytes of a mobile document, or base64 of a
 * certificate in DER.
 */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text.trim()
  } catch {
    // The bytes are no text, so the content is binary.
  }
  return bytes[0] === SEQUENCE ? base64Of(bytes) : base64UrlOf(bytes)
}

export const textOfFile = async (file: File): Promise<string> => textOfBytes(new Uint8Array(await file.arrayBuffer()))

/** A certificate in PEM form from a text of {@link textOfBytes}; a text in PEM form stays as it is. */
export const pemOf = (text: string): string =>
  text.startsWith('MI')
    ? `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/\s/g, '').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----`
    : text
