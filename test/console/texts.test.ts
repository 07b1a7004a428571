import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { de } from '../../client/console/texts/de.js'
import { en } from '../../client/console/texts/en.js'
import { es } from '../../client/console/texts/es.js'
import { de as faceDe } from '../../client/console/texts/faces/de.js'
import { en as faceEn } from '../../client/console/texts/faces/en.js'
import { es as faceEs } from '../../client/console/texts/faces/es.js'
import { fr as faceFr } from '../../client/console/texts/faces/fr.js'
import { it as faceIt } from '../../client/console/texts/faces/it.js'
import { fr } from '../../client/console/texts/fr.js'
import { it as italian } from '../../client/console/texts/it.js'
import { de as registrationDe } from '../../client/console/texts/registrations/de.js'
import { en as registrationEn } from '../../client/console/texts/registrations/en.js'
import { es as registrationEs } from '../../client/console/texts/registrations/es.js'
import { fr as registrationFr } from '../../client/console/texts/registrations/fr.js'
import { it as registrationIt } from '../../client/console/texts/registrations/it.js'
import { de as signingKeyDe } from '../../client/console/texts/signing-keys/de.js'
import { en as signingKeyEn } from '../../client/console/texts/signing-keys/en.js'
import { es as signingKeyEs } from '../../client/console/texts/signing-keys/es.js'
import { fr as signingKeyFr } from '../../client/console/texts/signing-keys/fr.js'
import { it as signingKeyIt } from '../../client/console/texts/signing-keys/it.js'
import { de as listDe } from '../../client/console/texts/trust-lists/de.js'
import { en as listEn } from '../../client/console/texts/trust-lists/en.js'
import { es as listEs } from '../../client/console/texts/trust-lists/es.js'
import { fr as listFr } from '../../client/console/texts/trust-lists/fr.js'
import { it as listIt } from '../../client/console/texts/trust-lists/it.js'
import { de as editorDe } from '../../client/console/texts/type-editor/de.js'
import { en as editorEn } from '../../client/console/texts/type-editor/en.js'
import { es as editorEs } from '../../client/console/texts/type-editor/es.js'
import { fr as editorFr } from '../../client/console/texts/type-editor/fr.js'
import { it as editorIt } from '../../client/console/texts/type-editor/it.js'

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
  'AWS KMS',
  'Azure Key Vault',
  'Credence',
  'DID',
  'DIDs',
  'ES256 (P-256)',
  'ES384 (P-384)',
  'EdDSA (Ed25519)',
  'Export',
  'Format',
  'Google Cloud KMS',
  'HTTPS',
  'Index',
  'JSON Schema',
  'Logo',
  'NATS',
  'Name',
  'Optional',
  'PIN',
  'Port',
  'Redis',
  'SD-JWT VC',
  'Status',
  'Test',
  'Text',
  'Vault Transit',
  'Version',
  'Wallet',
  'Wallets',
  'Webhook',
  'Webhooks',
  'did:key',
  'did:web',
  'optional',
]

describe('The texts of the console', () => {
  const english = new Map(
    textsOf({
      ...en,
      editor: editorEn,
      faces: faceEn,
      trustLists: listEn,
      registrations: registrationEn,
      signingKeys: signingKeyEn,
    }),
  )
  const german = textsOf({
    ...de,
    editor: editorDe,
    faces: faceDe,
    trustLists: listDe,
    registrations: registrationDe,
    signingKeys: signingKeyDe,
  })

  it('are the same in German and English only if both languages have the same word', () => {
    const same = german.filter(([name, text]) => typeof text === 'string' && text === english.get(name))
    expect(same.length).toBeGreaterThan(0)
    expect(same.filter(([, text]) => !SAME_IN_BOTH.includes(String(text)))).toEqual([])
    expect(SAME_IN_BOTH.filter((word) => !same.some(([, text]) => text === word))).toEqual([])
  })

  it('are never empty', () => {
    const others = [
      fr,
      es,
      italian,
      editorFr,
      editorEs,
      editorIt,
      faceFr,
      faceEs,
      faceIt,
      listFr,
      listEs,
      listIt,
      registrationFr,
      signingKeyFr,
      registrationEs,
      signingKeyEs,
      registrationIt,
      signingKeyIt,
    ].flatMap((texts) => textsOf(texts))
    expect(others).toHaveLength(3 * english.size)
    const all = [...english, ...german, ...others]
    expect(all.filter(([, text]) => typeof text === 'string' && text.trim() === '')).toEqual([])
  })

  it('are all used: each text is named in the code of the console', () => {
    const files = readdirSync('client/console', { recursive: true, encoding: 'utf8' })
    const code = files
      .filter((path) => /\.tsx?$/.test(path) && (!path.startsWith('texts/') || /^texts\/[\w-]+\.tsx?$/.test(path)))
      .map((path) => readFileSync(`client/console/${path}`, 'utf8'))
      .join('\n')
    const named = new Set(code.match(/[A-Za-z_]\w*/g))
    // Deeper texts are often chosen by a code of the service, so their names need not be in the console's own code.
    const [areas, members] = [Object.keys(en), Object.values(en).flatMap((area) => Object.keys(area))]
    expect([...areas, ...members].filter((name) => /^[a-z]\w*$/i.test(name) && !named.has(name))).toEqual([])
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
