import { Client } from 'pg';
import { holdEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';

/**
 * A process to be killed: holds the server of the given data folder, inserts rows continuously, and
 * prints the number of each on stdout once it is committed. Stops gracefully on SIGTERM.
 */
const [, , dataDir = ''] = process.argv;
const server = await holdEmbeddedPostgres({
  dataDir,
  log: (line) => process.stderr.write(`${line}\n`),
});
const { socketDir, user, dbName } = server.address;
const client = new Client({ host: socketDir, user, database: dbName });
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
client.on('error', () => process.exit(1));
await client.connect();
// Two processes that create a table at once may both find it missing.
await client.query('select pg_advisory_lock(1)');
await client.query(
  'create table if not exists acknowledged (process_id int, row_number int, filling text)',
);
await client.query('select pg_advisory_unlock(1)');
const filling = 'x'.repeat(3000);
for (let row = 1; !stopping.signal.aborted; row++) {
  await client.query('insert into acknowledged values ($1, $2, $3)', [process.pid, row, filling]);
  process.stdout.write(`${row}\n`);
}
await client.end();
await server.release();
