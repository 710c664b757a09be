import { describe, expect, it } from 'vitest';
import { usePagedList, type ListPage } from './paged-list.js';

const AT_ONCE = 10;

/** A list of so many rows; answers wait for `answer` if it is held. */
function listOf(total: number) {
  const state = { total, asked: [] as [string, number][], held: Promise.resolve() };
  const list = usePagedList<string, number>('', AT_ONCE, async (wish, offset, limit) => {
    state.asked.push([wish, offset]);
    const all = Array.from({ length: state.total }, (_, index) => index);
    const answer: ListPage<number> = {
      rows: all.slice(offset, offset + limit),
      total: state.total,
    };
    await state.held;
    return answer;
  });
  return { list, state };
}

describe('A list by pages', () => {
  it('is empty before it is loaded', async () => {
    const { list } = listOf(25);

    expect([list.loaded.value, list.rows.value, list.total.value]).toEqual([false, [], 0]);
    await list.load();
    expect([list.loaded.value, list.rows.value.length, list.total.value]).toEqual([true, 10, 25]);
  });

  it('goes to a page, and starts over with another query', async () => {
    const { list, state } = listOf(25);

    await list.goTo(20);
    expect([list.rows.value[0], list.offset.value]).toEqual([20, 20]);
    await list.change('cat');
    expect([list.rows.value[0], list.offset.value, state.asked.at(-1)]).toEqual([0, 0, ['cat', 0]]);
  });

  it.each([
    [21, 20, 20, 10],
    [20, 5, 20, 0],
    [31, 0, 30, 0],
    [45, 11, 40, 10],
  ])('of %d rows, then %d, shows the last page at %d: from %d.', async (many, few, at, from) => {
    const { list, state } = listOf(many);
    await list.goTo(at);
    state.total = few;
    await list.load();

    expect(list.offset.value).toBe(from);
    expect(list.rows.value[0]).toBe(few === 0 ? undefined : from);
  });

  it('goes back a page if one is empty that the total still counts.', async () => {
    const list = usePagedList<string, number>('', AT_ONCE, (_, offset) =>
      Promise.resolve({ rows: offset < 40 ? [offset] : [], total: 45 }),
    );
    await list.goTo(40);

    expect([list.offset.value, list.rows.value]).toEqual([30, [30]]);
  });

  it('drops an answer to an outdated request', async () => {
    const { list, state } = listOf(25);
    const held = Promise.withResolvers<void>();
    state.held = held.promise;
    const first = list.goTo(10);
    state.held = Promise.resolve();
    await list.goTo(20);
    held.resolve();
    await first;

    expect(list.offset.value).toBe(20);
  });

  it('shows changed rows, which a pending answer does not undo', async () => {
    const { list } = listOf(3);
    list.replaceRows(() => [7]);
    expect(list.rows.value).toEqual([]);
    await list.load();
    const pending = list.load();
    list.replaceRows((rows) => rows.filter((row) => row !== 1));
    await pending;

    expect([list.rows.value, list.total.value]).toEqual([[0, 2], 3]);
  });
});
