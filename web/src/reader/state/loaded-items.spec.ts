import { describe, expect, it } from 'vitest';
import type { ChangedRow, RowJson } from '../model/items-api.js';
import { LoadedItems } from './loaded-items.js';

const changed = (id: number, fields: Partial<ChangedRow> = {}) =>
  ({ id, feedId: 1, unread: true, starred: false, place: `${id}.${id}`, ...fields }) as RowJson;

describe('An article', () => {
  const item = { ...changed(2), title: ' Cats ', author: null, body: 'Text', enclosureMime: null };

  it('that does not exist is none.', async () => {
    expect(await new LoadedItems(() => Promise.resolve(null)).fetchArticle(2)).toBeNull();
  });

  it('is asked for once, and has the flags of its row.', async () => {
    let asked = 0;
    const items = new LoadedItems(() => Promise.resolve(((asked += 1), item as never)));
    items.list.append([changed(2, { unread: false, labels: ['later'] })]);
    const [one, same] = await Promise.all([items.fetchArticle(2), items.fetchArticle(2)]);
    await items.fetchArticle(2);

    expect(asked).toBe(1);
    expect(one).toMatchObject({ title: 'Cats', unread: false, labels: ['later'] });
    expect(same).toEqual(one);
  });

  it('is asked for again when more than its flags changed.', async () => {
    let asked = 0;
    const items = new LoadedItems(() => Promise.resolve(((asked += 1), item as never)));
    await items.fetchArticle(2);
    items.note(changed(2, { unread: false }));
    expect((await items.fetchArticle(2))?.unread).toBe(false);
    expect(asked).toBe(1);

    items.note(changed(2, { unread: false }));
    await items.fetchArticle(2);
    expect(asked).toBe(2);
  });
});
