import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

export const LOTE_MEDIA_TYPE = 'application/jose'
export const VICAL_MEDIA_TYPE = 'application/cbor'

/** A trusted list about the issuers of this installation (PUBLISHED_TRUST_LISTS). */
export const publishedTrustList = {
  meta: route('GET', '/trust-lists/{name}', {
    tag: 'Trust',
    summary: 'A trusted list that this service publishes',
    description:
      'The list as it was signed: a list of trusted entities (ETSI TS 119 602) as a compact JWS, or a VICAL (ISO/IEC 18013-5 Annex C). ' +
      'PUBLISHED_TRUST_LISTS decides its kind. A repeated request with the ETag is answered with a short 304 if nothing has changed.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: LOTE_MEDIA_TYPE,
    alsoProduces: [VICAL_MEDIA_TYPE],
    notModified: true,
    envelope: true,
    errors: [errors.trustListNotFound(), errors.trustListUnsigned()],
  }),
  input: z.object({ name: z.string() }),
  output: zProtocolReply,
}
