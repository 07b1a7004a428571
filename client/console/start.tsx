import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { connection } from './connection.js'
import { wasAsked } from './first-questions.js'
import { setupAtOnce } from './queries/overview.js'
import { queryClient } from './queries/query-client.js'
import { session } from './queries/session.js'
import { router } from './router.js'
import type { Language } from './texts/languages.js'
import type { Texts } from './texts/texts.js'
import { TextsProvider } from './texts/use-texts.js'

/**
 * The longest wait for the first answers, in milliseconds. A service nearby answers within this time. If the service is
 * slower, the frame is drawn before the answers arrive.
 */
const WAIT_MS = 150

// Data on the screen may have changed while the service was unreachable.
connection.subscribe(() => {
  if (!connection.isAway()) void queryClient.invalidateQueries()
})

/** Puts the first answers into the cache, so that the screen can be drawn at once. */
async function firstAnswers(): Promise<void> {
  await queryClient.prefetchQuery(session)
  const user = queryClient.getQueryData(session.queryKey)?.user
  if (user?.operations.includes('setup.read') === true && wasAsked('setup'))
    await queryClient.prefetchQuery(setupAtOnce)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Draws the console into an element of its page. */
export async function start(element: HTMLElement, language: Language, loading: Promise<Texts>): Promise<void> {
  const [texts] = await Promise.all([loading, router.load(), Promise.race([firstAnswers(), pause(WAIT_MS)])])
  document.documentElement.lang = language
  createRoot(element).render(
    <StrictMode>
      <TextsProvider language={language} texts={texts}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </TextsProvider>
    </StrictMode>,
  )
}
