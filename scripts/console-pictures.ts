import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { projectDirectory } from '../server/database/migrations.js'
import { ARGUMENTS } from '../test/browser/chromium.js'
import { prepare } from './console-pictures/demonstration.js'
import { startDemonstration } from './console-pictures/service.js'
import { type Album, takePictures } from './console-pictures/views.js'

const directory = join(projectDirectory(), 'docs', 'images')

/**
 * `npm run console:pictures`: makes the pictures in docs/images. It uses the built service with a temporary database.
 */
async function run(): Promise<void> {
  await mkdir(directory, { recursive: true })
  const service = await startDemonstration()
  try {
    const prepared = await prepare(service)
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
    const album: Album = {
      service,
      prepared,
      open: async (viewport, path) => {
        const context = await browser.newContext({ viewport, locale: 'en-GB', colorScheme: 'light' })
        const page = await context.newPage()
        await page.goto(path.startsWith('http') ? path : `${service.url}${path}`)
        return page
      },
      keep: async (page, name) => {
        // The picture must not show the focus and the pointer of the script.
        await page.evaluate('document.activeElement?.blur()')
        await page.mouse.move(0, 0)
        await page.screenshot({ path: join(directory, `${name}.png`), animations: 'disabled' })
        process.stdout.write(`docs/images/${name}.png\n`)
        await page.context().close()
      },
    }
    await takePictures(album).finally(() => browser.close())
  } finally {
    await service.end()
  }
}

await run()
