import { z } from 'zod'
import type { Formats } from '../../formats/registry.js'
import type { Keys } from '../../keys/keys.js'
import type { Vault } from '../../keys/vault.js'
import { createSigner, type Jwk } from '../../protocol/jose/jws.js'
import { isObject } from '../../protocol/json/json-object.js'
import { zDescription } from '../credentials/description.js'
import type { Deferral, Transaction } from '../openid4vci/deferral.js'
import { dpopBy, type Grant } from '../openid4vci/issuance.js'
import { type SessionKey, sessionKey, type WalletKey } from '../openid4vci/wallet-keys.js'

const zJwk = z.custom<Jwk>((value) => isObject(value))

const zContent = z.object({
  credentialIssuer: z.string(),
  dpopKey: zJwk,
  instanceKey: zJwk.exactOptional(),
  grant: z.object({
    accessToken: z.string(),
    tokenType: z.string(),
    refreshToken: z.string().exactOptional(),
    server: z.string(),
    /** Milliseconds since the epoch. */
    expiresAt: z.number().exactOptional(),
    clientId: z.string().exactOptional(),
    /** Whether the token is bound to `dpopKey`. */
    bound: z.boolean(),
    dpopNonce: z.string().exactOptional(),
  }),
  transactions: z.array(
    z.object({
      transactionId: z.string(),
      intervalSeconds: z.number(),
      configurationId: z.string(),
      format: z.string(),
      types: z.array(z.string()),
      /** Absent in rows that an earlier version stored. */
      mayBeUnbound: z.boolean().exactOptional(),
      description: zDescription.exactOptional(),
      keys: z.array(
        z.object({ did: z.string(), kid: z.string(), keyId: z.string().nullable(), privateJwk: zJwk.nullable() }),
      ),
    }),
  ),
})

type Content = z.output<typeof zContent>

function grantContent({ token, server, expiresAt, clientId, dpop }: Grant): Content['grant'] {
  return {
    accessToken: token.access_token,
    tokenType: token.token_type,
    ...(token.refresh_token === undefined ? {} : { refreshToken: token.refresh_token }),
    server,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.getTime() }),
    ...(clientId === undefined ? {} : { clientId }),
    bound: dpop !== undefined,
    ...(dpop?.nonce === undefined ? {} : { dpopNonce: dpop.nonce }),
  }
}

function grantOf(content: Content['grant'], key: SessionKey): Grant {
  const { accessToken, tokenType, refreshToken, server, expiresAt, clientId, bound, dpopNonce } = content
  return {
    token: {
      access_token: accessToken,
      token_type: tokenType,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    },
    server,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    dpop: bound ? { ...dpopBy(key), ...(dpopNonce === undefined ? {} : { nonce: dpopNonce }) } : undefined,
    clientId,
  }
}

const transactionContent = ({
  transactionId,
  intervalSeconds,
  expected,
  keys,
}: Transaction): Content['transactions'][0] => ({
  transactionId,
  intervalSeconds,
  configurationId: expected.configurationId,
  format: expected.format.name,
  types: [...expected.types],
  mayBeUnbound: expected.mayBeUnbound,
  ...(expected.description === undefined ? {} : { description: expected.description }),
  keys: keys.map(({ did, signer, keyId, privateJwk }) => ({ did, kid: signer.kid, keyId, privateJwk })),
})

const placeOf = (id: string) => ({ column: 'wallet_pending_issuances.content', id }) as const

/** Dependencies of {@link createDeferralContents}. */
export interface DeferralContentsPorts {
  readonly vault: Vault
  readonly formats: Pick<Formats, 'known'>
  readonly keys: Pick<Keys, 'signer'>
}

export type DeferralContents = ReturnType<typeof createDeferralContents>

/** Encrypts deferrals for storage and decrypts them, by the vault. */
export function createDeferralContents({ vault, formats, keys }: DeferralContentsPorts) {
  async function walletKey({ did, kid, keyId, privateJwk }: Content['transactions'][0]['keys'][0]): Promise<WalletKey> {
    if (keyId !== null) return { did, keyId, privateJwk: null, signer: await keys.signer(keyId, kid) }
    if (privateJwk === null) throw new Error('A deferred credential has no key.')
    return { did, keyId: null, privateJwk, signer: await createSigner(privateJwk, kid) }
  }

  async function transactionOf(content: Content['transactions'][0], credentialIssuer: string): Promise<Transaction> {
    const { transactionId, intervalSeconds, configurationId, types, mayBeUnbound = false, description } = content
    const format = formats.known(content.format)
    if (format === undefined) throw new Error('A deferred credential is of a format that is not known any more.')
    const expected = { format, types, configurationId, credentialIssuer, mayBeUnbound, description }
    return { transactionId, intervalSeconds, expected, keys: await Promise.all(content.keys.map(walletKey)) }
  }

  return {
    /** Encrypts a deferral. @param id the id of the row that stores the deferral */
    protect(id: string, deferral: Deferral): Promise<string> {
      const { credentialIssuer, dpopKey, instanceKey, grant, transactions } = deferral
      const content: Content = {
        credentialIssuer,
        dpopKey: dpopKey.privateJwk,
        ...(instanceKey === undefined ? {} : { instanceKey: instanceKey.privateJwk }),
        grant: grantContent(grant),
        transactions: transactions.map(transactionContent),
      }
      return vault.protect(placeOf(id), JSON.stringify(content))
    },

    /** Decrypts a deferral and restores its keys. */
    async open({ id, content: stored }: { readonly id: string; readonly content: string }): Promise<Deferral> {
      const content = zContent.parse(JSON.parse(await vault.reveal(placeOf(id), stored)))
      const { credentialIssuer } = content
      const dpopKey = await sessionKey(content.dpopKey)
      const instanceKey = content.instanceKey === undefined ? undefined : await sessionKey(content.instanceKey)
      const transactions = await Promise.all(
        content.transactions.map((transaction) => transactionOf(transaction, credentialIssuer)),
      )
      return { credentialIssuer, dpopKey, instanceKey, grant: grantOf(content.grant, dpopKey), transactions }
    },
  }
}
