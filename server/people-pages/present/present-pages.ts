import type { Config } from '../../config/config.js'
import type { SessionView } from '../../verifier/sessions/session.js'
import type { VerificationSessions } from '../../verifier/sessions/verification-sessions.js'
import type { PageStore } from '../store.js'
import { createWatchPage, type WatchPagePorts } from '../watch.js'
import { type ComeBackPorts, createComeBack } from './come-back.js'
import { createOpenPresentPage, type OpenPresentPagePorts } from './page.js'
import { FINAL_STATES, type Progress, progressOf } from './sentences.js'
import { createShowPresentPage, type ShowPresentPagePorts } from './show.js'

/** What {@link createPresentPages} is made of. */
export interface PresentPagesPorts
  extends Omit<OpenPresentPagePorts, 'config'>,
    Pick<ShowPresentPagePorts, 'random'>,
    Pick<WatchPagePorts, 'events'> {
  readonly store: Pick<PageStore, 'presentTarget'> & ComeBackPorts['store'] & ShowPresentPagePorts['store']
  readonly config: OpenPresentPagePorts['config'] & Pick<Config, 'verifierBaseUrl'>
  readonly latest: VerificationSessions['latest']
}

export type PresentPages = ReturnType<typeof createPresentPages>

/** Pages on which people are asked to present something. */
export function createPresentPages({
  store,
  config,
  formats,
  clock,
  random,
  events,
  latest,
  digitalCredentialRequest,
}: PresentPagesPorts) {
  const openPage = createOpenPresentPage({ formats, config, clock, digitalCredentialRequest })
  return {
    show: createShowPresentPage({ store, config, clock, random, openPage }),

    comeBack: createComeBack({ store, config }),

    watch: createWatchPage<SessionView, Progress['state']>(
      { events, clock },
      {
        target: store.presentTarget,
        latest,
        progress: progressOf,
        baseUrl: () => config.verifierBaseUrl,
        isFinal: (state) => FINAL_STATES.includes(state),
      },
    ),
  }
}
