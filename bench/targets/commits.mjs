import pg from 'pg'
import { answerOperations } from './operations.mjs'

// How many transactions the same PostgreSQL can commit: one row each, by the same driver, and nothing else.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 32 })
await pool.query('CREATE TABLE commits (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL)')

answerOperations({
  commit: () => pool.query({ name: 'commit', text: 'INSERT INTO commits (at) VALUES (now())' }),
})
