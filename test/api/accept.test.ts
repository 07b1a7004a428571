import { describe, expect, it } from 'vitest'
import { preferredType } from '../../server/api/accept.js'

const TYPES = ['application/json', 'image/png', 'image/svg+xml', 'text/html'] as const
const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'

describe('preferredType (RFC 9110 §12.5.1)', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['application/json;q=0.5, text/html;q=0.5', 'application/json'],
    ['video/mp4', 'application/json'],
    ['text/html;q=0', 'application/json'],
    [CHROME, 'text/html'],
    ['text/html, */*', 'text/html'],
    ['TEXT/HTML ; q=1', 'text/html'],
    ['image/png', 'image/png'],
    ['image/*', 'image/png'],
    ['image/svg+xml, image/*;q=0.9, */*;q=0.8', 'image/svg+xml'],
    ['image/png;q=0.2, image/svg+xml;q=0.7', 'image/svg+xml'],
  ])('%s is %s', (accept, type) => {
    expect(preferredType(accept, TYPES)).toBe(type)
  })

  it.each([',,;;==', ';q=1', 'text/html;q=abc', '/', '*', 'text/html;q=', `${'a/b,'.repeat(4_000)}`, '\u0000'])(
    'an invalid header counts as a missing header: %s',
    (accept) => {
      expect(preferredType(accept, TYPES)).toBe('application/json')
    },
  )
})
