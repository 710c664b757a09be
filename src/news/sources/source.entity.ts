import { defineEntity, p } from '@mikro-orm/core';

const SourceSchema = defineEntity({
  name: 'SourceEntity',
  tableName: 'source',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    urlKey: p.blob(),
    url: p.text(),
    title: p.text().default(''),
    link: p.text().strictNullable(),
    rev: p.bigint('number').default(0),
    etag: p.text().strictNullable(),
    lastModified: p.text().strictNullable(),
    fetchedAt: p.datetime().strictNullable(),
    askedAt: p.datetime().strictNullable(),
    errorCount: p.integer().default(0),
    lastError: p.text().strictNullable(),
    largestDocument: p.integer().default(0),
    iconId: p.bigint('number').strictNullable(),
    iconUrl: p.text().strictNullable(),
    iconCheckedAt: p.datetime().strictNullable(),
    effectiveUrl: p.text().strictNullable(),
    movingTo: p.text().strictNullable(),
    movingSince: p.datetime().strictNullable(),
    movingSightings: p.integer().default(0),
    goneAt: p.datetime().strictNullable(),
    notModifiedInRow: p.integer().default(0),
    publishingHints: p.json().$type<unknown>().strictNullable(),
    searchRev: p.bigint('number').default(0),
    shownAddress: p
      .text()
      .strictNullable()
      .generated(
        "(regexp_replace(regexp_replace(url, '^([^/?#]*//)[^/?#]*@'::text, '\\1'::text), '\\?.+$'::text, '?…'::text)) stored",
      ),
    warning: p.text().strictNullable(),
    dayBeganAt: p.datetime().defaultRaw('now()'),
    dayArticles: p.integer().default(0),
  },
});

export class SourceEntity extends SourceSchema.class {}

SourceSchema.setClass(SourceEntity);
