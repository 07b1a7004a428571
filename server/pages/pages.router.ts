import { publicProcedure, router } from '../trpc.js'
import { stylesheet } from './pages.contract.js'
import { STYLES } from './styles.js'

/** What the pages for people have in common. */
export const pagesRouter = router({
  stylesheet: publicProcedure
    .meta(stylesheet.meta)
    .input(stylesheet.input)
    .output(stylesheet.output)
    .query(() => ({
      status: 200,
      headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=3600' },
      body: STYLES,
    })),
})
