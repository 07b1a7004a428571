import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { STYLES } from '../../server/pages/styles.js'
import { COLOURS } from '../../server/pages/tokens.js'

it('the pages have the colours of the console', async () => {
  const tokens = await readFile(new URL('../../client/console/styles/tokens.css', import.meta.url), 'utf8')
  const declared = [...tokens.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\);/g)]
  const colours = Object.fromEntries(declared.map(([, name, light, dark]) => [name, [light, dark]]))
  expect(Object.keys(COLOURS).length).toBeGreaterThan(10)
  for (const [name, colour] of Object.entries(COLOURS)) expect(colours[name], name).toEqual(colour)
})

it('the style sheet uses only colours that it defines', () => {
  const used = [...STYLES.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name)
  expect(used.filter((name) => !Object.hasOwn(COLOURS, name ?? ''))).toEqual([])
})
