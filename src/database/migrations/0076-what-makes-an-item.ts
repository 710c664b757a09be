import { RollingMigration } from './kinds.js';

/** What makes an item itself can be set per feed, and a new date makes nothing unread. */
export class Migration0076WhatMakesAnItem extends RollingMigration {
  override name = '0076-what-makes-an-item';
  override readonly locks = { source: 'access exclusive', article: 'access exclusive' };

  override up(): void {
    this.addSql("alter table source add column item_rule text not null default 'automatic'");
    this.addSql('alter table article add column text_rev bigint');
  }
}
