import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const directory = 'dist/console'
const MOST = 250 * 1024

const gzipped = (file: string) => gzipSync(readFileSync(join(directory, file))).length

it('the first screen takes at most 250 KiB over the wire, texts and styles included', () => {
  const assets = readdirSync(join(directory, 'assets'))
  const screens = /^(list|edit|detail|new-offer|offer|schema-fields|qr-code)-/
  const first = assets.filter((name) => !screens.test(name) && !name.startsWith('de-'))
  const bytes = ['index.html', ...first.map((name) => join('assets', name))].map(gzipped)
  expect(first.some((name) => name.startsWith('overview-'))).toBe(true)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST)
})

it('no file names another host', () => {
  const code = readdirSync(join(directory, 'assets')).map((name) =>
    readFileSync(join(directory, 'assets', name), 'utf8'),
  )
  const hosts = code.flatMap((text) => [...text.matchAll(/(?:src|href|import)\s*[=(]\s*["'`]https?:\/\/([^/"'`]+)/g)])
  expect(hosts.map(([, host]) => host)).toEqual([])
})
