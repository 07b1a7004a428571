import { main } from '../server/key-rotation/command.js'

// Where only the built service is at hand, `node dist/server/key-rotation/command.js` is the same.
await main()
