import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import QRCode from 'qrcode'
import type { CredenceOutputs } from '../../../client/index.js'
import type { Stage } from '../stage.js'
import { purchase, TYPE } from './purchase.js'

export type Offering = CredenceOutputs['offerings']['create']

/** Returns the text that a camera would read from a QR code. The QR code is a data URI with a PNG. */
export function scan(dataUri: string): string | undefined {
  const { data, width, height } = PNG.sync.read(Buffer.from(dataUri.replace(/^[^,]*,/, ''), 'base64'))
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data
}

/** Draws a QR code that a wallet can scan from the terminal. */
export async function draw(stage: Stage, content: string): Promise<void> {
  stage.show(await QRCode.toString(content, { type: 'utf8', errorCorrectionLevel: 'L' }))
}

/** The shop makes an offering. Anyone who scans its QR code may take the credential. */
export async function offer(stage: Stage): Promise<Offering> {
  stage.step('The shop makes an offering')
  const offering = await stage.credence.offerings.create.mutate({
    credential_type: TYPE,
    credential_subject: purchase('Espresso machine'),
  })
  stage.saw('offering', offering.id)
  stage.saw('it is offered as', offering.credential_configuration_ids.join(' and '))
  stage.step('Its QR code, for a wallet to scan')
  await draw(stage, offering.offering_full_url)
  stage.saw('it says', offering.offering_full_url)
  const image = await stage.credence.offerings.qrCode.query({ id: offering.id })
  stage.mustBe("what the service's own image of it says", scan(image), offering.offering_full_url)
  return offering
}
