// Runs before anything else, on whatever Node there is: plain statements only.

/** Ends the process with advice where this Node is too old for the dependencies. */
export function requireNode() {
  var version = process.versions.node.split('.').map(Number)
  var major = version[0]
  var minor = version[1]
  var good = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22
  if (good) return
  process.stderr.write(
    'Credence needs Node.js 20.19 or later (of Node.js 22, 22.12 or later); this is ' +
      process.version +
      '.\nInstall a current one from https://nodejs.org and try again.\n',
  )
  process.exit(1)
}
