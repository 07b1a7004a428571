import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const seed = readFileSync(new URL('../../prisma/seed/proof-of-purchase.json', import.meta.url), 'utf8')

/** The code blocks of a section, in order. */
function blocksOf(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** Makes a pattern from a text that is shortened with `…`. The full text must match it. */
const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+?')}$`,
  )

let service: TestService

beforeAll(async () => {
  // The same value as npm start fills in.
  service = await startService({ env: { AUTH_DISABLED: 'true', TRUSTED_ISSUERS: '*', OIDC_JWKS_URL: '' } })
  const posted = await service.request('POST', '/schemas', { body: JSON.parse(seed) })
  expect(posted.status).toBe(201)
})
afterAll(() => service.close())

it('the first hour can be pasted into a shell, and prints the documented output', async () => {
  const [block = '', printed = ''] = blocksOf('A first hour')
  const env = { PATH: process.env.PATH ?? '', CREDENCE_URL: service.url }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', block], { env })
  expect(stderr).toBe('')
  const expected = printed.replaceAll('http://localhost:3000', service.url)
  expect(stdout).toMatch(patternOf(expected))
})

it('the first hour has no comments and no history expansion, because zsh does not accept them at its prompt', () => {
  const [block = ''] = blocksOf('A first hour')
  expect(block).not.toMatch(/(^|\s)#|!/m)
})
