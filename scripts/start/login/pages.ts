import type { Person } from './people.js'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 3rem auto; max-width: 28rem; padding: 0 1rem; background: light-dark(#f4f6fa, #10131a); color: light-dark(#1a2130, #e8ebf2) }
button { display: block; width: 100%; margin: .75rem 0; padding: .75rem 1rem; border: 1px solid light-dark(#7b8597, #8590a5); border-radius: .75rem; background: light-dark(#fff, #191e28); color: inherit; font: inherit; font-weight: 600; text-align: start; cursor: pointer }
button:hover { border-color: light-dark(#1d4fc4, #8fb0ff) }
small { display: block; color: light-dark(#4d586b, #aeb7c7); font-weight: 400 }`

/** @param body HTML, with all texts escaped */
const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>${body}</main></body></html>`

/** The page on which a user chooses a person. */
export function choicePage(people: readonly Person[]): string {
  const buttons = people.map(({ id, givenName, familyName, may }) => {
    const name = `${givenName} ${familyName}`
    return `<button name="person" value="${escaped(id)}">${escaped(name)}<small>${escaped(may)}</small></button>`
  })
  return page(
    'Who are you?',
    `<p>This sign-in is for development on this machine. It asks for no password.</p><form method="post">${buttons.join('')}</form>`,
  )
}

/**
 * The page that ends the session of a browser. It sends its form by itself. Without scripts, its button does.
 *
 * @param form the provider's form, with the id `op.logoutForm`
 */
export const signOutPage = (form: string): string =>
  page(
    'Sign out',
    `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<script>document.querySelector('button').click()</script>`,
  )

/** The page for a request that the provider cannot answer. */
export const problemPage = (text: string): string => page('You are not signed in', `<p>${escaped(text)}</p>`)
