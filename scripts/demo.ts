import { runDemo } from './demo/run.js'

const { CREDENCE_URL, ACCESS_TOKEN, CLIENT_SECRET } = process.env

process.exitCode = await runDemo({
  url: CREDENCE_URL || 'http://localhost:3000',
  accessToken: ACCESS_TOKEN || undefined,
  clientSecret: CLIENT_SECRET || undefined,
  print: (line) => process.stdout.write(`${line}\n`),
})
