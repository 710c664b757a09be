import { defineEntity, p } from '@mikro-orm/core';

const FileQuotaSchema = defineEntity({
  name: 'FileQuotaEntity',
  tableName: 'file_quota',
  properties: {
    userId: p.text().primary(),
    /** Null: no limit. */
    quotaBytes: p.bigint('number').strictNullable(),
  },
});

/** The storage quota of an account for which that of the settings does not hold. */
export class FileQuotaEntity extends FileQuotaSchema.class {}

FileQuotaSchema.setClass(FileQuotaEntity);
