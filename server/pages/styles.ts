/** One look for all pages: readable from 320 pixels on, in light and dark, for a keyboard as for a finger. */
export const STYLES = `:root { color-scheme: light dark; --ink: #1d2330; --paper: #f6f7f9; --card: #fff; --line: #c9ced8; --soft: #505a6c; --accent: #1f4fbf; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf2; --paper: #12151c; --card: #1b202a; --line: #3c4454; --soft: #aab3c4; --accent: #8fb0ff; --on-accent: #10182b; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 4vh auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
.from { margin: 0; color: var(--soft); }
.banner { margin: 0 0 1rem; padding: .75rem; border: 2px solid currentColor; border-radius: .5rem; font-weight: 600; }
dl { margin: 1rem 0; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 1 1 10rem; color: var(--soft); }
dd { flex: 2 1 14rem; margin: 0; }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button { flex: 1 1 10rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .5rem; background: transparent; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
button.primary { background: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`
