import { readFileSync } from 'node:fs'

/** The versions of `engines` in package.json, such as `^20.19.0 || >=26.0.0`: the only place that lists them. */
var supported = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).engines.node

/**
 * True if a version of Node.js fits the ranges of `engines`, each `^x.y.z` or `>=x.y.z`.
 *
 * @param {string} version as in process.versions.node
 * @param {string} ranges joined by `||`
 */
export function fits(version, ranges) {
  var [major, minor] = version.split('.').map(Number)
  return ranges.split(' || ').some((range) => {
    var open = range.startsWith('>=')
    var [leastMajor, leastMinor] = range
      .slice(open ? 2 : 1)
      .split('.')
      .map(Number)
    return (major === leastMajor && minor >= leastMinor) || (open && major > leastMajor)
  })
}

/** Ends the process with advice if the project does not support this version of Node.js. Old versions run this file too, so its syntax is old. */
export function requireNode() {
  if (fits(process.versions.node, supported)) return
  process.stderr.write(
    'Credence needs Node.js ' +
      supported.split(' || ').join(' or ') +
      '; this is ' +
      process.version +
      '.\nInstall a current one from https://nodejs.org and try again.\n',
  )
  process.exit(1)
}
