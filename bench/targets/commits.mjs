import pg from 'pg'
import { answerOperations } from './operations.mjs'

// For comparison: the number of transactions that the same PostgreSQL can commit, with one row each, over the same driver.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 32 })
await pool.query('CREATE TABLE commits (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL)')

answerOperations({
  commit: () => pool.query({ name: 'commit', text: 'INSERT INTO commits (at) VALUES (now())' }),
})
