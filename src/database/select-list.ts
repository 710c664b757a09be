import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { TableClass } from './entity-of.js';

declare const ROW: unique symbol;

/** SQL text that selects columns of one table, and (for the compiler only) the row they make. */
type SelectList<Row> = string & { readonly [ROW]?: Row };

/** The rows that a `SelectList` makes: `RowOf<typeof FOLDER_ROW>`. */
export type RowOf<List> = List extends SelectList<infer Row> ? Row : never;

const naming = new UnderscoreNamingStrategy();

/**
 * Columns of a table for hand-written SQL, named after the properties of its entity. A property that
 * is renamed or removed no longer compiles here; a test compares entities and tables.
 *
 * @param alias of the table in the statement
 * @returns `f.id as "id", f.reader_id as "readerId"` for `selectList(FolderEntity, 'f', ['id', 'readerId'])`
 */
export function selectList<Entity extends object, const Key extends keyof Entity & string>(
  entity: TableClass<Entity>,
  alias: string,
  properties: readonly Key[],
): SelectList<Readonly<Pick<Entity, Key>>> {
  return properties
    .map((property) => `${alias}.${columnOf(entity, property)} as "${property}"`)
    .join(', ');
}

/** The name of one column: for conditions, ordering and lists of columns to insert. */
export function columnOf<Entity extends object>(
  entity: TableClass<Entity>,
  property: keyof Entity & string,
): string {
  const declared = entity.schema.meta.properties[property];
  if (declared === undefined) {
    throw new Error(`${entity.name} has no property ${property}`);
  }
  const { fieldName } = declared as { readonly fieldName?: string };
  return fieldName ?? naming.propertyToColumnName(property);
}
