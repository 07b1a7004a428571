import type { WalletLink } from '../config/wallet-links.js'
import { type Html, html } from '../pages/html.js'
import type { Speech } from '../pages/speech.js'

/** The names of the stores are trademarks, which no language translates. */
const APP_STORE = 'App Store'
const GOOGLE_PLAY = 'Google Play'

function linksTo({ name, ios, android, web }: WalletLink, speech: Speech): Html[] {
  const links = [
    [ios, APP_STORE],
    [android, GOOGLE_PLAY],
    [web, speech.say('wallets.web')],
  ] as const
  return links.flatMap(([address, store]) =>
    address === undefined
      ? []
      : [
          html`<li><a href="${address}" rel="noopener noreferrer" aria-label="${`${store}: ${name}`}">${store}</a></li>`,
        ],
  )
}

/**
 * The wallets that a person without a wallet may install. WALLET_LINKS lists them.
 *
 * @param baseUrl the base URL of the page's address: a logo with a path belongs to the same origin
 * @returns undefined if the installation names no wallet
 */
export function walletsToInstall(wallets: readonly WalletLink[], baseUrl: string, speech: Speech): Html | undefined {
  if (wallets.length === 0) return undefined
  const items = wallets.map((wallet) => {
    const { name, logo } = wallet
    const picture =
      logo !== undefined &&
      html`<img src="${logo.startsWith('/') ? `${new URL(baseUrl).origin}${logo}` : logo}" alt="" width="40" height="40">`
    return html`<li>${picture}<div><strong>${name}</strong><ul>${linksTo(wallet, speech)}</ul></div></li>`
  })
  return html`<section class="wallets" aria-labelledby="no-wallet"><h2 id="no-wallet">${speech.say('wallets.none')}</h2><p>${speech.say('wallets.get')}</p><ul>${items}</ul></section>`
}
