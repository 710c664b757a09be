import { expect, it } from '@jest/globals';
import type { AccessChanges } from '../../common/ports/access-changes.js';
import { ConnectionEnds } from './connection-ends.service.js';
import type { AdmittedProxyRequest } from './proxy-gate.service.js';

it('A connection that cannot watch its user leaves no watch of the app behind.', async () => {
  let open = 0;
  const access = {
    watchApp: async () => {
      open += 1;
      return { signal: new AbortController().signal, close: () => (open -= 1) };
    },
    watch: () => Promise.reject(new Error('the database is away')),
  } as unknown as AccessChanges;
  const admitted = { app: { appId: 'board' }, account: { userId: 'ada' } } as AdmittedProxyRequest;

  const watching = new ConnectionEnds(access).watch(admitted, () => {});

  await expect(watching).rejects.toThrow('the database is away');
  expect(open).toBe(0);
});
