import { CARD_STYLES } from '../protocol/credential-card/styles.js'
import { TOKENS } from './tokens.js'

/**
 * The style sheet of all pages. The pages are readable from a width of 320 pixels, in a light and a dark colour scheme,
 * and can be used with keyboard and touch.
 */
export const STYLES = `${TOKENS}* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 4vh auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .08); overflow-wrap: anywhere; }
@media (min-width: 40rem) { main { padding: 2rem 2.25rem; } }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 0 0 .5rem; font-size: 1rem; }
a { color: inherit; }
img { display: block; max-width: 100%; max-height: 12rem; border-radius: .5rem; }
.from { margin: 0 0 .25rem; color: var(--soft); font-weight: 600; }
.about, .hint, .optional, .none { color: var(--soft); }
.banner { margin: 0 0 1.25rem; padding: .75rem 1rem; border-radius: .5rem; background: var(--note-wash); color: var(--note); font-weight: 600; }
dl { margin: 1rem 0; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 1 1 10rem; color: var(--soft); }
dd { flex: 2 1 14rem; margin: 0; font-weight: 500; white-space: pre-line; }
fieldset { margin: 1.25rem 0 0; padding: 0 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; min-width: 0; }
legend { padding: 0 .4rem; font-weight: 600; }
.field { margin-top: 1.1rem; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
.optional { font-weight: 400; }
.hint, .problem { margin: 0 0 .25rem; font-size: .9rem; }
input, select, textarea { display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--field); border-radius: .5rem; background: var(--card); color: var(--ink); font: inherit; }
[aria-invalid] { border: 2px solid var(--bad); }
.problem { margin: .25rem 0 0; color: var(--bad); font-weight: 600; }
.problems { margin: 1rem 0; padding: .75rem 1rem; border: 2px solid var(--bad); border-radius: .5rem; }
.problems ul { margin: 0; padding-inline-start: 1.25rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.75rem; }
button { flex: 1 1 10rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .5rem; background: transparent; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
button:disabled { opacity: .6; cursor: default; }
button:hover { border-color: var(--accent-hover); color: var(--accent-hover); }
[hidden] { display: none !important; }
a.button { display: flex; align-items: center; justify-content: center; min-height: 3rem; padding: .5rem 1rem; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font-weight: 600; text-align: center; text-decoration: none; }
a.button:hover { background: var(--accent-hover); }
.about { white-space: pre-line; }
.ways button { width: 100%; }
.asked { margin: 0 0 1.25rem; padding-inline-start: 1.25rem; }
.asked ul { padding-inline-start: 1.1rem; color: var(--soft); }
.status { margin: 1.25rem 0 .25rem; font-weight: 600; }
.time { margin: 0 0 1.25rem; color: var(--soft); }
.ways { display: grid; gap: 1.25rem; margin-top: 1.25rem; }
.ways section { padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; }
.ways p { margin: 0 0 .75rem; }
.ways p:last-child { margin-bottom: 0; }
.qr { height: auto; max-height: none; margin: 0 auto; background: #fff; }
.scanned { display: grid; gap: 1rem 1.25rem; }
@media (min-width: 40rem) { .scanned:not(.dense) { grid-template-columns: 1fr 18rem; align-items: start; } }
.again { margin: 1.5rem 0 0; }
.again a { display: inline-block; padding: .5rem 0; }
ul.asked { padding-inline-start: 0; list-style: none; display: grid; gap: 1rem; }
.kept ul { margin: .25rem 0 1rem; padding-inline-start: 1.1rem; color: var(--soft); font-size: .9rem; }
.or { margin: .5rem 0; color: var(--soft); }
.described, .listed { margin: .75rem 0 0; color: var(--soft); font-size: .9rem; }
.credential ul { display: flex; flex-wrap: wrap; gap: .4rem; margin: .5rem 0 1rem; padding: 0; list-style: none; color: var(--ink); }
.credential li { padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); font-size: .9rem; }
.transaction { margin: 0 0 1.25rem; padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--sunk); }
.transaction dl { margin: .75rem 0 0; }
.transaction .hint, .transaction p { margin: 0; }
h3 { margin: 0 0 .25rem; font-size: 1rem; }
.sum { font-size: 1.25rem; font-weight: 600; }
.wallets ul { margin: 0; padding: 0; list-style: none; }
.wallets > ul { display: grid; gap: .75rem; }
.wallets > ul > li { display: flex; gap: .75rem; align-items: center; }
.wallets li ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.wallets li a { display: inline-block; padding: .35rem 0; }
.decline p { margin: 0 0 .5rem; }
details { border: 1px solid var(--line); border-radius: .75rem; }
summary { padding: .75rem 1rem; cursor: pointer; font-weight: 600; }
.ways details section { padding-top: 0; border: 0; }
footer { max-width: 36rem; margin: 0 auto 2rem; }
.mark { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1rem; max-width: 36rem; margin: 4vh auto -2vh; padding: .9rem 1.5rem; border-radius: 1rem; overflow-wrap: anywhere; }
.mark img { max-height: 3rem; max-width: 12rem; border-radius: 0; }
.mark strong { font-size: 1.1rem; }
.mark + main .from { display: none; }
.brand { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 1rem; padding: 0 1rem; list-style: none; }
.brand a { display: inline-block; padding: .35rem 0; }
.languages ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0 1rem 1rem; list-style: none; }
.languages a, .languages strong { display: inline-block; padding: .35rem 0; }
nav ul { display: grid; gap: .75rem; margin: 1.5rem 0 0; padding: 0; list-style: none; }
nav a { display: block; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .75rem; text-decoration: none; }
nav a:hover { border-color: var(--accent); }
nav strong { display: block; color: var(--accent); }
nav span { color: var(--soft); font-size: .9rem; }
.states { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
.states .hint { margin: 0; }
.state { display: inline-block; margin: 0; padding: .2rem .75rem; border-radius: 1rem; background: var(--good-wash); color: var(--good); font-weight: 600; }
.state.down { background: var(--bad-wash); color: var(--bad); }
button.primary { background: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-hover); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
${CARD_STYLES}`
