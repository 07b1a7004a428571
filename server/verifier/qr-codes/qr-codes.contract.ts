import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'

export const readQrCode = {
  meta: route('GET', '/api/v1/verifier/qr-codes/{id}', {
    tag: 'QR codes',
    summary: 'The QR code of an authorization request as a data URI',
    description:
      'A JSON string: the image as a data URI. The code holds the `openid4vp://` address that opens a wallet or, for a request with ' +
      '`page`, the address of the share page. If `Accept` prefers an image, the image itself is returned. If `Accept` prefers HTML, ' +
      'as browsers do, the reply redirects to the share page, which is created on demand if there is none.',
    access: 'public',
    open: true,
    alsoProduces: ['image/png', 'image/svg+xml'],
    leadsToPage: true,
    errors: [400, errors.qrCodeNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.string().meta({ example: 'data:image/png;base64,iVBORw0KGgo…' }),
}

export const deleteQrCode = {
  meta: route('DELETE', '/api/v1/verifier/qr-codes/{id}', {
    tag: 'QR codes',
    summary: 'Delete the QR code of an authorization request',
    description: 'The authorization request stays valid.',
    access: 'verifierClient',
    status: 204,
    errors: [400, errors.qrCodeNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.void(),
}

export const qrCodeImage = {
  meta: route('GET', '/api/v1/verifier/qr-codes/image', {
    tag: 'QR codes',
    summary: 'A QR code as an image, by the address of its data',
    description:
      "The address of one of this service's own QR codes, or of a PNG or a PNG data URI of up to 64 KiB on a " +
      'public host.',
    access: 'public',
    kind: 'bytes',
    produces: 'image/png',
    errors: [400, errors.qrCodeNotFound()],
  }),
  input: z.strictObject({ url: z.string().min(1).max(2_000) }),
  output: z
    .custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({ override: { type: 'string', format: 'binary' } }),
}
