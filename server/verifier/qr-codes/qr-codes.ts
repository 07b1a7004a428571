import { onlyLooks } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Outbound } from '../../outbound/guard.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { onDemandPageId, type SealingKey } from '../../pages/on-demand.js'
import { type QrCodeContext, qrCodeAnswer } from '../../pages/qr-code-answer.js'
import type { NewPage } from '../../pages/store.js'
import { forWallet } from '../../protocol/openid4vp/request-object.js'
import type { NewRequestPage } from '../authorization-requests/page.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import { createQrCodeImageAt, type QrCodeImageAtPorts } from './image.js'

/** A QR code of an authorization request. */
export interface RequestQrCode {
  readonly sessionId: string
  /** The address that opens a wallet. */
  readonly walletUri: string
  /** The page whose address the code holds instead; null if the code opens a wallet. */
  readonly pageId: string | null
}

/** The QR code of an authorization request; undefined for an unknown id. */
export const createFindQrCode =
  (byQrCode: VerificationSessions['byQrCode']) =>
  async (id: string): Promise<RequestQrCode | undefined> => {
    const session = await byQrCode(id)
    if (session === undefined) return undefined
    const { authorizationRequestUri, walletUrl, pageId } = session
    const walletUri = walletUrl === null ? authorizationRequestUri : forWallet(authorizationRequestUri, walletUrl)
    return { sessionId: session.id, walletUri, pageId }
  }

/** Dependencies of {@link createQrCodes}. */
export interface QrCodesPorts {
  readonly config: Pick<Config, 'verifierBaseUrl' | 'issuerBaseUrl' | 'serviceContact'>
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly verificationSessions: Pick<VerificationSessions, 'byQrCode' | 'deleteQrCode' | 'ofPage'>
  readonly newPage: NewRequestPage
  /** Makes a page unless a page with this id exists. */
  readonly createPageOnDemand: (page: NewPage) => Promise<void>
  readonly sealingKey: SealingKey
  /** The content of an offering's QR code; undefined for an unknown id. */
  readonly offeringContent: (offeringId: string) => Promise<string | undefined>
}

export type QrCodes = ReturnType<typeof createQrCodes>

/** The QR codes of authorization requests, and the images of QR codes at other addresses. */
export function createQrCodes({
  config,
  outbound,
  verificationSessions,
  newPage,
  createPageOnDemand,
  sealingKey,
  offeringContent,
}: QrCodesPorts) {
  const find = createFindQrCode(verificationSessions.byQrCode)

  /** The content of a code: a wallet's address, or the address of a page, which any camera can open. */
  const textOf = ({ walletUri, pageId }: RequestQrCode): string =>
    pageId === null ? walletUri : presentPageUrl(config, pageId)

  /**
   * The page behind a QR code: the page whose address the code holds, otherwise a page made on demand. The request's
   * maker may have sent a separate page to a person. That page is bound to the browser that opens it first.
   *
   * @param looks whether the request only reads, like HEAD; then nothing is created
   * @returns the address of the page
   * @throws 404 if the session was removed in the meantime
   */
  const pageOf = async ({ sessionId, pageId }: RequestQrCode, looks: boolean): Promise<string> => {
    if (pageId !== null) return presentPageUrl(config, pageId)
    const id = onDemandPageId({ sealingKey }, 'present', sessionId)
    if (looks) return presentPageUrl(config, id)
    const session = await verificationSessions.ofPage(sessionId)
    if (session === undefined) throw errors.qrCodeNotFound()
    await createPageOnDemand({ ...newPage({ id: sessionId, ...session }), id })
    return presentPageUrl(config, id)
  }

  const contentOf: QrCodeImageAtPorts['contentOf'] = async (own) => {
    if ('offeringId' in own) return offeringContent(own.offeringId)
    const code = await find(own.qrCodeId)
    return code === undefined ? undefined : textOf(code)
  }

  return {
    find,

    /**
     * A code in the form that the request prefers. Browsers are redirected to the page of the code.
     *
     * @throws 404 for an unknown id
     */
    answer: async (context: QrCodeContext, id: string): Promise<string> =>
      qrCodeAnswer(
        context,
        { baseUrl: config.verifierBaseUrl, serviceContact: config.serviceContact },
        {
          code: await find(id),
          textOf,
          pageOf: (code) => pageOf(code, onlyLooks(context.request)),
          notFound: errors.qrCodeNotFound,
        },
      ),

    /** Deletes the code; its request stays valid. @throws 404 for an unknown id. */
    async delete(id: string): Promise<void> {
      if (!(await verificationSessions.deleteQrCode(id))) throw errors.qrCodeNotFound()
    },

    imageAt: createQrCodeImageAt({ config, outbound, contentOf }),
  }
}
