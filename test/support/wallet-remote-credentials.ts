import { randomUUID } from 'node:crypto'
import type { CredentialIssuerMetadata } from '@openid4vc/openid4vci'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { JWK } from 'jose'
import { type RemoteKey, signJwt } from './wallet-callbacks.js'

export const DIPLOMA = { degree: 'Laurea', university: 'Torino' }
export const DIPLOMA_JWT = 'Diploma'
export const DIPLOMA_SD_JWT = 'Diploma-sd-jwt'
export const DIPLOMA_MDOC = 'Diploma-mdoc'
export const DIPLOMA_DOCTYPE = 'example.diploma.1'

const now = () => Math.floor(Date.now() / 1000)

/** Signs the credentials of an independent issuer: `@sd-jwt/sd-jwt-vc` and jose. */
export function credentialSigner(key: RemoteKey) {
  return {
    /** @param plain claims that are not selectively disclosable */
    async signSdJwtVc(
      vct: string,
      holder: JWK | undefined,
      claims: Record<string, unknown>,
      plain: Record<string, unknown> = {},
    ): Promise<string> {
      const instance = new SDJwtVcInstance({
        signer: async (data) => {
          const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
          const privateKey = await crypto.subtle.importKey('jwk', key.privateJwk, algorithm, false, ['sign'])
          return Buffer.from(await crypto.subtle.sign(algorithm, privateKey, Buffer.from(data))).toString('base64url')
        },
        signAlg: 'ES256',
        hasher: digest,
        hashAlg: 'sha-256',
        saltGenerator: generateSalt,
      })
      const payload = {
        iss: key.did,
        iat: now(),
        vct,
        ...(holder === undefined ? {} : { cnf: { jwk: holder } }),
        ...plain,
        ...claims,
      }
      // The library's type of the frame needs a payload with known names. These names are known only at run time.
      return instance.issue(payload, { _sd: Object.keys(claims) as never[] }, { header: { kid: key.kid } })
    },

    signJwtVc(subject: string | undefined, extra: Record<string, unknown> = {}): Promise<string> {
      const issuedAt = now()
      const payload = {
        iss: key.did,
        nbf: issuedAt,
        jti: `urn:uuid:${randomUUID()}`,
        ...(subject === undefined ? {} : { sub: subject }),
        vc: {
          '@context': ['https://www.w3.org/2018/credentials/v1'],
          type: ['VerifiableCredential', DIPLOMA_JWT],
          issuer: key.did,
          issuanceDate: new Date(issuedAt * 1000).toISOString().replace('.000Z', 'Z'),
          credentialSubject: { ...(subject === undefined ? {} : { id: subject }), ...DIPLOMA },
        },
        ...extra,
      }
      return signJwt(key, { kid: key.kid, typ: 'JWT' }, payload)
    },
  }
}

const BINDING_METHODS = ['did:key', 'did:web', 'did:jwk', 'jwk']

/** Credential issuer metadata (OpenID4VCI 1.0 §12.2.4) with a diploma in all formats. */
export function remoteIssuerMetadata(
  url: string,
  options: {
    readonly path?: string
    readonly batchSize?: number
    readonly bindingMethods?: readonly string[]
    readonly unbound?: boolean
    readonly deferral?: unknown
  },
): CredentialIssuerMetadata {
  const binding = {
    cryptographic_binding_methods_supported: [...(options.bindingMethods ?? BINDING_METHODS)],
    proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
  }
  const common = {
    ...(options.unbound === true ? {} : binding),
    credential_metadata: { display: [{ name: 'Diploma', locale: 'en' }] },
  }
  return {
    credential_issuer: `${url}${options.path ?? ''}`,
    authorization_servers: [`${url}${options.path ?? ''}`],
    credential_endpoint: `${url}/credential`,
    nonce_endpoint: `${url}/nonce`,
    notification_endpoint: `${url}/notification`,
    ...(options.deferral === undefined ? {} : { deferred_credential_endpoint: `${url}/deferred` }),
    ...(options.batchSize === undefined ? {} : { batch_credential_issuance: { batch_size: options.batchSize } }),
    credential_configurations_supported: {
      [DIPLOMA_JWT]: {
        format: 'jwt_vc_json',
        credential_definition: { type: ['VerifiableCredential', DIPLOMA_JWT] },
        ...common,
      },
      [DIPLOMA_SD_JWT]: { format: 'dc+sd-jwt', vct: `${url}/vct/diploma`, scope: 'diploma', ...common },
      [DIPLOMA_MDOC]: {
        format: 'mso_mdoc',
        doctype: DIPLOMA_DOCTYPE,
        scope: 'diploma-mdoc',
        ...common,
        cryptographic_binding_methods_supported: ['cose_key'],
      },
    },
  }
}
