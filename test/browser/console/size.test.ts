import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { FACE_TEXTS } from '../../../client/console/texts/faces/load.js'
import { LANGUAGES } from '../../../client/console/texts/languages.js'
import { REGISTRATION_TEXTS } from '../../../client/console/texts/registrations/load.js'
import { SIGNING_KEY_TEXTS } from '../../../client/console/texts/signing-keys/load.js'
import { TRUST_LIST_TEXTS } from '../../../client/console/texts/trust-lists/load.js'
import { EDITOR_TEXTS } from '../../../client/console/texts/type-editor/load.js'

const directory = 'dist/console'
const MOST = 250 * 1024

const gzipped = (file: string) => gzipSync(readFileSync(join(directory, file))).length

it('the first screen transfers at most 250 KiB, including texts, styles and the font', () => {
  const page = readFileSync(join(directory, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name)
  const texts = readdirSync(join(directory, 'assets')).filter((name) => name.startsWith('en-'))
  expect(named.map((name) => name.replace(/-[\w-]{8}\./, '.')).sort()).toEqual([
    'assets/console.js',
    'assets/first.css',
    'assets/first.js',
    'assets/inter-latin-wght-normal.woff2',
    'assets/mark.svg',
    'assets/rolldown-runtime.js',
  ])
  const bytes = ['index.html', ...named, ...texts.map((name) => join('assets', name))].map(gzipped)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST)
})

it.each(LANGUAGES)(
  'the texts in %s of the type editor, branding, trusted lists, registration certificates and signing keys are files of their own',
  async (language) => {
    const { intro } = (await EDITOR_TEXTS[language]()).start
    const { choose } = (await FACE_TEXTS[language]()).images
    const { textHint } = (await REGISTRATION_TEXTS[language]()).certificates
    const { noProvidersText } = await SIGNING_KEY_TEXTS[language]()
    const { newIntro } = (await TRUST_LIST_TEXTS[language]()).lists
    const names = readdirSync(join(directory, 'assets')).filter((name) => name.endsWith('.js'))
    const having = (text: string) =>
      names
        .filter((name) => readFileSync(join(directory, 'assets', name), 'utf8').includes(text))
        .map((name) => name.replace(/-[\w-]{8}\.js$/, ''))
    expect(having(intro)).toEqual([`type-editor-texts-${language}`])
    expect(having(choose)).toEqual([`faces-texts-${language}`])
    expect(having(textHint)).toEqual([`registrations-texts-${language}`])
    expect(having(noProvidersText)).toEqual([`signing-keys-texts-${language}`])
    expect(having(newIntro)).toEqual([`trust-lists-texts-${language}`])
  },
)

it('no file names another host', () => {
  const code = readdirSync(join(directory, 'assets')).map((name) =>
    readFileSync(join(directory, 'assets', name), 'utf8'),
  )
  const hosts = code.flatMap((text) => [...text.matchAll(/(?:src|href|import)\s*[=(]\s*["'`]https?:\/\/([^/"'`]+)/g)])
  expect(hosts.map(([, host]) => host)).toEqual([])
})
