import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { PAGE_SIZE } from '../../api/paging.js'
import type { Lists } from '../../database/replica/lists.js'
import type { Formats } from '../../formats/registry.js'
import { dateTimeOf } from '../../formats/seconds.js'
import type { Keys } from '../../keys/keys.js'
import type { Vault } from '../../keys/vault.js'
import type { Languages } from '../../pages/languages.js'
import { createSigner, type Jwk, type Signer } from '../../protocol/jose/jws.js'
import type { Taken } from '../openid4vci/take-answer.js'
import type { Receipt } from '../openid4vci/verify-received.js'
import type { deleteWalletCredential, readWalletCredential, WalletCredentialJson } from './credentials.contract.js'
import { describedIn } from './description.js'
import { type HeldCredential, openCredential } from './held.js'
import type { HeldStatus, ReadStatuses } from './statuses.js'
import type { NewCopy, StoredCredential, WalletCredentialStore } from './store.js'

const languagesIn = (locale: string | undefined): Languages => (locale === undefined ? [] : [locale.toLowerCase()])

/** A held credential in the form of the API. Issuers may sign any number as a time; a time outside the range of dates is left out. */
export function shownCredential(
  held: HeldCredential,
  status: HeldStatus,
  languages: Languages = [],
): WalletCredentialJson {
  const { description, types, issuer, credentialIssuer, configurationId, issuedAt, expiresAt } = held.content
  const { display, issuerName } = description === undefined ? {} : describedIn(description, languages)
  const [issued, expires] = [dateTimeOf(issuedAt), dateTimeOf(expiresAt)]
  return {
    id: held.id,
    format: held.format,
    type: [...types],
    issuer,
    credentialIssuer,
    configurationId,
    ...(display === undefined ? {} : { display }),
    ...(issuerName === undefined ? {} : { issuerName }),
    status,
    ...(issued === undefined ? {} : { issuedAt: issued }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    createdAt: held.createdAt.toISOString(),
  }
}

/** A holder, and the `sub` of the user who acts for the holder. */
export interface OnBehalf {
  readonly holderId: string
  readonly actor: string
}

/** Dependencies of {@link createWalletCredentials}. */
export interface WalletCredentialsPorts {
  readonly store: Pick<WalletCredentialStore, 'find' | 'insert' | 'list' | 'markPresented' | 'remove'>
  readonly lists: Lists<Pick<WalletCredentialStore, 'list'>>
  readonly statusesOf: ReadStatuses
  readonly formats: Pick<Formats, 'named'>
  readonly vault: Vault
  readonly keys: Pick<Keys, 'signer'>
  readonly newId: () => string
  readonly clock: () => Date
}

export type WalletCredentials = ReturnType<typeof createWalletCredentials>

/** The credentials of hosted wallets. */
export function createWalletCredentials({
  store,
  lists,
  statusesOf,
  formats,
  vault,
  keys,
  newId,
  clock,
}: WalletCredentialsPorts) {
  const open = (row: StoredCredential) => openCredential(vault, row)

  const copyOf = async ({ compact, key, kid }: Receipt): Promise<NewCopy> => {
    const id = newId()
    const place = { column: 'wallet_credential_copies.private_jwk', id } as const
    const privateJwk = key.privateJwk === null ? null : await vault.protect(place, JSON.stringify(key.privateJwk))
    const protectedCompact = await vault.protect({ column: 'wallet_credential_copies.compact', id }, compact)
    return { id, compact: protectedCompact, kid, keyId: key.keyId, privateJwk }
  }

  return {
    lists,

    /** Credentials in the form of the API, with their current statuses. */
    async shown(rows: readonly StoredCredential[], locale?: string): Promise<WalletCredentialJson[]> {
      const held = await Promise.all(rows.map(open))
      const statuses = await statusesOf(held)
      return held.map((credential, index) =>
        shownCredential(credential, statuses[index] ?? 'unknown', languagesIn(locale)),
      )
    },

    /** A credential of a holder with its claims, its current status and its compact form. @throws 404 */
    async read({ holderId, credentialId, locale }: z.output<ReturnType<typeof readWalletCredential>['input']>) {
      const row = await store.find(holderId, credentialId)
      if (row === undefined) throw errors.credentialNotFound()
      const held = await open(row)
      const [status = 'unknown'] = await statusesOf([held])
      const claims = { ...(await formats.named(held.format).holding.claimsOf(held.compact)) }
      const languages = languagesIn(locale)
      const { description } = held.content
      const claimNames = description === undefined ? [] : describedIn(description, languages).claimNames
      return { ...shownCredential(held, status, languages), claims, claimNames, credential: held.compact }
    },

    /** Deletes a credential of a holder with all its copies. @throws 404 for an unknown credential. */
    async remove(
      { holderId, credentialId }: z.output<typeof deleteWalletCredential.input>,
      actor: string,
    ): Promise<void> {
      if (!(await store.remove(holderId, credentialId, actor))) throw errors.credentialNotFound()
    },

    /** Stores a received credential with its copies. */
    async keep({ holderId, actor }: OnBehalf, { format, receipts }: Taken): Promise<HeldCredential> {
      const id = newId()
      const createdAt = clock()
      const [{ content, compact }] = receipts
      const copies = await Promise.all(receipts.map(copyOf))
      const [first] = copies
      if (first === undefined) throw new Error('A credential without a copy was taken.')
      const place = { column: 'wallet_credentials.content', id } as const
      const protectedContent = await vault.protect(place, JSON.stringify(content))
      await store.insert(
        { id, holderId, format: format.name, content: protectedContent, createdAt, copies },
        { actor, action: 'wallet.credential.received', subject: 'wallet_credential', subjectId: id },
      )
      return { ...first, id, format: format.name, content, createdAt, copyId: first.id, compact }
    },

    /** The newest credentials of a holder, one page, each with the copy to use next. */
    async newestOf(holderId: string): Promise<HeldCredential[]> {
      const rows = await store.list(holderId, { take: PAGE_SIZE, after: undefined })
      return Promise.all(rows.map(open))
    },

    /** Marks copies as presented. */
    markPresented: (held: readonly Pick<HeldCredential, 'copyId'>[]): Promise<void> =>
      store.markPresented(
        held.map(({ copyId }) => copyId),
        clock(),
      ),

    /** The signer for the copy of a held credential, with the DID URL that the copy is bound to. */
    async signerOf(held: HeldCredential): Promise<Signer> {
      if (held.keyId !== null) return keys.signer(held.keyId, held.kid)
      if (held.privateJwk === null) throw new Error(`Credential ${held.id} has no key.`)
      const place = { column: 'wallet_credential_copies.private_jwk', id: held.copyId } as const
      return createSigner(JSON.parse(await vault.reveal(place, held.privateJwk)) as Jwk, held.kid)
    },
  }
}
