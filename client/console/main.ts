import '@fontsource-variable/inter/wght.css'
import { askFirst } from './first-questions.js'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/content.css'
import 'virtual:credential-card.css'
import './styles/listing.css'
import './styles/requests.css'
import './styles/search.css'
import './styles/trust.css'
import './styles/types.css'
import { firstLanguage } from './texts/language.js'
import { loadTexts } from './texts/load.js'
import { chosenTheme, showTheme } from './theme.js'

// This file is small, so that it can request the large parts early and at the same time: texts, the first answers of
// the service, and the console.
askFirst()
showTheme(chosenTheme())
const language = firstLanguage()
const texts = loadTexts(language)
const element = document.getElementById('console')
if (element !== null) void import('./start.js').then(({ start }) => start(element, language, texts))
