import { describe, expect, it } from 'vitest'
import { contrastOf, LEAST_CONTRAST, lowContrast, readableOn } from '../../server/protocol/colour.js'

describe('contrast (WCAG 2.2)', () => {
  it.each([
    ['#000', '#fff', 21],
    ['#ffffff', '#FFFFFF', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['rgb(29, 79, 196)', '#fff', 7.08],
  ])('of %s and %s', (one, other, contrast) => {
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 1)
    expect(contrastOf(other, one)).toBe(contrastOf(one, other))
  })

  it.each(['red', 'hsl(1, 2%, 3%)', 'rgba(1, 2, 3, 0.5)', '#12', `#${'1'.repeat(500)}`])('of %s is unknown', (text) => {
    expect(contrastOf(text, '#fff')).toBeUndefined()
  })

  it('below 4.5 is too low, and is never rounded up to 4.5', () => {
    expect(lowContrast({ text_color: '#777777', background_color: '#ffffff' })).toBe('4.4')
    expect(lowContrast({ text_color: '#767676', background_color: '#ffffff' })).toBeUndefined()
    expect(lowContrast({ text_color: '#777777' })).toBeUndefined()
  })

  it('a readable colour exists for every background', () => {
    for (let grey = 0; grey < 256; grey += 1) {
      const background = `#${grey.toString(16).padStart(2, '0').repeat(3)}`
      expect(contrastOf(readableOn(background, background), background)).toBeGreaterThanOrEqual(LEAST_CONTRAST)
    }
    expect(readableOn('#000000', '#ffff00')).toBe('#ffff00')
  })
})
