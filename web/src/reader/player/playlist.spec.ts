import { describe, expect, it } from 'vitest';
import {
  MOST_QUEUED,
  moved,
  playInstead,
  positionIn,
  without,
  withQueued,
  type Recording,
} from './playlist.js';

function recording(itemId: number): Recording {
  return { itemId, title: `Talk ${itemId}`, feedTitle: 'Talks', url: `u${itemId}`, picture: null };
}

const [ONE, TWO, THREE] = [recording(1), recording(2), recording(3)];
const heard = { itemId: 1, currentTime: 61.8, duration: 100.4, ended: false };

describe('The playlist', () => {
  it('plays another recording, keeps the position of the former one, and queues neither.', () => {
    const now = playInstead({ current: ONE, queue: [TWO, THREE] }, TWO, heard);

    expect(now.current).toEqual(TWO);
    expect(now.queue).toEqual([THREE]);
    expect(now.left).toEqual({ itemId: 1, position: 61, duration: 100 });
  });

  it('keeps no position of a recording that was not heard.', () => {
    expect(playInstead({ current: null, queue: [] }, TWO, null).left).toBeNull();
  });

  it('queues a recording once, at the end, and plays the first one.', () => {
    const first = withQueued({ current: null, queue: [] }, ONE);
    expect(first).toEqual({ current: ONE, queue: [] });

    const list = { current: ONE, queue: [TWO] };
    expect(withQueued(list, THREE)).toEqual({ current: ONE, queue: [TWO, THREE] });
    expect(withQueued(list, { ...TWO })).toBe(list);
  });

  it('takes no more than its limit.', () => {
    const queue = Array.from({ length: MOST_QUEUED }, (_, at) => recording(at + 10));

    expect(withQueued({ current: ONE, queue: queue.slice(1) }, TWO)?.queue).toHaveLength(
      MOST_QUEUED,
    );
    expect(withQueued({ current: ONE, queue }, TWO)).toBeNull();
  });

  it.each([
    ['u2', -1, 'u2 u1 u3'],
    ['u2', 1, 'u1 u3 u2'],
    ['u1', -1, 'u1 u2 u3'],
    ['u3', 1, 'u1 u2 u3'],
    ['u9', 1, 'u1 u2 u3'],
  ] as const)('has %s in another place after a step of %d.', (url, by, order) => {
    const now = moved([ONE, TWO, THREE], url, by);

    expect(now.map((one) => one.url).join(' ')).toBe(order);
  });

  it('loses a recording that is taken out.', () => {
    expect(without([ONE, TWO, THREE], 'u2')).toEqual([ONE, THREE]);
  });
});

it.each([
  [{}, 61, 100],
  [{ ended: true }, 0, 100],
  [{ currentTime: 95.5 }, 0, 100],
  [{ currentTime: 95.4 }, 95, 100],
  [{ duration: Number.POSITIVE_INFINITY }, 61, null],
  [{ duration: Number.NaN }, 61, null],
])('The position kept of a recording in the state %j is %d of %s seconds.', (state, at, length) => {
  expect(positionIn({ ...heard, ...state })).toEqual({ itemId: 1, position: at, duration: length });
});
