import type { Config } from '../../config/config.js'
import type { Events } from '../../events/stream.js'
import type { Installation } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { SealingKey } from '../../pages/on-demand.js'
import type { Openid4vp } from '../../verifier/openid4vp/openid4vp.js'
import type { SessionView } from '../../verifier/sessions/session.js'
import type { VerificationSessions } from '../../verifier/sessions/verification-sessions.js'
import type { KeptAnswerConfig } from '../kept.js'
import type { PageStore } from '../store.js'
import { createWatchPage } from '../watch.js'
import { createComeBack } from './come-back.js'
import { createDecline } from './decline.js'
import { createDeclineToken } from './decline-token.js'
import { createEndedPage } from './ended.js'
import { createOpenPresentPage } from './page.js'
import { FINAL_STATES, type Progress, progressOf } from './sentences.js'
import { createShowPresentPage } from './show.js'

/** Dependencies of {@link createPresentPages}. */
export interface PresentPagesPorts {
  readonly store: Pick<PageStore, 'present' | 'returned' | 'presentTarget'>
  readonly config: Installation & KeptAnswerConfig & Pick<Config, 'verifierBaseUrl' | 'walletLinks' | 'serviceContact'>
  readonly formats: Pick<Formats, 'named'>
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly events: Pick<Events, 'stream'>
  readonly sessions: Pick<VerificationSessions, 'latest' | 'decline'>
  readonly openid4vp: Pick<Openid4vp, 'digitalCredentialRequest' | 'transactionData'>
  readonly sealingKey: SealingKey
}

export type PresentPages = ReturnType<typeof createPresentPages>

/** Share pages of authorization requests. */
export function createPresentPages({
  store,
  config,
  formats,
  clock,
  random,
  events,
  sessions,
  openid4vp,
  sealingKey,
}: PresentPagesPorts) {
  const tokenOf = createDeclineToken(sealingKey('decline'))
  const endedPage = createEndedPage(config)
  const openPage = createOpenPresentPage({ formats, config, clock, openid4vp, tokenOf })
  return {
    show: createShowPresentPage({ store, config, clock, random, openPage, endedPage }),

    decline: createDecline({ store, config, clock, random, tokenOf, decline: sessions.decline, endedPage }),

    comeBack: createComeBack({ store, config }),

    watch: createWatchPage<SessionView, Progress['state']>(
      { events, clock },
      {
        target: store.presentTarget,
        latest: sessions.latest,
        progress: progressOf,
        baseUrl: () => config.verifierBaseUrl,
        isFinal: (state) => FINAL_STATES.includes(state),
      },
    ),
  }
}
