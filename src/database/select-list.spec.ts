import { describe, expect, it } from '@jest/globals';
import { entityOf, p } from './entity-of.js';
import { columnOf, selectList, type RowOf } from './select-list.js';

class BookEntity extends entityOf('book', {
  id: p.bigint('number').primary(),
  shelfId: p.bigint('number').strictNullable(),
  title: p.text().fieldName('heading'),
}) {}

describe('selectList', () => {
  it('names the columns of the properties and gives the row its type', () => {
    const list = selectList(BookEntity, 'b', ['id', 'shelfId', 'title']);

    expect(list).toBe('b.id as "id", b.shelf_id as "shelfId", b.heading as "title"');
    const row: RowOf<typeof list> = { id: 1, shelfId: null, title: 'Emma' };
    expect(row.shelfId).toBeNull();
  });

  it('names one column', () => {
    expect(columnOf(BookEntity, 'shelfId')).toBe('shelf_id');
  });

  it('refuses what is no property', () => {
    expect(() => columnOf(BookEntity, 'colour' as never)).toThrow(
      'BookEntity has no property colour',
    );
  });
});
