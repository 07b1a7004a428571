import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LANGUAGES } from '../../../client/console/texts/languages.js'
import { loadTexts } from '../../../client/console/texts/load.js'
import { LOOPBACK } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, settled, startOpenService, watchedPage } from './actors.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))

const desk = driven(() => startOpenService(LOOPBACK))

it.each(LANGUAGES)(
  'the overview, the type editor and the offers are good in %s, and load the texts of no other language',
  async (language) => {
    await desk.service.request('POST', '/schemas', { body: demonstration })
    const { overview, types, offers } = await loadTexts(language)
    for (const width of [390, 1440]) {
      const context = await desk.browser.newContext({ viewport: { width, height: 900 }, locale: language })
      const { page, complaints } = await watchedPage(context)
      const files = new Set<string>()
      page.on('request', (request) => {
        const [, name] = /\/assets\/((?:(?:type-editor|faces)-texts-)?[a-z]{2})-[\w-]{8}\.js$/.exec(request.url()) ?? []
        if (name !== undefined) files.add(name)
      })
      for (const [path, title] of [
        ['', overview.title],
        ['types/new-type', types.make],
        ['offers', offers.title],
      ] as const) {
        await page.goto(`${desk.service.url}/console/${path}`)
        await heading(page, title)
        await settled(page)
        await assertGood(page, `${language}-${width}-${path.replaceAll('/', '-')}`, language)
      }
      expect([...files].sort()).toEqual([language, `faces-texts-${language}`, `type-editor-texts-${language}`].sort())
      expect(complaints).toEqual([])
      await context.close()
    }
  },
)
