import { main } from '../server/keys/command.js'

// Where only the built service is at hand, `node dist/server/keys/command.js` is the same.
await main()
