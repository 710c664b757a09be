import { describe, expect, it } from '@jest/globals';
import { twoKnownApps } from '../support/two-known-apps.js';

const LISTENER = '/api/v1/events_listener';

const { app, other } = await twoKnownApps();

const query = { eventType: 'node_event' };

describe('events_listener', () => {
  it('subscribes to all subtypes by default', async () => {
    const json = { ...query, actionHandler: '/nodes' };

    expect(await app.as().ocs('POST', LISTENER, { json })).toMatchObject({
      statuscode: 100,
      data: [],
    });
    expect((await app.as().ocs('GET', LISTENER, { query })).data).toEqual({
      id: expect.any(Number),
      appid: 'a1',
      event_type: 'node_event',
      event_subtypes: [],
      action_handler: 'nodes',
    });
  });

  it('is unique per event type, and overwritten when registered again', async () => {
    await app.as().ocs('POST', LISTENER, { json: { ...query, actionHandler: 'old' } });
    const first = (await app.as().ocs('GET', LISTENER, { query })).data as object;
    const eventSubtypes = ['NodeCreatedEvent', 'NodeDeletedEvent'];

    await app.as().ocs('POST', LISTENER, {
      json: { event_type: 'node_event', event_subtypes: eventSubtypes, action_handler: 'new' },
    });

    expect((await app.as().ocs('GET', LISTENER, { query })).data).toEqual({
      ...first,
      event_subtypes: eventSubtypes,
      action_handler: 'new',
    });
  });

  it('is private to its app', async () => {
    await app.as().ocs('POST', LISTENER, { json: { ...query, actionHandler: 'x' } });

    expect((await other.as().ocs('GET', LISTENER, { query })).statuscode).toBe(404);
    expect((await other.as().ocs('DELETE', LISTENER, { query })).statuscode).toBe(404);
  });

  it('[G95] is 404 when unregistered twice', async () => {
    await app.as().ocs('POST', LISTENER, { json: { ...query, actionHandler: 'x' } });

    expect((await app.as().ocs('DELETE', LISTENER, { query })).statuscode).toBe(100);
    expect((await app.as().ocs('DELETE', LISTENER, { query })).statuscode).toBe(404);
    const unknown = { query: { eventType: 'never' } };
    expect((await app.as().ocs('DELETE', LISTENER, unknown)).statuscode).toBe(404);
  });

  it.each([
    [
      { eventType: 'e'.repeat(33), actionHandler: 'x' },
      '"eventType" must have at most 32 characters',
    ],
    [{ eventType: 'node_event' }, '"actionHandler" is missing'],
    [
      { eventType: 'node_event', actionHandler: 'x', eventSubtypes: 'all' },
      '"eventSubtypes" must be',
    ],
  ])('rejects %j', async (json, message) => {
    const answer = await app.as().ocs('POST', LISTENER, { json });

    expect(answer.statuscode).toBe(400);
    expect(answer.message).toContain(message);
  });
});
