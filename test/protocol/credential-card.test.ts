import { describe, expect, it } from 'vitest'
import { contrastOf, hexOf } from '../../server/protocol/colour.js'
import { type CardDisplay, cardImage, cardLook, PLAIN_LOOK } from '../../server/protocol/credential-card/look.js'

const ID = 'ab'.repeat(32)
const PNG = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(40)}`
const own = (path: string) => `https://issuer.example${path}`
const coloured = (background_color?: string, text_color?: string) => cardLook({ background_color, text_color }, own)

describe('the colours of a card', () => {
  it.each([
    ['#1d4fc4', '#ffffff', '#1d4fc4', '#ffffff'],
    ['#ABC', '#000', '#aabbcc', '#000000'],
    ['rgb(29, 79, 196)', '#ffffff', '#1d4fc4', '#ffffff'],
    ['#ffffff', '#eeeeee', '#ffffff', '#000000'],
    ['#102030', '#203040', '#102030', '#ffffff'],
    ['#1d4fc4', 'red;}body{display:none', '#1d4fc4', '#ffffff'],
    ['hsl(1, 2%, 3%)', undefined, PLAIN_LOOK.background, PLAIN_LOOK.text],
    ['red;}body{display:none', undefined, PLAIN_LOOK.background, PLAIN_LOOK.text],
    [undefined, '#000000', PLAIN_LOOK.background, PLAIN_LOOK.text],
  ])('background %s with text %s', (background, text, drawn, readable) => {
    const look = coloured(background, text)
    expect([look.background, look.text]).toEqual([drawn, readable])
    expect(contrastOf(look.text, look.background)).toBeGreaterThanOrEqual(4.5)
  })

  it('are readable on every background', () => {
    for (let value = 0; value < 0x1000000; value += 7919) {
      const { background, text } = coloured(`#${value.toString(16).padStart(6, '0')}`, '#808080')
      expect(contrastOf(text, background), background).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('have six hexadecimal digits', () => {
    expect([hexOf('#AbC'), hexOf('rgb(0,10,255)'), hexOf('navy'), hexOf('#12345')]).toEqual([
      '#aabbcc',
      '#000aff',
      undefined,
      undefined,
    ])
  })
})

describe('an image of a card', () => {
  it.each([
    [PNG, PNG],
    [ID, own(`/images/${ID}`)],
    [`/images/${ID}`, own(`/images/${ID}`)],
    [`https://elsewhere.example/path/images/${ID}`, own(`/images/${ID}`)],
    ['https://elsewhere.example/logo.png', undefined],
    [`https://user@elsewhere.example/images/${ID}`, undefined],
    ['data:image/svg+xml;base64,PHN2Zy8+', undefined],
    ['data:text/html,<script>', undefined],
    [`javascript:alert(1)//images/${ID}`, undefined],
    ['', undefined],
  ])('%s', (uri, shown) => {
    expect(cardImage(uri, own)).toBe(shown)
    const display: CardDisplay = { logo: { uri, alt_text: 'Mark' }, background_image: { uri } }
    expect(cardLook(display, own)).toMatchObject({
      ground: shown,
      logo: shown === undefined ? undefined : { src: shown, alt: 'Mark' },
    })
  })
})
