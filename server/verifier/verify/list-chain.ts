import { CredentialError } from '../../protocol/credential/verification.js'
import { isObject } from '../../protocol/json/json-object.js'

/** The `x5c` in the header of a status list that is not verified; undefined if it has none. */
export function x5cOfList(compact: string): unknown {
  try {
    const [header = ''] = compact.trim().split('.', 1)
    const decoded: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
    return isObject(decoded) ? decoded.x5c : undefined
  } catch {
    // Reading the list gives the error.
    return undefined
  }
}

/** The same for octets, which may be a list in CWT format or the text of a JWT. */
export async function x5cOfListCwt(bytes: Uint8Array): Promise<unknown> {
  // A JWT is ASCII; the first octet of a CWT never is.
  if ((bytes[0] ?? 0) < 0x80) return x5cOfList(Buffer.from(bytes).toString('latin1'))
  const { decodeStatusListCwt } = await import('../../protocol/mdoc/mdoc.js')
  try {
    return decodeStatusListCwt(bytes).header.x5c
  } catch (thrown) {
    if (thrown instanceof CredentialError) return undefined
    throw thrown
  }
}
