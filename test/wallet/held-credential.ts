import type { HeldCredential } from '../../server/wallet/credentials/held.js'

/** A held credential for tests that use only its id and its expiry. */
export const heldCredential = (id: string, expiresAt?: number): HeldCredential => ({
  id,
  format: 'dc+sd-jwt',
  compact: '',
  createdAt: new Date(0),
  copyId: `copy of ${id}`,
  kid: 'did:example:holder#0',
  keyId: id,
  privateJwk: null,
  content: {
    credentialIssuer: 'https://issuer.example',
    configurationId: 'Diploma',
    types: ['https://issuer.example/vct/diploma'],
    issuer: 'https://issuer.example',
    issuerKey: { jwk: { kty: 'EC' }, issuer: 'https://issuer.example' },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  },
})
