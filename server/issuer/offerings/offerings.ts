import type { z } from 'zod'
import { type Context, type ListContext, onlyLooks } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import type { Page } from '../../api/paging.js'
import type { Caller } from '../../auth/caller.js'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import type { NameIndex, Names } from '../../names/names.js'
import { qrCodeAnswer } from '../../pages/qr-code-answer.js'
import type { Work } from '../../protocol/work.js'
import type { AddOffering } from './add.js'
import type { Claim } from './claim.js'
import { type OfferingListStore, offeringsFor } from './list.js'
import { type OfferingView, offeringFullUrl } from './offering-json.js'
import type { createOffering } from './offerings.contract.js'
import type { PageOfOffering } from './page.js'
import type { Reader } from './reader.js'
import type { OfferingRow, OfferingStore } from './store.js'

/** Dependencies of {@link createOfferings}. */
export interface OfferingsPorts {
  readonly store: Pick<OfferingStore, 'find'>
  readonly lists: Lists<OfferingListStore>
  readonly add: AddOffering
  readonly claim: Claim
  readonly pageOf: PageOfOffering
  /** DIDs of the holders that a user created. */
  readonly holderDidsOf: (sub: string) => Promise<readonly string[]>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile' | 'serviceContact'>
  readonly view: OfferingView
  readonly names: Pick<NameIndex, 'wanted'>
}

export type Offerings = ReturnType<typeof createOfferings>

/** Offerings, which callers find by id and claim within the redemption limits. */
export function createOfferings(ports: OfferingsPorts) {
  const { store, lists, add, claim, pageOf, holderDidsOf, config, view, names } = ports

  /** The subject of a recipient-bound offering is shown only to its recipient and to callers who may read everything. */
  const maySeeSubject = async ({ recipient }: OfferingRow, reader: Reader): Promise<boolean> => {
    if (recipient === null || reader.reach.isAll) return true
    if (reader.caller === undefined) return false
    if (reader.caller.tokenDids.includes(recipient)) return true
    return (await holderDidsOf(reader.caller.sub)).includes(recipient)
  }

  return {
    lists,
    claim,

    /**
     * Stores an offering of one credential type.
     *
     * @param caller the user who creates the offering; undefined for a client secret
     * @throws 400 for an invalid type, issuer, subject or expiry time
     */
    create: async (caller: Caller | undefined, request: z.output<typeof createOffering.input>, work: Work) =>
      view.detail(await add(caller, request, work), { subject: true, names: true }),

    /**
     * One page of the offerings that the reader may see, the newest first. Each offering has the redemptions that the
     * reader may see.
     */
    list: (ctx: ListContext<OfferingListStore> & Reader, page: Page & Names) =>
      offeringsFor(view, ctx, page, names.wanted(page)),

    /** An offering with the members that the reader may see. @throws 404 for an unknown offering */
    async read(reader: Reader, id: string) {
      const row = await store.find(id)
      if (row === undefined) throw errors.offeringNotFound()
      return view.detail(row, { subject: await maySeeSubject(row, reader), names: reader.reach.isAll })
    },

    /** Whether REST shows an offering with this id. REST shows no offers of sessions and no offerings of single authorizations. */
    isOpen: async (id: string): Promise<boolean> => (await store.find(id)) !== undefined,

    /** The content of an offering's QR code, which opens a wallet; undefined if REST shows no offering with this id. */
    async walletUri(id: string): Promise<string | undefined> {
      const row = await store.find(id)
      return row && offeringFullUrl(config, row)
    },

    /** The QR code of an offering, in the form that the request prefers. @throws 404 for an unknown offering */
    qrCode: async (ctx: Context, id: string): Promise<string> =>
      qrCodeAnswer(
        ctx,
        { baseUrl: config.issuerBaseUrl, serviceContact: config.serviceContact },
        {
          code: await store.find(id),
          textOf: (row) => offeringFullUrl(config, row),
          pageOf: (row) => pageOf(row, onlyLooks(ctx.request)),
          notFound: errors.offeringNotFound,
        },
      ),
  }
}
