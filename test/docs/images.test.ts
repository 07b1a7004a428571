import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const DOCUMENTS = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const MOST_BYTES = 700_000

interface Shown {
  readonly path: string
  readonly alt: string
}

/** Each picture of a document, with its text for screen readers. */
function picturesOf(document: string): Shown[] {
  const text = readFileSync(document, 'utf8')
  const inMarkdown = [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, alt = '', path = '']) => ({ path, alt }))
  const inHtml = [...text.matchAll(/<img\s[^>]*>/g)].map(([tag]) => ({
    path: /\ssrc="([^"]*)"/.exec(tag)?.[1] ?? '',
    alt: /\salt="([^"]*)"/.exec(tag)?.[1] ?? '',
  }))
  return [...inMarkdown, ...inHtml]
    .filter(({ path }) => /\.\w+$/.test(path) && !path.startsWith('http'))
    .map(({ path, alt }) => ({ path: normalize(join(dirname(document), path)), alt }))
}

const shown = DOCUMENTS.flatMap(picturesOf)
const kept = readdirSync('docs/images').map((name) => `docs/images/${name}`)

describe('the pictures of the documents', () => {
  it('all exist, and the folder has no unused picture', () => {
    expect(kept.length).toBeGreaterThan(0)
    expect([...new Set(shown.map(({ path }) => path))].sort()).toEqual([...kept].sort())
  })

  it('have a description in words', () => {
    for (const { path, alt } of shown) expect(alt.split(' ').length, path).toBeGreaterThan(5)
  })

  it('are valid pictures, and together small enough for a clone', () => {
    const files = kept.map((path) => readFileSync(path))
    for (const bytes of files) expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG')
    expect(files.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(MOST_BYTES)
  })
})
