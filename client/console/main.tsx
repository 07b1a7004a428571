import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { connection } from './connection.js'
import { queryClient } from './queries/query-client.js'
import { router } from './router.js'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/content.css'
import './styles/requests.css'
import { firstLanguage, loadTexts } from './texts/language.js'
import { TextsProvider } from './texts/use-texts.js'

// What was shown while the service was away may have changed meanwhile.
connection.subscribe(() => {
  if (!connection.isAway()) void queryClient.invalidateQueries()
})

async function start(element: HTMLElement): Promise<void> {
  const language = firstLanguage()
  const texts = await loadTexts(language)
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

const element = document.getElementById('console')
if (element !== null) void start(element)
