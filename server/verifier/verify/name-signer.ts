import { untrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import { CredentialError, type ResolveIssuerKey } from '../../protocol/credential/verification.js'
import { CREDENTIAL, typesOf } from './issuer-keys.js'

/**
 * Finds keys like `resolve`. If it refuses the issuer of a credential, the error has the certificates of the issuer too. They answer
 * the question why the issuer is not trusted, when the credential itself is no longer there.
 */
export const namingSigner =
  (resolve: ResolveIssuerKey): ResolveIssuerKey =>
  async (header, payload, what) => {
    try {
      return await resolve(header, payload, what)
    } catch (thrown) {
      const isCredential = what === undefined || what === CREDENTIAL
      if (!isCredential || !(thrown instanceof CredentialError) || thrown.untrusted !== undefined) throw thrown
      const { message, check, cause } = thrown
      const untrusted = untrustedSigner('credentials', header.x5c, typesOf(payload))
      throw new CredentialError(message, { check, untrusted, ...(cause === undefined ? {} : { cause }) })
    }
  }
