import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { de } from '../../client/console/texts/de.js'
import { en } from '../../client/console/texts/en.js'

/**
 * Every text with its path, such as `nav.wallets`. For a text with variable parts, the element is the function that makes the text.
 */
function textsOf(texts: object, above = ''): [name: string, text: unknown][] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'object' && text !== null
      ? textsOf(text, `${above}${name}.`)
      : [[`${above}${name}`, text] satisfies [string, unknown]],
  )
}

// Names of products, protocols and formats, and words that German and English share.
const SAME_IN_BOTH = [
  'Credence',
  'DID',
  'DIDs',
  'ES256 (P-256)',
  'ES384 (P-384)',
  'EdDSA (Ed25519)',
  'Export',
  'Format',
  'HTTPS',
  'Index',
  'JSON Schema',
  'NATS',
  'Name',
  'Optional',
  'PIN',
  'Port',
  'Redis',
  'SD-JWT VC',
  'Status',
  'Text',
  'Version',
  'Wallet',
  'Wallets',
  'did:key',
  'did:web',
  'optional',
]

describe('The texts of the console', () => {
  const english = new Map(textsOf(en))
  const german = textsOf(de)

  it('are the same in German and English only if both languages have the same word', () => {
    const same = german.filter(([name, text]) => typeof text === 'string' && text === english.get(name))
    expect(same.length).toBeGreaterThan(0)
    expect(same.filter(([, text]) => !SAME_IN_BOTH.includes(String(text)))).toEqual([])
    expect(SAME_IN_BOTH.filter((word) => !same.some(([, text]) => text === word))).toEqual([])
  })

  it('are never empty', () => {
    const all = [...english, ...german]
    expect(all.filter(([, text]) => typeof text === 'string' && text.trim() === '')).toEqual([])
  })

  it('explain the main words with the sentences of the glossary', () => {
    const rows = readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| ([^|(]+?)(?: \([^|]*\))? \| ([^|]+) \|/gm)
    const glossary = new Map([...rows].map(([, word, meaning]) => [word, meaning?.replace(/[;:] .*/, '.')]))
    expect(Object.values(en.terms).map(([word]) => [word, glossary.get(word)])).toEqual(Object.values(en.terms))
  })

  it('write large numbers as each language does', () => {
    expect(de.many.rows(10_000)).toBe('Die Datei hat 10.000 Zeilen.')
    expect(en.many.rows(10_000)).toContain('10,000 rows')
  })

  it('use one word for one thing in German', () => {
    const written = german.map(([, text]) => String(text)).join('\n')
    for (const other of [
      'eführte',
      'Vorlage',
      'freiwillig',
      'Fassung',
      'Wurzel',
      'Identity Provider',
      'Identitätsanbieter',
      'Client-Secret',
    ]) {
      expect(written).not.toContain(other)
    }
  })
})
