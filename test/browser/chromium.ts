/** The options with which tests start the browser. */
export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The browser that tests start: the variable CHROMIUM, or where Debian installs it. */
export const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
