import { procedure, router } from '../api/trpc.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import type { ChooseLanguage } from './choose-language.js'
import { LIVE_SCRIPT } from './live-script.js'
import { chooseLanguage, liveScript, stylesheet } from './page-files.contract.js'
import { STYLES } from './styles.js'

const file = (mediaType: string, body: string) => (): ProtocolReply => ({
  status: 200,
  headers: { 'content-type': `${mediaType}; charset=utf-8`, 'cache-control': 'public, max-age=3600' },
  body,
})

/** The files that pages load, and the switch of their language. */
export const pageFilesRouter = (choose: ChooseLanguage) =>
  router({
    stylesheet: procedure(stylesheet).query(file('text/css', STYLES)),

    liveScript: procedure(liveScript).query(file('text/javascript', LIVE_SCRIPT)),

    chooseLanguage: procedure(chooseLanguage).query(({ ctx: { request }, input }) => choose(request, input.to)),
  })
