import {
  defineEntity,
  EntitySchema,
  type EntityClass,
  type EntityCtor,
  type InferEntityFromProperties,
} from '@mikro-orm/core';

export { p } from '@mikro-orm/core';

/** MikroORM's metadata of a class that describes a table. */
export interface Described {
  readonly schema: EntitySchema;
}

export type TableClass<Row> = EntityClass<Row> & Described;

/**
 * The parent of a class that describes a table:
 * `class FolderEntity extends entityOf('folder', { id: p.bigint('number').primary(), name: p.text() }) {}`.
 */
export function entityOf<const Properties extends Record<string, object>>(
  tableName: string,
  properties: Properties,
) {
  // Anonymous: MikroORM takes a parent with a name for another entity.
  return class {
    /** Created lazily, since the class does not exist earlier. */
    static get schema(): EntitySchema {
      const { REGISTRY } = EntitySchema;
      return REGISTRY.get(this) ?? defineEntity({ class: this, tableName, properties });
    }
  } as unknown as EntityCtor<InferEntityFromProperties<Properties>> & Described;
}
