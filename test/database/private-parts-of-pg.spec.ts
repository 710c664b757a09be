import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

/*
 * What src/database uses of pg without an interface. With another version: compare these parts with the
 * ones named here, run the specs named beside them, and then change the version.
 */
it.each([
  // byte-rows.ts replaces `Connection.attachListeners`: src/database and test/database/byte-rows.spec.ts.
  ['pg', '8.23.1'],
  // byte-rows.ts sets `Parser.reader.encoding`: the same.
  ['pg-protocol', '1.16.1'],
  // grow-on-demand.ts replaces `_isFull` and `Client`, and calls `_pulseQueue`: grow-on-demand.spec.ts.
  // `Database.noteSilence` uses `_clients` and `_pendingQueue`: test/database/frozen-server.spec.ts.
  ['pg-pool', '3.14.0'],
])('the private parts of %s are known of version %s', (name, known) => {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);

  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ version: known });
});
