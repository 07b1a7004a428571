import { didDocument } from '../../server/protocol/did/did-document.js'
import { didJwk } from '../../server/protocol/did/did-jwk.js'
import { didKeyFromJwk } from '../../server/protocol/did/did-key.js'
import { createSigner, generateKeyPair, type Jwk, type Signer, signCompact } from '../../server/protocol/jose/jws.js'
import { issueJwtVc, type JwtVcInput } from '../../server/protocol/jwt-vc/issue.js'
import { issueSdJwtVc, type SdJwtVcInput } from '../../server/protocol/sd-jwt-vc/issue.js'
import { createBitstringStatusListCredential } from '../../server/protocol/status-list/bitstring.js'
import { createTokenStatusList } from '../../server/protocol/status-list/token-status-list.js'

const LIST_SIZE = 131_072

/** An issuer of a different installation, with its own key. */
export class ForeignIssuer {
  private constructor(
    readonly id: string,
    readonly signer: Signer,
    readonly publicJwk: Jwk,
    readonly privateJwk: Jwk,
  ) {}

  /** Makes an issuer. @param name returns identifier and `kid` for the issuer's public key */
  static async create(name: (publicJwk: Jwk) => { id: string; kid: string }): Promise<ForeignIssuer> {
    const { privateJwk, publicJwk } = await generateKeyPair('ES256')
    const { id, kid } = name(publicJwk)
    return new ForeignIssuer(id, await createSigner(privateJwk, kid), publicJwk, privateJwk)
  }

  static didKey = (): Promise<ForeignIssuer> =>
    ForeignIssuer.create((jwk) => ({
      id: didKeyFromJwk(jwk),
      kid: `${didKeyFromJwk(jwk)}#${didKeyFromJwk(jwk).slice('did:key:'.length)}`,
    }))

  static didJwk = (): Promise<ForeignIssuer> =>
    ForeignIssuer.create((jwk) => ({ id: didJwk(jwk), kid: `${didJwk(jwk)}#0` }))

  static named = (id: string, kid = `${id}#key`): Promise<ForeignIssuer> => ForeignIssuer.create(() => ({ id, kid }))

  /** Makes the DID document for a did:web of this issuer. */
  didDocument(): unknown {
    return didDocument({ did: this.id, keys: [{ id: '#key', jwk: this.publicJwk }] })
  }

  async jwtVc(members: Partial<JwtVcInput> = {}): Promise<string> {
    const { compact } = await issueJwtVc({
      signer: this.signer,
      issuer: this.id,
      id: 'urn:uuid:6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      types: ['Membership'],
      claims: { level: 'gold' },
      issuedAt: new Date(),
      ...members,
    })
    return compact
  }

  sdJwtVc(members: Partial<SdJwtVcInput> = {}): Promise<string> {
    return issueSdJwtVc({
      signer: this.signer,
      issuer: this.id,
      vct: 'https://club.example/membership',
      claims: { level: 'gold', since: 2019 },
      selectivelyDisclosable: 'all',
      issuedAt: new Date(),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      ...members,
    })
  }

  tokenStatusList(uri: string, revokedIndices: readonly number[], by: Signer = this.signer): Promise<string> {
    const issuedAt = new Date()
    const expiresAt = new Date(Date.now() + 60_000)
    return createTokenStatusList({
      signer: by,
      issuer: this.id,
      uri,
      revokedIndices,
      size: LIST_SIZE,
      issuedAt,
      expiresAt,
      ttlSeconds: 60,
    })
  }

  bitstringStatusList(url: string, revokedIndices: readonly number[], by: Signer = this.signer): Promise<string> {
    const issuedAt = new Date()
    const validUntil = new Date(Date.now() + 60_000)
    return createBitstringStatusListCredential({
      signer: by,
      issuer: this.id,
      url,
      setIndices: revokedIndices,
      size: LIST_SIZE,
      issuedAt,
      validUntil,
      ttlSeconds: 60,
    })
  }

  /** Signs arbitrary content, like a forger with this key. */
  sign(header: Record<string, unknown>, payload: Record<string, unknown>): Promise<string> {
    return signCompact(this.signer, header, payload)
  }
}

/** The status entry of a JWT VC. */
export const bitstringStatus = (statusListCredential: string, statusListIndex: number) =>
  ({
    id: `${statusListCredential}#${statusListIndex}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex,
    statusListCredential,
  }) as const
