import pg from 'pg'
import { answerOperations } from './operations.mjs'

// A program for comparison. It commits transactions of one row in the same PostgreSQL, with the same driver as the
// service.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 32 })
await pool.query('CREATE TABLE commits (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL)')

answerOperations({
  commit: () => pool.query({ name: 'commit', text: 'INSERT INTO commits (at) VALUES (now())' }),
})
