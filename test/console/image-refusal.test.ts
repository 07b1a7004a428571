import { describe, expect, it } from 'vitest'
import { en } from '../../client/console/texts/faces/en.js'
import { imageRefusal, MAX_IMAGE_BYTES } from '../../client/console/ui/image-refusal.js'
import * as service from '../../server/images/read/read-image.js'
import { JPEG, png, svg } from '../images/pictures.js'

const { refusals } = en

/** The service's sentence about an image, in the console's words. */
async function said(bytes: Uint8Array): Promise<string> {
  const fault = await service.readImage(bytes).then(
    () => 'no fault',
    ({ message }: Error) => `image ${message}`,
  )
  return imageRefusal(fault, refusals)
}

const damaged = png(6, 6)
damaged.writeUInt8(damaged.readUInt8(45) ^ 0xff, 45)

describe('the refusal of an image in words', () => {
  it.each([
    ['no bytes', Buffer.alloc(0), refusals.empty],
    ['300 KiB', Buffer.alloc(300 * 1024, 0x20), refusals.large],
    ['no image', Buffer.from('hello'), refusals.noImage],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00'), refusals.otherKind('GIF')],
    ['an HTML page', Buffer.from('<!doctype html><svg/>'), refusals.otherKind('HTML page')],
    ['a script', svg('<script>alert(1)</script>'), refusals.script],
    ['foreign content', svg('<foreignObject/>'), refusals.foreign],
    ['an event', svg('', 'onload="alert(1)"'), refusals.event('onload')],
    ['a reference', svg('<use href="https://evil.example/#a"/>'), refusals.outside],
    ['url()', svg('<rect style="fill: url(https://evil.example)"/>'), refusals.outside],
    ['an import', svg('<style>@import "https://evil.example";</style>'), refusals.outside],
    ['an element', svg('<animate/>'), refusals.notAllowed('<animate>')],
    ['a document type', Buffer.concat([Buffer.from('<!DOCTYPE svg SYSTEM "x">'), svg('')]), refusals.document],
    ['broken XML', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"'), refusals.xml],
    ['many levels', svg('<g>'.repeat(70) + '</g>'.repeat(70)), refusals.complex],
    ['a changed byte', damaged, refusals.damaged],
    ['half a JPEG', JPEG.subarray(0, 400), refusals.damaged],
    ['a wide PNG', png(4097, 1), refusals.pixels],
    ['no size', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), refusals.unsized],
  ])('%s', async (_, bytes, words) => {
    expect(await said(bytes)).toBe(words)
  })

  it('an unknown sentence is shown as it is', () => {
    expect(imageRefusal('image must be blue', refusals)).toBe(refusals.other('image must be blue'))
    expect(imageRefusal('You have 200 images that no record uses.', refusals)).toBe(refusals.tooMany)
  })

  it('the console knows the service’s limit', () => {
    expect(MAX_IMAGE_BYTES).toBe(service.MAX_IMAGE_BYTES)
  })
})
